// The four extensions at work: a topology, a collective algorithm, a generator in what npunet has
// already, and a network model in the place of its own. docs/extending.md tells the story.

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "base/errors.h"
#include "crossbar_network.h"
#include "engine/simulation/simulation.h"
#include "generators/collective_benchmark.h"
#include "moebius_ladder.h"
#include "neighbor_exchange.h"
#include "parameter_server.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"

namespace {

using namespace npunet;

void print(const char* what, Time time) {
    fmt::print("{:<48}{:>12} ps\n", what, time.ps());
}

/// What study::simulate() does for the fidelities that npunet has.
Time on_a_crossbar(const engine::Workload& workload, const study::Machine& machine) {
    engine::EventQueue queue(machine.dialect.event_order);
    extending::CrossbarNetwork network(machine.network, queue, machine.dialect);
    engine::Simulation simulation(workload, machine.network, machine.system, machine.dialect, queue,
                                  network);
    return simulation.run().finish;
}

Time estimate(const engine::Workload& workload, const study::Machine& machine) {
    return study::simulate(workload, machine, study::Fidelity::Analytical).finish;
}

/// An all-gather of 1 MiB of every rank.
generators::GeneratedWorkload all_gather(const study::Machine& machine) {
    generators::CollectiveBenchmark benchmark;
    benchmark.type = generators::BenchmarkType::AllGather;
    benchmark.size = Bytes(1 << 20);
    benchmark.npus = static_cast<std::int32_t>(machine.network.graph.npus());
    return generators::generate(benchmark);
}

int run(const std::string& network_file, const std::string& system_file) {
    topology::add_standalone_network("MoebiusLadder", extending::read_moebius_ladder);
    extending::neighbor_exchange::add();
    const study::Machine machine = study::load_machine(network_file, system_file, "npunet");
    study::Machine ring_machine = machine;
    ring_machine.system.implementations(engine::CollectiveKind::AllGather) = {
        engine::Implementation{}};
    const auto gather = study::workload_from(all_gather(machine), study::workload_options(machine));
    print("all-gather by ring", estimate(gather, ring_machine));
    print("all-gather by neighbor exchange", estimate(gather, machine));
    print("all-gather by neighbor exchange, crossbar", on_a_crossbar(gather, machine));

    extending::ParameterServer job;
    job.workers = static_cast<std::int32_t>(machine.network.graph.npus()) - 1;
    job.gradients = Bytes(1 << 20);
    job.worker_ns = 100'000;
    job.server_ns = 10'000;
    const auto training =
        study::workload_from(extending::generate(job), study::workload_options(machine));
    print("a step with a parameter server", estimate(training, machine));
    print("a step with a parameter server, crossbar", on_a_crossbar(training, machine));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: all_four NETWORK.yml SYSTEM.json\n");
        return 2;
    }
    try {
        return run(argv[1], argv[2]);
    } catch (const InputError& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
