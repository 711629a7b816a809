// Runs the collectives of all ranks as messages: moves the chunks of every member's part through
// their phases, and says when a rank is done. Which collectives belong together: instances.h.
//
// At a rank each lane of each chunk is a stream. A stream in a phase makes the exchanges of the
// phase's schedule in order, each when its gate opens (engine/collective_algorithms/phase.h); a
// message that is in costs the endpoint delay, then the reduction where one is due, and completes
// its exchange. The phase ends when all exchanges are complete. Messages that come before their
// exchange has started wait.
//
// What arrives at an instant is put in order by what it is to its rank (operation, stream, phase,
// exchange) and acted upon in Phase::Issue, so the order of arrival within an instant, and with it
// the names of ranks, cannot matter. In the insertion order of the astra-sim dialects everything is
// acted upon at once, as in the reference.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/collective/instances.h"
#include "engine/collective/library_traffic.h"
#include "engine/collective/nvls_steps.h"
#include "engine/collective/planner.h"
#include "engine/collective/remembered_collectives.h"
#include "engine/collective/run.h"
#include "engine/network/rank_timers.h"
#include "engine/network/transport.h"
#include "engine/program/operation_listener.h"
#include "engine/program/rank_share.h"
#include "engine/results/results.h"

namespace npunet::engine {

/// Hears that messages of collectives have come in and have been acted upon.
class StepListener {
public:
    virtual void on_steps() = 0;

protected:
    ~StepListener() = default;
};

class CollectiveEngine final : private MessageOwner,
                               private EventHandler,
                               private NvlsHost,
                               private PushListener {
public:
    /// `contention`: the network models it. `planner`: of the first four; null: one of its own.
    CollectiveEngine(const Workload& workload, const topology::NetworkDescription& network,
                     const SystemConfig& system, const Dialect& dialect, const Fold& fold,
                     const RankShare& share, EventQueue& queue, RankTimers& timers,
                     Transport& transport, OperationListener& listener, bool contention = true,
                     CollectivePlanner* planner = nullptr);

    /// Starts a rank's part in its next collective of the group. Returns true when it is done at
    /// once (nothing to send); else the listener hears of it. Throws StallError when the group's
    /// members disagree about their k-th collective.
    [[nodiscard]] bool start(Rank rank, std::uint32_t operation);

    /// Collectives that have their links to themselves are not simulated with the others. In the
    /// order of content, without a fold or a share. Before the first start(); the run may then
    /// throw CollectivesMet.
    void remember(std::unique_ptr<RememberedCollectives> remembered) {
        remembered_ = std::move(remembered);
    }
    /// A Send begins.
    void message_begins(Rank from, Rank to) {
        if (remembered_ != nullptr) {
            remembered_->message_begins(from, to);
        }
    }
    /// The run has ended. One that `is_whole` may throw CollectivesMet.
    void complete_remembered(bool is_whole) {
        if (remembered_ != nullptr) {
            remembered_->complete(is_whole);
        }
    }
    /// Null: nothing is remembered.
    [[nodiscard]] const RememberedCollectives* remembered() const { return remembered_.get(); }
    /// Of finished collectives that were not simulated message by message
    /// (engine/program/bytes_sent.h).
    [[nodiscard]] double bytes_not_sent() const { return bytes_not_sent_; }

    /// The next collective of the group is that number, for all members, a new one: for
    /// SideSimulation.
    void skip_to(std::int32_t group, std::uint64_t number) { instances_.skip_to(group, number); }

    /// Thread blocks of a communication library that are at work for a rank.
    [[nodiscard]] std::int32_t thread_blocks(Rank rank) const {
        return blocks_of_rank_[rank.index()];
    }

    /// Adds what links carry of collectives that were not simulated as messages of this network:
    /// those that are remembered, and those in closed form.
    void add_unsimulated_to(std::vector<LinkUse>& use) const {
        if (remembered_ != nullptr) {
            remembered_->add_to(use);
        }
        traffic_.add_to(use, planner_, instances_);
    }

    /// The collectives so far, by first start.
    [[nodiscard]] std::vector<CollectiveResult> results() const {
        CollectiveBounds bounds = make_bounds();
        return instances_.results(bounds);
    }

    /// All collectives, from the start and the end of every rank's part in them: of ranks of other
    /// processes, too.
    using SpanOf = std::function<std::pair<Time, Time>(Rank rank, std::uint32_t operation)>;
    [[nodiscard]] std::vector<CollectiveResult> results(const SpanOf& span_of);

    // Collectives that go on in equal steps (engine/simulation/periodic_steps.h).

    /// Where to read how many steps there have been: a stream whose exchanges are alike.
    struct StepCount {
        static constexpr std::uint32_t none = 0xffffffff;
        std::uint32_t run = none;
        std::uint32_t stream = 0;
        Rank rank;
        std::uint64_t looked_at = 0;  ///< streams, to find it or to find that there is none
    };
    /// The first one of those under way with so many steps to go; none where there is none.
    [[nodiscard]] StepCount find_step_count(std::int32_t least) const;
    /// Steps so far; -1 when the stream is not in its phase any more.
    [[nodiscard]] std::int32_t steps_of(const StepCount& count) const;
    /// How many times as many steps follow in all collectives under way before any of them ends or
    /// ceases to reduce.
    [[nodiscard]] std::int64_t periods_left(std::int32_t steps) const;
    /// The collectives under way (engine/clock/state_scan.h), in steps relative to those of
    /// `count`.
    void scan(StateScan& scan, PendingEvents& events, const StepCount& count);
    /// Hears of steps; must outlive this.
    void set_step_listener(StepListener& listener) { step_listener_ = &listener; }

    /// What a rank that sits in a collective waits for: the members that have not come.
    [[nodiscard]] std::string explain(Rank rank, std::size_t group) const {
        return instances_.explain(rank, static_cast<std::int32_t>(group));
    }

private:
    using Run = CollectiveRun;

    /// Where NPUs' ports are not shared, borders between them are no bound at all, and results are
    /// those of the dialect's reference.
    [[nodiscard]] CollectiveBounds make_bounds() const {
        return CollectiveBounds(network_,
                                dialect_.whole_nanoseconds ? BoundBy::Ports : BoundBy::PortsAndCuts,
                                planner_.reduces_in());
    }

    /// A delay at an endpoint that is a timer of its rank, and the one that follows it: in the
    /// insertion order of the reference.
    struct Delay {
        std::uint32_t run;
        std::uint32_t stream;
        Time then;
        bool opens_phase;  ///< else it completes an exchange
    };
    /// Something that arrived at a stream at this instant.
    struct Arrival {
        /// In place of the exchange of a message.
        static constexpr std::uint32_t slots_are_free = 0xfffffffd;  ///< as many as `bytes`
        static constexpr std::uint32_t exchange_completes = 0xfffffffe;
        static constexpr std::uint32_t phase_opens = 0xffffffff;

        std::uint64_t who;    ///< rank and operation
        std::uint32_t place;  ///< stream and phase
        std::uint32_t exchange;
        Bytes bytes;
        Run* run;

        [[nodiscard]] bool before(const Arrival& other) const {
            return who != other.who       ? who < other.who
                   : place != other.place ? place < other.place
                                          : exchange < other.exchange;
        }
    };
    class Turn final : public EventHandler {
    public:
        explicit Turn(CollectiveEngine& engine) : engine_(engine) {}
        void handle(std::uint64_t) override { engine_.take_turn(); }

    private:
        CollectiveEngine& engine_;
    };

    /// The end of a delay at an endpoint by content: run, stream, and whether it opens the phase.
    class DelayEnd final : public EventHandler {
    public:
        explicit DelayEnd(CollectiveEngine& engine) : engine_(engine) {}
        void handle(std::uint64_t payload) override {
            engine_.end_delay(static_cast<std::uint32_t>(payload >> 32),
                              static_cast<std::uint32_t>(payload) >> 1, (payload & 1) != 0);
        }
        [[nodiscard]] static std::uint64_t payload(std::uint32_t run, std::uint32_t stream,
                                                   bool opens_phase) {
            return (static_cast<std::uint64_t>(run) << 32) | (stream << 1) | (opens_phase ? 1 : 0);
        }

    private:
        CollectiveEngine& engine_;
    };

    /// Slots of a thread block's connection are free again, at the sender. The number is that of
    /// the slots with an algorithm from a file, and that of the connection, of which one slot is
    /// free, with a library.
    class SlotsFree final : public EventHandler {
    public:
        explicit SlotsFree(CollectiveEngine& engine) : engine_(engine) {}
        void handle(std::uint64_t payload) override {
            engine_.free_slots(static_cast<std::uint32_t>(payload >> 32),
                               static_cast<std::uint32_t>(payload) >> 8,
                               static_cast<std::int32_t>(payload & 0xff));
        }
        [[nodiscard]] static std::uint64_t payload(std::uint32_t run, std::uint32_t block,
                                                   std::int32_t slots) {
            return (static_cast<std::uint64_t>(run) << 32) | (block << 8) |
                   static_cast<std::uint32_t>(slots);
        }

    private:
        CollectiveEngine& engine_;
    };

    /// The hop of a slice of a library is over.
    class HopEnd final : public EventHandler {
    public:
        explicit HopEnd(CollectiveEngine& engine) : engine_(engine) {}
        void handle(std::uint64_t slot) override {
            engine_.end_hop(static_cast<std::uint32_t>(slot));
        }

    private:
        CollectiveEngine& engine_;
    };
    /// A channel of collectives that are launched together: rank, communicator, launch, channel.
    using LaunchChannel = std::tuple<Rank, std::int32_t, std::uint64_t, std::int32_t>;
    [[nodiscard]] LaunchChannel launch_channel(const Run& run, std::uint32_t number) const;

    /// One that has been delivered.
    struct SliceOnHop {
        std::uint32_t run = 0;
        std::uint32_t place = 0;
        std::uint32_t number = 0;
    };

    /// Takes the first steps of a rank's part. True when it has nothing to do.
    [[nodiscard]] bool begin_steps(Run& run);
    /// Whether a rank's part, which begins, is held until all members have begun, or is the last.
    [[nodiscard]] bool hold(Run& run, const ProgramOperation& operation);
    /// The member is done in collectives that follow this one, too.
    void end_followers(const Run& run);
    [[nodiscard]] CollectiveCall call_of(const Run& run, const ProgramOperation& operation) const;

    void on_sent(const MessageNote& note) override { end_send_of_trace(note); }
    void on_delivered(const MessageNote& note, Bytes bytes, Time first_byte_left) override;
    void scan(StateScan& scan, MessageNote& note) override;
    [[nodiscard]] static bool is_in_progress(const Run& run);
    void scan_run(StateScan& scan, Run& run);
    void scan_stream(StateScan& scan, const Run& run, Stream& stream);
    /// What the stream receives next costs time.
    [[nodiscard]] bool pays_for_reductions(const Run& run, const Stream& stream) const;
    [[nodiscard]] MessageLabel label_of(const MessageNote& note) const override;
    [[nodiscard]] MessageNote note_of(const MessageLabel& label) override;
    void handle(std::uint64_t delay) override;

    /// Now, or in this instant's turn.
    void arrive(Run& run, std::uint32_t place, std::uint32_t exchange, Bytes bytes);
    void take_turn();
    void sort_acting();
    /// Messages that came before their exchange, or even their run, has started.
    [[gnu::cold]] static void keep_early(Run& run, const MessageNote& note, Bytes bytes);
    [[gnu::cold]] static void keep_early(Stream& stream, const Arrival& arrival);
    void act_on(const Arrival& arrival);
    void finish_if_done(Run& run);

    Run& run_of(std::uint32_t instance, std::size_t member, Rank rank);
    /// The part of who stands for a member, in the collective that corresponds.
    Run& run_like(std::uint32_t instance, std::size_t member, Rank rank);
    void release(Run& run);

    /// Starts what the limit allows in the queues of Run::to_fill, one after the other. Called from
    /// within itself it leaves them to the outer call: chunks whose messages are all there would
    /// otherwise nest as deep as there are chunks.
    void fill_queues(Run& run);
    void fill_queue(Run& run, std::int32_t queue);
    void start_phase(Run& run, Stream& stream);
    void end_phase(Run& run, Stream& stream);
    void advance(Run& run, Stream& stream);
    void start_exchange(Run& run, Stream& stream);
    /// Finds out about the rank to which the stream is to send.
    void turn_to(const Run& run, Stream& stream, Rank peer);
    bool take_early(Run& run, Stream& stream);
    /// The message of a started exchange is in; returns true when it is complete at once.
    bool receive(Run& run, Stream& stream, std::int32_t exchange, Bytes bytes);
    /// Starts the delays of an endpoint, one after the other; the first one is not zero.
    void wait_for(const Run& run, std::uint32_t stream, bool opens_phase, Time first, Time then);
    void start_timer(Rank rank, const Delay& delay, Time first);
    void end_delay(std::uint32_t run, std::uint32_t stream, bool opens_phase);
    /// So many accesses to the memory of a rank for each byte; zero where its rate is not given.
    [[nodiscard]] Time access_time(Rank rank, Bytes bytes, std::int64_t accesses) const;
    [[nodiscard]] Time reduction_time(Rank rank, Bytes bytes) const {
        return access_time(rank, bytes, 3);
    }

    // Algorithms from files (file_steps.cc).
    [[nodiscard]] bool start_file(Run& run);
    void check_slots_once(const FileRun& file);
    void prepare_block(Run& run, std::uint32_t number);
    [[nodiscard]] Rank rank_of_gpu(const Run& run, std::int32_t gpu) const;
    void act_on_file(Run& run, const Arrival& arrival);
    static void look_at_block(FileRun& file, std::uint32_t number);
    void advance_blocks(Run& run);
    /// True when there may be more to do at once.
    [[nodiscard]] bool advance_block(Run& run, std::uint32_t number);
    void begin_step(Run& run, std::uint32_t number);
    [[nodiscard]] Time compute_time(const Run& run, const AlgorithmStep& step) const;
    [[nodiscard]] bool advance_message(Run& run, std::uint32_t number, const AlgorithmStep& step);
    void send_message(Run& run, std::uint32_t number, Bytes bytes);
    /// A message has arrived whose note this is.
    void hear_of_delivery(const MessageNote& note);
    void end_send_of_trace(const MessageNote& note);
    void give_slots_back(Run& run, std::uint32_t number, std::int32_t slots);
    void free_slots(std::uint32_t run, std::uint32_t block, std::int32_t slots);
    void end_step(Run& run, std::uint32_t number);

    // Of communication libraries (channel_steps.cc): in closed form where the network models no
    // contention.
    [[nodiscard]] bool is_in_closed_form(const Run& run) const {
        return run.plan.estimate != nullptr && !contention_;
    }
    void start_in_closed_form(Run& run);
    static ChannelRun& channels_of(Run& run,
                                   const std::shared_ptr<const LibrarySchedule>& schedule);
    [[nodiscard]] Rank rank_of_member(const Run& run, std::size_t member) const override;
    [[nodiscard]] Run& part_of_member(const Run& run, std::size_t member) override;
    [[nodiscard]] Run& part_number(std::uint32_t run) override { return *runs_[run]; }
    void arrive_at(Run& run, std::uint32_t place, std::uint32_t number, Bytes bytes) override;
    void start_channels(Run& run);
    void act_on_channel(Run& run, const Arrival& arrival);
    [[nodiscard]] static bool may_start_slice(const LibrarySchedule& schedule,
                                              const ChannelBlock& block);
    void start_slice(Run& run, std::uint32_t number);
    void end_slice(Run& run, std::uint32_t number);
    /// Whether the collectives that are launched with it and come before it on the channel of a
    /// block are through.
    [[nodiscard]] bool has_channel(const Run& run, std::uint32_t number) const;
    void leave_channel(const Run& run, std::uint32_t number);
    void send_slice(Run& run, std::uint32_t number, ChannelOutput& output, Time takes);
    void hear_of_slice(const MessageNote& note);
    /// A slice is there, which the endpoints are through with at `usable`.
    void take_slice(Run& run, std::uint32_t place, std::uint32_t number, Time usable);
    void push_slice(const Run& run, std::uint32_t number, const ChannelOutput& output, Time takes);
    [[nodiscard]] std::uint64_t operation_of(const PushedSlice& slice, std::size_t member) override;
    void on_result(const PushedSlice& slice, std::size_t member, Time due) override;
    void end_hop(std::uint32_t slot);
    void slice_is_usable(Run& run, std::uint32_t place, std::uint32_t number);
    void give_slots_back(Run& run, const ChannelBlock& block);

    const Workload& workload_;
    const topology::NetworkDescription& network_;
    const Dialect& dialect_;
    const Fold& fold_;
    const RankShare& share_;
    EventQueue& queue_;
    RankTimers& timers_;
    Transport& transport_;
    OperationListener& listener_;
    std::unique_ptr<CollectivePlanner> own_planner_;  ///< null where one was given
    CollectivePlanner& planner_;
    CollectiveInstances instances_;
    bool by_content_;                             ///< arrivals wait for their turn
    bool contention_;                             ///< Network::models_contention()
    std::vector<std::int32_t> blocks_of_rank_;    ///< thread_blocks()
    bool reference_reductions_;                   ///< charged as in the reference
    std::vector<std::int64_t> memory_bandwidth_;  ///< by rank, bytes per second; 0 = not given
    std::vector<double> memory_gbps_;             ///< by rank, 10^9 bytes per second
    std::vector<std::unique_ptr<Run>> runs_;
    std::vector<std::uint32_t> free_runs_;
    std::vector<Delay> delays_;
    std::vector<std::uint32_t> free_delays_;
    Turn turn_;
    DelayEnd delay_end_;
    SlotsFree slots_free_;
    HopEnd hop_end_;
    std::unique_ptr<RememberedCollectives> remembered_;  ///< null: nothing is
    LibraryTraffic traffic_;                             ///< of collectives in closed form
    double bytes_not_sent_ = 0;
    PushReductions pushes_;
    NvlsSteps nvls_;
    /// Parts in collectives that are at a channel or wait for it, in their order.
    std::map<LaunchChannel, std::deque<std::uint32_t>> launches_;
    std::vector<SliceOnHop> slices_on_hop_;
    std::vector<std::uint32_t> free_slices_;
    /// The last word of the note of a message of an MSCCL file; of a trace it is the sender's run
    /// + 1, and of built-in algorithms 0.
    static constexpr std::uint32_t msccl_mark = 0xffffffff;
    static constexpr std::uint32_t channel_mark = 0xfffffffe;  ///< of a library
    std::uint64_t file_messages_ = 0;  ///< of algorithms from files, under way
    /// Files whose steps can be made with the chunks that one call may have.
    std::vector<std::pair<const FileAlgorithm*, std::int32_t>> checked_slots_;
    std::vector<Arrival> arrivals_;  ///< of this instant
    std::vector<Arrival> acting_;
    StepListener* step_listener_ = nullptr;
    FlowProgress steps_;  ///< of the last scan
};

}  // namespace npunet::engine
