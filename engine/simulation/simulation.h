// One run: NPUs execute their programs on a network model, on one clock.
//
//     EventQueue queue(dialect.event_order);
//     analytical::CongestionUnaware network(description, queue, dialect);
//     Simulation simulation(workload, description, system, dialect, queue, network);
//     Results results = simulation.run();
//
// Several simulations, of jobs with NPUs of their own, share a queue and a network
// (engine/network/shared_network.h): their descriptions are those of the whole network, each with
// the NPUs of one job (NetworkDescription::with_placement()).
//
// An NPU runs one GPU compute and one CPU operation at a time; which ready one comes first, and
// what else runs side by side, is the dialect's (engine/machine/dialect.h). Simulation issues
// operations as they become ready and free resources allow; CollectiveEngine and PointToPoint carry
// out communication, RemoteMemory accesses beyond the NPU's own memory.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/collective/collective_engine.h"
#include "engine/machine/compute_model.h"
#include "engine/machine/dialect.h"
#include "engine/machine/remote_memory.h"
#include "engine/machine/system_config.h"
#include "engine/network/network.h"
#include "engine/network/rank_timers.h"
#include "engine/network/transport.h"
#include "engine/npu/fixed_times.h"
#include "engine/npu/issue_rules.h"
#include "engine/npu/point_to_point.h"
#include "engine/npu/rank_record.h"
#include "engine/npu/ready_set.h"
#include "engine/npu/statistics.h"
#include "engine/program/operation_listener.h"
#include "engine/program/rank_share.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "engine/simulation/periodic_steps.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class Simulation final : private OperationListener {
public:
    /// Called at the start and at the end of every operation (ns-3's trace sources).
    using Observer = std::function<void(Rank, const ProgramOperation&, const std::string& name)>;

    /// All references must outlive the simulation. With a fold (engine/program/fold.h) only the
    /// ranks that stand for others are simulated; the network must know it too. With a share only
    /// its ranks are, and other processes simulate the others: without a fold, in the npunet
    /// dialect. `planner` plans the collectives; made of the same workload and machine, it may have
    /// chosen some before; null: the simulation makes one. Throws InputError when the workload does
    /// not fit the machine, or cannot be shared.
    Simulation(const Workload& workload, const topology::NetworkDescription& description,
               const SystemConfig& system, const Dialect& dialect, EventQueue& queue,
               Network& network, const Fold& fold = Fold::everyone_for_itself(),
               RankShare share = RankShare(), CollectivePlanner* planner = nullptr);

    void set_observers(Observer started, Observer ended);
    /// Whether the results are to hold the timeline (Results::operations), which they do.
    void set_timeline(bool wanted) { timeline_ = wanted; }
    /// Whether they are to hold every collective (Results::collectives), which they do.
    void set_collectives(bool wanted) { list_collectives_ = wanted; }
    /// Operations with times of their own (engine/npu/fixed_times.h): sends, receives and
    /// collectives. The times must outlive the simulation. Before start(); not with a fold or a
    /// share.
    void fix_times(const FixedTimes& times) { fixed_ = &times; }

    /// Collectives are remembered (engine/collective/remembered_collectives.h) where the machine
    /// allows it: `load` as with Network::record_load(), or null. The memories, of the same run,
    /// must outlive this. Then run() may throw CollectivesMet. Before start(); not with fixed
    /// times, or where others use the network.
    void remember_collectives(CollectiveMemories& memories, LinkLoadRecorder* load);
    /// Collectives that were not simulated with the others.
    [[nodiscard]] std::uint64_t remembered_collectives() const {
        return collectives_.remembered() == nullptr ? 0 : collectives_.remembered()->recalled();
    }

    /// Those of them that followed collectives of another communicator.
    [[nodiscard]] std::uint64_t mirrored_collectives() const {
        return collectives_.remembered() == nullptr ? 0 : collectives_.remembered()->mirrored();
    }

    /// As CollectiveEngine::add_unsimulated_to().
    void add_unsimulated_to(std::vector<LinkUse>& use) const {
        collectives_.add_unsimulated_to(use);
    }

    /// Whose errors these are, where there are several jobs: "job 'a'".
    void set_name(std::string name) { name_ = std::move(name); }

    /// Issues the first operations at the queue's present time.
    void start();
    /// Issues nothing more; what is under way comes to its end.
    void stop() { stopped_ = true; }
    /// start(), all events, finish(). Throws StallError with an explanation when NPUs are left with
    /// work; InputError for contradictions that only show while running.
    [[nodiscard]] Results run();
    /// After the events have run out: the results, partial where NPUs are left with work because
    /// the queue was stopped, or StallError.
    [[nodiscard]] Results finish() const;
    /// The same with a share, in every process: the results of all of them.
    [[nodiscard]] Results finish(const Largest& largest);

    /// Of the traces' nodes, in this process.
    struct Progress {
        std::uint64_t done = 0;
        std::uint64_t nodes = 0;
    };
    [[nodiscard]] Progress progress() const;

    /// About how many bytes this process sends in all (engine/program/bytes_sent.h), and has sent:
    /// those of messages under way count half.
    [[nodiscard]] double bytes_to_send() const;
    [[nodiscard]] double bytes_sent() const {
        const Bytes twice = transport_.bytes_delivered() + transport_.bytes_sent();
        return static_cast<double>(twice.value()) / 2 + collectives_.bytes_not_sent();
    }

    /// Whether every NPU of this process has done all its work.
    [[nodiscard]] bool is_finished() const;

    [[nodiscard]] const Transport& transport() const { return transport_; }
    /// Steps of collectives that were counted and not simulated (periodic_steps.h).
    [[nodiscard]] std::uint64_t skipped_steps() const {
        return periodic_steps_ ? periodic_steps_->skipped() : 0;
    }
    /// What has happened so far, by rank; of ranks that are simulated.
    [[nodiscard]] const std::vector<RankRecord>& records() const { return records_; }

private:
    struct Npu {
        std::unique_ptr<ReadySet> ready;
        FreePlaces free{};
        std::int32_t communications = 0;  ///< collectives and sends under way
        std::uint32_t in_progress = 0;    ///< operations of all kinds
        bool issue_scheduled = false;
    };
    class Handler final : public EventHandler {
    public:
        Handler(Simulation& simulation, void (Simulation::*call)(std::uint64_t))
            : simulation_(simulation), call_(call) {}
        void handle(std::uint64_t payload) override { (simulation_.*call_)(payload); }

    private:
        Simulation& simulation_;
        void (Simulation::*call_)(std::uint64_t);
    };

    [[nodiscard]] bool simulates(Rank rank) const {
        return fold_.represents(rank) && share_.has(rank);
    }
    [[nodiscard]] Results summary(std::vector<CollectiveResult> collectives) const;
    /// After the queue has been stopped: what had happened until then.
    [[nodiscard]] Results partial_results() const;
    [[nodiscard]] Results summary(const std::vector<RankRecord>& records, SummaryScope scope,
                                  std::vector<CollectiveResult> collectives) const;
    [[nodiscard]] const FixedTime* fixed(Rank rank, std::uint32_t number) const {
        return fixed_ == nullptr ? nullptr : fixed_->of(rank, number);
    }
    void start_fixed(Rank rank);
    void fixed_start_is_due(std::uint64_t rank_and_number);
    void begin_until(Rank rank, std::uint32_t number, Time end);
    void make_ready(Rank rank, std::uint32_t number);
    void issue_turn(std::uint64_t rank);
    void compute_done(std::uint64_t rank_and_number);
    void issue(Rank rank);
    void begin(Rank rank, std::uint32_t number);
    void begin_compute(Rank rank, std::uint32_t number);
    /// Records the end of an operation and frees what waited for it.
    void end(Rank rank, std::uint32_t number);
    /// end() of what turned out to be done when it began: now, or, where work is issued only after
    /// completions, by an event of this instant.
    void end_at_once(Rank rank, std::uint32_t number);
    /// After an end that an event brought: start what has become possible.
    void follow_up(Rank rank);

    void on_operation_done(Rank rank, std::uint32_t operation) override;
    void on_receive_done(Rank rank, std::uint32_t operation, Time first_byte_left) override;

    [[nodiscard]] std::string explain_stall() const;

    const Workload& workload_;
    const topology::NetworkDescription& description_;
    const SystemConfig& system_;
    const Dialect& dialect_;
    const Fold& fold_;
    RankShare share_;
    EventQueue& queue_;
    Network& network_;
    RankTimers timers_;
    Transport transport_;
    CollectiveEngine collectives_;
    PointToPoint point_to_point_;
    RemoteMemory remote_memory_;
    ComputeModel compute_;
    IssueRules rules_;
    Handler issue_handler_;
    Handler compute_handler_;
    Handler fixed_handler_;
    std::vector<Npu> npus_;
    std::vector<RankRecord> records_;
    std::uint64_t changes_ = 0;  ///< operations begun and ended
    std::unique_ptr<PeriodicSteps> periodic_steps_;
    std::string name_;
    bool let_go_ = false;
    Time began_;  ///< when start() was called
    bool timeline_ = true;
    bool list_collectives_ = true;
    bool stopped_ = false;
    const FixedTimes* fixed_ = nullptr;
    Observer started_;
    Observer ended_;
};

}  // namespace npunet::engine
