#include "study/simulation_run.h"

#include <chrono>
#include <memory>
#include <mutex>

#include "analytical/congestion_unaware.h"
#include "base/errors.h"
#include "engine/simulation.h"
#include "ns3-module/api/packet_network.h"

namespace npunet::study {

namespace {

std::unique_ptr<engine::Network> make_network(const Machine& machine, Fidelity fidelity,
                                              engine::EventQueue& queue) {
    if (fidelity == Fidelity::Analytical) {
        return std::make_unique<analytical::CongestionUnaware>(machine.network, queue,
                                                               machine.dialect);
    }
    check_fidelity(machine, fidelity);
    return make_packet_network(machine.network, queue);
}

/// ns-3 has one simulator a process.
std::unique_lock<std::mutex> turn_for(Fidelity fidelity) {
    static std::mutex packet_level;
    return fidelity == Fidelity::Packet ? std::unique_lock<std::mutex>(packet_level)
                                        : std::unique_lock<std::mutex>();
}

}  // namespace

void check_fidelity(const Machine& machine, Fidelity fidelity) {
    if (fidelity == Fidelity::Packet && machine.dialect.whole_nanoseconds) {
        throw InputError({"--fidelity", "", "packet with --dialect " + machine.dialect.name,
                          "--dialect npunet at packet level",
                          "The astra-sim dialects order simultaneous events by insertion, which a "
                          "packet network has no counterpart for"});
    }
    if (fidelity == Fidelity::Packet && !packet_fidelity_available()) {
        throw InputError({"--fidelity", "", "packet in a build without ns-3", "analytical",
                          "Install libns3-dev and build again, or leave packet out"});
    }
}

Fidelity fidelity_named(const std::string& name, const std::string& option) {
    if (name == "analytical") {
        return Fidelity::Analytical;
    }
    if (name == "packet") {
        return Fidelity::Packet;
    }
    throw InputError({option, "", "'" + name + "'", "analytical or packet", ""});
}

const char* name_of(Fidelity fidelity) {
    return fidelity == Fidelity::Analytical ? "analytical" : "packet";
}

Machine load_machine(const std::string& network_file, const std::string& system_file,
                     const std::string& dialect) {
    Machine machine;
    machine.dialect = engine::Dialect::named(dialect);
    machine.network = topology::read_network(network_file, machine.dialect.gigabyte,
                                             machine.dialect.tolerant_input, &machine.warnings);
    if (!system_file.empty()) {
        machine.system = engine::read_system_config(system_file, machine.dialect, machine.warnings);
    }
    return machine;
}

engine::WorkloadOptions workload_options(const Machine& machine) {
    engine::WorkloadOptions options;
    options.collectives_in_program_order = !machine.dialect.one_communication_at_a_time;
    options.tensors = machine.system.track_memory;
    return options;
}

engine::Workload load_workload_for(const Machine& machine, const std::string& prefix,
                                   const std::string& group_file) {
    return engine::load_workload(prefix, group_file, machine.network.graph.npus(),
                                 workload_options(machine));
}

engine::Results simulate(const engine::Workload& workload, const Machine& machine,
                         Fidelity fidelity, std::optional<std::uint64_t> shuffle_seed) {
    const std::unique_lock<std::mutex> turn = turn_for(fidelity);
    const auto begin = std::chrono::steady_clock::now();
    engine::EventQueue queue(machine.dialect.event_order);
    if (shuffle_seed) {
        queue.shuffle_insertions(*shuffle_seed);
    }
    const std::unique_ptr<engine::Network> network = make_network(machine, fidelity, queue);
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  *network);
    engine::Results results = simulation.run();
    results.fidelity = name_of(fidelity);
    results.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return results;
}

}  // namespace npunet::study
