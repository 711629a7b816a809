#include "study/simulation_run.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analytical/fluid/fluid_network.h"
#include "analytical/fluid/link_fold.h"
#include "base/errors.h"
#include "engine/program/workload_loader.h"
#include "engine/simulation/fold_finder.h"
#include "engine/simulation/simulation.h"
#include "packet/make_packet_network.h"
#include "study/carriers.h"
#include "study/fidelity_network.h"
#include "study/fidelity_notes.h"
#include "study/flow_watch.h"
#include "study/parallel_dimensions.h"
#include "study/resolved.h"
#include "study/run_notes.h"
#include "study/run_stopper.h"
#include "study/tensor_groups.h"
#include "topology/network/layout.h"

namespace npunet::study {

namespace {

/// The astra-sim dialects offer what their reference has.
void check_reference(const Machine& machine, Fidelity fidelity) {
    if (!machine.network.faults.empty()) {
        throw InputError({"--network", "faults", "faults with --dialect " + machine.dialect.name,
                          "--dialect npunet, which offers them",
                          "Leave the section faults out, or the dialect"});
    }
    if (fidelity == Fidelity::Packet || fidelity == Fidelity::Fluid) {
        throw InputError(
            {"--fidelity", "",
             fmt::format("{} with --dialect {}", name_of(fidelity), machine.dialect.name),
             "--dialect npunet at this level",
             "The astra-sim dialects order simultaneous events by insertion, which a "
             "network of packets has no counterpart for"});
    }
    const std::size_t dimensions = machine.network.dimensions.size();
    if (dimensions == 0) {
        throw InputError(
            {"--network", "",
             fmt::format("{} with --dialect {}", machine.network.name, machine.dialect.name),
             "a network of dimensions, as in that dialect's reference",
             "--dialect npunet does the others"});
    }
    if (fidelity == Fidelity::CongestionAware && dimensions != 1) {
        throw InputError({"--fidelity", "",
                          fmt::format("congestion-aware with --dialect {} on a network of {} "
                                      "dimensions",
                                      machine.dialect.name, dimensions),
                          "one dimension, as in that dialect's reference",
                          "--dialect npunet does several"});
    }
}

std::vector<engine::NodePlace> places_of(const topology::NetworkDescription& network) {
    std::vector<engine::NodePlace> places;
    for (const topology::NodeSpot& spot : topology::layout_of(network)) {
        places.push_back({network.graph.name(NodeId(places.size())), spot.x, spot.y});
    }
    return places;
}

/// What a run says beyond its simulation.
void complete(engine::Results& results, const engine::Workload& workload, const Machine& machine,
              Fidelity fidelity, const engine::QueuePairLimits& pairs) {
    if (!results.partial && results.finish > Time()) {
        for (std::string& note : notes_on_idle_links(workload, machine.network, results)) {
            results.notes.push_back(std::move(note));
        }
    }
    results.carriers = carriers_of(workload, machine.network, results, results);
    results.fidelity = name_of(fidelity);
    note_link_bound(results);
    for (std::string& note : notes_on_bounds(machine.network, results, results.links)) {
        results.notes.push_back(std::move(note));
    }
    if (std::string note = tensor_group_note(workload, machine.dialect, machine.network);
        !note.empty()) {
        results.notes.push_back(std::move(note));
    }
    results.resolved = resolve(machine, fidelity, pairs);
    for (std::string& note : notes_on_marks(machine.network, results)) {
        results.notes.push_back(std::move(note));
    }
    if (std::string note = fidelity_note(machine, fidelity); !note.empty()) {
        results.notes.push_back(std::move(note));
    }
}

void add_load(engine::Results& results, const engine::LinkLoadRecorder& load,
              const Machine& machine) {
    results.load = load.load(results.finish);
    results.places = places_of(machine.network);
}

engine::Results run_elsewhere(const engine::Workload& workload, const Machine& machine,
                              const RunOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    check_fidelity(machine, Fidelity::Packet);
    engine::LinkLoadRecorder load(options.link_load ? machine.network.graph.links() : 0);
    const engine::SimulatorRun run = options.packet_simulator(
        {{workload, machine.system, machine.network.npu_of_rank, Time(), ""}}, machine.network,
        options.packet.fast_forward, options.link_load ? &load : nullptr);
    if (const std::string& stalled = run.jobs.front().stalled; !stalled.empty()) {
        throw StallError(stalled);
    }
    engine::Results results = run.jobs.front().results;
    complete(results, workload, machine, Fidelity::Packet, run.limits);
    if (options.link_load) {
        add_load(results, load, machine);
    }
    results.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return results;
}

/// The results; or none, where the run has to be made again: one that stalls for its explanation,
/// with other options, which are then set; one in which collectives met with the same memories.
std::optional<engine::Results> attempt(const engine::Workload& workload, const Machine& machine,
                                       Fidelity fidelity, RunOptions& options,
                                       engine::CollectiveMemories& memories) {
    const auto begin = std::chrono::steady_clock::now();
    engine::CollectivePlanner& planner = *options.planner;
    engine::Fold fold;
    std::optional<analytical::LinkFold> links;
    const bool ports = Rate() < machine.network.packet.injection;
    if (options.fold && !options.flows &&
        (fidelity == Fidelity::Analytical || (fidelity == Fidelity::Fluid && !ports))) {
        fold = engine::find_fold(workload, machine.network, machine.system, machine.dialect,
                                 planner, fidelity != Fidelity::Analytical);
    }
    if (fidelity == Fidelity::Fluid && !fold.trivial()) {
        links = analytical::LinkFold::find(machine.network, fold);
        if (!links) {
            fold = engine::Fold();
        }
    }
    engine::EventQueue queue(machine.dialect.event_order);
    if (options.shuffle_seed) {
        queue.shuffle_insertions(*options.shuffle_seed);
    }
    const std::unique_ptr<engine::Network> network =
        make_network(machine, fidelity, queue, options, fold, links ? &*links : nullptr);
    engine::LinkLoadRecorder load(options.link_load ? machine.network.graph.links() : 0);
    const bool records = options.link_load && fidelity != Fidelity::Analytical;
    if (records) {
        network->record_load(&load);
    }
    std::optional<FlowWatch> watch;
    if (options.flows) {
        watch.emplace(machine, fidelity, *network, queue, options.each_message);
    }
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  watch ? watch->network() : *network, fold, engine::RankShare(),
                                  &planner);
    simulation.set_timeline(options.timeline);
    simulation.set_collectives(options.collectives);
    if (options.packet.fast_forward && !options.flows && !options.max_time) {
        simulation.remember_collectives(memories, records ? &load : nullptr);
    }
    const RunStopper stopper(queue, {&simulation}, options);
    try {
        engine::Results results = simulation.run();
        if (stopper.came_to_a_stall()) {
            // The explanation is to tell when, and not the time of the limit.
            options.max_time.reset();
            return std::nullopt;
        }
        if (results.partial) {
            results.partial->reason = stopper.reason();
        }
        engine::QueuePairLimits pairs = network->queue_pair_limits();
        pairs.join(memories.queue_pair_limits());
        complete(results, workload, machine, fidelity, pairs);
        for (std::string& note : network->notes(results.finish)) {
            results.notes.push_back(std::move(note));
        }
        results.congestion = network->congestion_times(results.finish);
        if (records) {
            add_load(results, load, machine);
        }
        if (watch) {
            results.flows = watch->results();
        }
        results.wall_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return results;
    } catch (const engine::CollectivesMet&) {
        memories.run_again(queue.handled());
        return std::nullopt;
    } catch (const analytical::FoldBroken&) {
        // Links that stand for others would have to be shared out.
    } catch (const StallError&) {
        if (memories.relies_on_buffers()) {
            // What has stalled may have met what was simulated apart.
            memories.let_buffers_matter();
            memories.run_again(queue.handled());
            return std::nullopt;
        }
        if (fold.trivial()) {
            throw;
        }
        // The explanation is to name every rank that is stuck.
    }
    options.fold = false;
    return std::nullopt;
}

constexpr Fidelity fidelities[] = {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Fluid,
                                   Fidelity::Packet};

}  // namespace

void check_fidelity(const Machine& machine, Fidelity fidelity) {
    if (machine.dialect.whole_nanoseconds) {
        check_reference(machine, fidelity);
    }
}

Fidelity fidelity_named(const std::string& name, const std::string& option) {
    for (const Fidelity fidelity : fidelities) {
        if (name == name_of(fidelity)) {
            return fidelity;
        }
    }
    throw InputError(
        {option, "", "'" + name + "'", "analytical, fluid, packet or congestion-aware", ""});
}

const char* name_of(Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::Analytical:
            return "analytical";
        case Fidelity::CongestionAware:
            return "congestion-aware";
        case Fidelity::Fluid:
            return "fluid";
        case Fidelity::Packet:
            break;
    }
    return "packet";
}

Machine load_machine(const std::string& network_file, const std::string& system_file,
                     const std::string& dialect, const std::string& memory_file,
                     const topology::NetworkChanges& changes) {
    Machine machine;
    machine.dialect = engine::Dialect::named(dialect);
    machine.network =
        topology::read_network(network_file, machine.dialect.gigabyte,
                               machine.dialect.tolerant_input, &machine.warnings, changes);
    machine.system = system_file.empty() ? engine::default_system_config(machine.dialect)
                                         : engine::read_system_config(system_file, machine.dialect,
                                                                      machine.warnings);
    if (!memory_file.empty()) {
        machine.system.remote_memory =
            engine::read_remote_memory(memory_file, machine.dialect, machine.warnings);
    }
    return machine;
}

engine::WorkloadOptions workload_options(const Machine& machine) {
    engine::WorkloadOptions options;
    options.collectives_in_program_order = !machine.dialect.one_communication_at_a_time;
    options.launches_groups =
        machine.system.library != nullptr && machine.system.library->launches_groups;
    options.tensors = machine.system.track_memory;
    options.issue_order = machine.dialect.issue_order;
    options.broadcasts_replay = machine.dialect.broadcasts_replay;
    options.group_names_are_numbers = machine.dialect.group_names_are_numbers;
    options.group_zero_is_all = machine.dialect.group_zero_is_all;
    options.network = &machine.network;
    return options;
}

engine::Workload load_workload_for(const Machine& machine, const std::string& prefix,
                                   const std::string& group_file, engine::EmptyTraces empty) {
    const bool none = machine.dialect.empty_group_file_means_none &&
                      group_file.find("empty") != std::string::npos;
    engine::WorkloadOptions options = workload_options(machine);
    options.empty_traces = empty;
    engine::Workload workload = engine::load_workload(prefix, none ? "" : group_file,
                                                      machine.network.npu_of_rank.size(), options);
    mark_dimensions(workload);
    return workload;
}

engine::Results simulate(const engine::Workload& workload, const Machine& machine,
                         Fidelity fidelity, const RunOptions& options) {
    if (options.packet_simulator && fidelity == Fidelity::Packet) {
        return run_elsewhere(workload, machine, options);
    }
    check_fidelity(machine, fidelity);
    RunOptions attempted = options;
    std::optional<engine::CollectivePlanner> planner;
    if (options.planner == nullptr) {
        attempted.planner =
            &planner.emplace(machine.network, machine.system, machine.dialect, workload);
    }
    engine::CollectiveMemories memories(
        {workload, machine.network, machine.system, machine.dialect, *attempted.planner},
        [&](engine::EventQueue& queue) { return make_network(machine, fidelity, queue, options); },
        options.link_load && fidelity != Fidelity::Analytical);
    for (;;) {
        if (std::optional<engine::Results> results =
                attempt(workload, machine, fidelity, attempted, memories)) {
            return *std::move(results);
        }
    }
}

}  // namespace npunet::study
