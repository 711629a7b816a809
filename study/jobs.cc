#include "study/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/units.h"
#include "chakra/trace/trace_set.h"
#include "engine/network/named_errors.h"
#include "engine/network/shared_network.h"
#include "engine/npu/statistics.h"
#include "engine/simulation/simulation.h"
#include "study/carriers.h"
#include "study/fidelity_network.h"
#include "study/fidelity_notes.h"
#include "study/resolved.h"
#include "study/run_notes.h"
#include "study/run_stopper.h"
#include "study/tensor_groups.h"

namespace npunet::study {

namespace {

using engine::EventKey;
using engine::Phase;

std::string title_of(const std::string& name) {
    return fmt::format("job '{}'", name);
}

void check_entry(const JobEntry& job, const std::string& file, const Machine& machine) {
    const std::size_t npus = machine.network.graph.npus();
    for (const NodeId npu : job.npus) {
        if (npu.index() >= npus) {
            throw InputError(
                {file, job.ranks_place, fmt::format("NPU {}", npu.value()),
                 fmt::format("the NPUs of {}, 0 to {}", machine.network.name, npus - 1), ""});
        }
    }
    const chakra::TraceSet traces = chakra::find_traces(job.workload);
    if (static_cast<std::size_t>(traces.ranks) != job.npus.size()) {
        throw InputError(
            {file, job.ranks_place, fmt::format("{} NPUs", job.npus.size()),
             fmt::format("{}, one for each trace {}.<rank>{}", traces.ranks, traces.prefix,
                         traces.extension),
             fmt::format("Give {} as many NPUs as it has traces", title_of(job.name))});
    }
}

/// Jobs take their turns at a memory of several NPUs without knowing of each other.
void check_shared_memory(const std::vector<Job>& jobs, const engine::RemoteMemoryConfig& memory) {
    using Kind = engine::RemoteMemoryConfig::Kind;
    if (memory.kind != Kind::PerNode && memory.kind != Kind::Pool) {
        return;
    }
    std::map<std::int64_t, const Job*> users;
    for (const Job& job : jobs) {
        for (const NodeId npu : job.npus) {
            const std::int64_t place =
                memory.kind == Kind::Pool ? 0 : npu.value() / memory.npus_per_node;
            const Job* const other = users.emplace(place, &job).first->second;
            if (other != &job) {
                throw InputError({memory.file, "memory-type",
                                  fmt::format("a memory that {} and {} share",
                                              title_of(other->name), title_of(job.name)),
                                  "memories of single NPUs, or nodes that belong to one job",
                                  "Place the jobs on different nodes, or simulate one"});
            }
        }
    }
}

/// What is said of ranks of the machine, by ranks of a job.
template <class Value>
std::vector<std::pair<std::int32_t, Value>> overrides_of(
    const std::vector<std::pair<std::int32_t, Value>>& overrides, const Machine& machine,
    const std::vector<NodeId>& npus) {
    const std::vector<NodeId>& placement = machine.network.npu_of_rank;
    std::vector<std::pair<std::int32_t, Value>> own;
    for (const auto& [rank, value] : overrides) {
        if (static_cast<std::size_t>(rank) >= placement.size()) {
            throw InputError({machine.system.file, "npus", fmt::format("rank {}", rank),
                              fmt::format("0 to {}", placement.size() - 1), ""});
        }
        const auto place =
            std::find(npus.begin(), npus.end(), placement[static_cast<std::size_t>(rank)]);
        if (place != npus.end()) {
            own.emplace_back(static_cast<std::int32_t>(place - npus.begin()), value);
        }
    }
    return own;
}

/// A job on its share of the network.
class RunningJob final : private engine::EventHandler {
public:
    RunningJob(const Job& job, const Machine& machine, engine::EventQueue& queue,
               engine::SharedNetwork& network, const RunOptions& options)
        : job_(job), machine_(machine_of(machine, job.npus)), queue_(queue) {
        engine::naming_errors(title_of(job.name), [&] {
            simulation_ = std::make_unique<engine::Simulation>(
                job.workload, machine_.network, machine_.system, machine_.dialect, queue,
                network.add(title_of(job.name)));
        });
        simulation_->set_name(title_of(job.name));
        simulation_->set_timeline(options.timeline);
    }

    /// Begins when its time has come.
    void schedule() {
        const auto npu = static_cast<std::uint64_t>(job_.npus.front().value());
        queue_.schedule(job_.start, EventKey::of(Phase::Arrival, engine::event_kind::begin, npu),
                        *this);
    }

    [[nodiscard]] const engine::Simulation& simulation() const { return *simulation_; }

    [[nodiscard]] engine::Results finish() const { return simulation_->finish(); }

private:
    void handle(std::uint64_t) override {
        engine::naming_errors(title_of(job_.name), [this] { simulation_->start(); });
    }

    const Job& job_;
    const Machine machine_;
    engine::EventQueue& queue_;
    std::unique_ptr<engine::Simulation> simulation_;
};

/// By lowest NPU, so that results do not depend on the order of the list, though the astra-sim
/// dialects handle first what was scheduled first.
std::vector<std::size_t> order_of_npus(const std::vector<Job>& jobs) {
    std::vector<std::pair<NodeId, std::size_t>> order;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        order.emplace_back(*std::min_element(jobs[i].npus.begin(), jobs[i].npus.end()), i);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> places;
    places.reserve(order.size());
    for (const auto& [npu, place] : order) {
        places.push_back(place);
    }
    return places;
}

/// The results of every job, or StallError. `finish` gives those of a job, or throws it.
std::vector<engine::JobResult> finish_all(
    const std::vector<Job>& jobs, const std::function<engine::Results(std::size_t job)>& finish) {
    std::vector<engine::JobResult> results;
    std::string stalled;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        try {
            results.push_back({jobs[i].name, jobs[i].npus, jobs[i].start, finish(i)});
        } catch (const StallError& error) {
            stalled += stalled.empty() ? "" : "\n";
            stalled += title_of(jobs[i].name) + ": " + error.what();
        }
    }
    if (!stalled.empty()) {
        for (const engine::JobResult& job : results) {
            stalled +=
                fmt::format("\n{} finished at {}", title_of(job.name), format_time(job.finish()));
        }
        throw StallError(stalled);
    }
    return results;
}

/// Figures of all jobs; links, events and hops are the network's.
engine::Results sum_up(const std::vector<engine::JobResult>& jobs, const Machine& machine,
                       Fidelity fidelity) {
    engine::Results all;
    all.fidelity = name_of(fidelity);
    all.dialect = machine.dialect.name;
    all.whole_nanoseconds = machine.dialect.whole_nanoseconds;
    for (const engine::JobResult& job : jobs) {
        all.finish = std::max(all.finish, job.finish());
        all.simulated_npus += job.npus.size();
    }
    return all;
}

using Clock = std::chrono::steady_clock;

/// What the network of a run says at its end.
struct NetworkEnd {
    std::vector<engine::LinkUse> link_use;
    engine::QueuePairLimits limits;
    std::uint64_t events = 0;
    std::uint64_t packet_hops = 0;
};

/// What is said of each job beyond its simulation.
void complete_jobs(engine::JobsResults& results, const std::vector<Job>& jobs,
                   const Machine& machine) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        engine::Results& own = results.jobs[i].results;
        const topology::NetworkDescription network = machine.network.with_placement(jobs[i].npus);
        own.carriers = carriers_of(jobs[i].workload, network, own, results.all);
        for (std::string& note : notes_on_bounds(network, own, results.all.links)) {
            own.notes.push_back(std::move(note));
        }
        if (std::string note = tensor_group_note(jobs[i].workload, machine.dialect, network);
            !note.empty()) {
            own.notes.push_back(std::move(note));
        }
    }
}

/// The results of all jobs, from those of each.
void complete(engine::JobsResults& results, const std::vector<Job>& jobs, const Machine& machine,
              Fidelity fidelity, const NetworkEnd& network, Clock::time_point begin) {
    results.all = sum_up(results.jobs, machine, fidelity);
    engine::add_links(results.all, machine.network, network.link_use);
    results.all.resolved = resolve(machine, fidelity, network.limits);
    results.all.notes = notes_on_marks(machine.network, results.all);
    if (std::string note = fidelity_note(machine, fidelity); !note.empty()) {
        results.all.notes.push_back(std::move(note));
    }
    results.all.events = network.events;
    results.all.packet_hops = network.packet_hops;
    results.all.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    for (engine::JobResult& job : results.jobs) {
        job.results.fidelity = results.all.fidelity;
        job.results.wall_seconds = results.all.wall_seconds;
        job.results.links.clear();
        job.results.link_classes.clear();
        job.results.link_bound = engine::LinkBound();
    }
    complete_jobs(results, jobs, machine);
}

engine::JobsResults run_elsewhere(const std::vector<Job>& jobs, const Machine& machine,
                                  const RunOptions& options) {
    const Clock::time_point begin = Clock::now();
    std::vector<Machine> machines;  // as each job sees it
    machines.reserve(jobs.size());
    for (const Job& job : jobs) {
        machines.push_back(machine_of(machine, job.npus));
    }
    std::vector<engine::SimulatorJob> running;
    std::vector<std::size_t> place(jobs.size());
    for (const std::size_t i : order_of_npus(jobs)) {
        place[i] = running.size();
        running.push_back({jobs[i].workload, machines[i].system, jobs[i].npus, jobs[i].start,
                           title_of(jobs[i].name)});
    }
    const engine::SimulatorRun run =
        options.packet_simulator(running, machine.network, options.packet.fast_forward, nullptr);
    engine::JobsResults results;
    results.jobs = finish_all(jobs, [&](std::size_t job) {
        const engine::SimulatorRun::Outcome& outcome = run.jobs[place[job]];
        if (!outcome.stalled.empty()) {
            throw StallError(outcome.stalled);
        }
        return outcome.results;
    });
    complete(results, jobs, machine, Fidelity::Packet,
             {run.link_use, run.limits, run.events, run.packet_hops}, begin);
    note_link_bound(results.all);
    return results;
}

/// The results; or none, where a run that stalls has to be run again without its limit, which is
/// then taken away.
std::optional<engine::JobsResults> attempt(const std::vector<Job>& jobs, const Machine& machine,
                                           Fidelity fidelity, RunOptions& options) {
    const Clock::time_point begin = Clock::now();
    engine::EventQueue queue(machine.dialect.event_order);
    if (options.shuffle_seed) {
        queue.shuffle_insertions(*options.shuffle_seed);
    }
    const std::unique_ptr<engine::Network> network =
        make_network(machine, fidelity, queue, options);
    engine::SharedNetwork shared(*network);
    std::vector<std::unique_ptr<RunningJob>> running;
    std::vector<const engine::Simulation*> simulations;
    running.reserve(jobs.size());
    for (const Job& job : jobs) {
        running.push_back(std::make_unique<RunningJob>(job, machine, queue, shared, options));
        simulations.push_back(&running.back()->simulation());
    }
    const RunStopper stopper(queue, std::move(simulations), options);
    for (const std::size_t place : order_of_npus(jobs)) {
        running[place]->schedule();
    }
    network->run(queue);
    if (stopper.came_to_a_stall()) {
        options.max_time.reset();
        return std::nullopt;
    }

    engine::JobsResults results;
    results.jobs = finish_all(jobs, [&](std::size_t job) { return running[job]->finish(); });
    std::vector<engine::LinkUse> use = network->link_use();
    for (const std::unique_ptr<RunningJob>& job : running) {
        job->simulation().add_unsimulated_to(use);
    }
    complete(
        results, jobs, machine, fidelity,
        {std::move(use), network->queue_pair_limits(), queue.handled(), network->packet_hops()},
        begin);
    for (std::string& note : network->notes(results.all.finish)) {
        results.all.notes.push_back(std::move(note));
    }
    results.all.congestion = network->congestion_times(results.all.finish);
    for (engine::JobResult& job : results.jobs) {
        if (job.results.partial) {
            job.results.partial->reason = stopper.reason();
            results.all.partial = job.results.partial;
        }
    }
    note_link_bound(results.all);
    if (results.all.partial) {
        const engine::Simulation::Progress progress = stopper.progress();
        results.all.partial->nodes_done = progress.done;
        results.all.partial->nodes = progress.nodes;
    }
    return results;
}

}  // namespace

std::vector<Job> load_jobs(const JobsFile& file, const Machine& machine,
                           engine::EmptyTraces empty) {
    std::vector<Job> jobs;
    for (const JobEntry& entry : file.jobs) {
        check_entry(entry, file.file, machine);
        jobs.push_back({entry.name,
                        load_workload_for(machine_of(machine, entry.npus), entry.workload,
                                          entry.comm_group, empty),
                        entry.npus, entry.start});
    }
    return jobs;
}

Machine machine_of(const Machine& machine, const std::vector<NodeId>& npus) {
    Machine own;
    own.dialect = machine.dialect;
    own.network = machine.network.with_placement(npus);
    own.system = machine.system;
    own.system.overrides = overrides_of(machine.system.overrides, machine, npus);
    own.system.capacity_overrides = overrides_of(machine.system.capacity_overrides, machine, npus);
    return own;
}

engine::JobsResults simulate_jobs(const std::vector<Job>& jobs, const Machine& machine,
                                  Fidelity fidelity, const RunOptions& options) {
    check_fidelity(machine, fidelity);
    check_shared_memory(jobs, machine.system.remote_memory);
    if (options.packet_simulator && fidelity == Fidelity::Packet) {
        return run_elsewhere(jobs, machine, options);
    }
    RunOptions attempted = options;
    for (;;) {
        if (std::optional<engine::JobsResults> results =
                attempt(jobs, machine, fidelity, attempted)) {
            return *std::move(results);
        }
    }
}

}  // namespace npunet::study
