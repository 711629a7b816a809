// Collectives of a communication library on machines for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "as_machine.h"
#include "engine/collective_library/library_profile.h"
#include "generators/collective_benchmark.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "topology/network/reducing_switches.h"

namespace npunet::study {

/// "nccl-2.29"; with an override, only what it names.
inline std::shared_ptr<const engine::LibraryInUse> library_of(
    const char* gpu, const engine::LibraryOverride& override = {}) {
    std::vector<std::string> warnings;
    const engine::LibraryProfile profile = engine::find_library_profile("nccl-2.29", "", warnings);
    engine::LibraryInUse library = engine::library_in_use(profile, profile.gpu(gpu, "test", "gpu"));
    library.override = override;
    return std::make_shared<const engine::LibraryInUse>(std::move(library));
}

inline Machine switch_of(std::int32_t npus, Rate rate, Time latency) {
    return as_machine(test::line_machine(topology::DimensionKind::Switch, npus, rate, latency));
}

/// Nodes of GPUs on a switch each, 450 GB/s a link, and a switch of 50 GB/s for every place in a
/// node.
inline Machine nodes_of(std::int32_t per_node, std::int32_t nodes) {
    test::TestMachine machine;
    machine.network =
        topology::make_network({topology::make_dimension(topology::DimensionKind::Switch, per_node,
                                                         Rate(450'000'000'000), Time::ns(50)),
                                topology::make_dimension(topology::DimensionKind::Switch, nodes,
                                                         Rate(50'000'000'000), Time::ns(500))});
    return as_machine(machine);
}

/// All switches of a dimension reduce.
inline Machine reducing(Machine machine, std::int32_t dimension = 0,
                        const topology::ReducingSwitch& limits = {}) {
    topology::let_switches_of_dimension_reduce(dimension, limits, machine.network);
    return machine;
}

/// One collective of all NPUs by the machine's library; `bytes` as in the trace.
inline engine::Results run_on(const Machine& machine, engine::CollectiveKind kind,
                              std::int64_t bytes, Fidelity fidelity) {
    generators::CollectiveBenchmark benchmark;
    for (const auto& [name, type] : generators::benchmark_types()) {
        if (name == engine::name_of(kind)) {
            benchmark.type = type;
        }
    }
    benchmark.npus = static_cast<std::int32_t>(machine.network.npu_of_rank.size());
    benchmark.size = Bytes(bytes);
    return simulate(workload_from(generators::generate(benchmark), workload_options(machine)),
                    machine, fidelity, {});
}

/// The same by the library on a GPU type.
inline engine::Results run_of(Machine machine, const char* gpu, engine::CollectiveKind kind,
                              std::int64_t bytes, Fidelity fidelity) {
    machine.system.library = library_of(gpu);
    return run_on(machine, kind, bytes, fidelity);
}

}  // namespace npunet::study
