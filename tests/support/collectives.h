// One collective of all NPUs on the quick network, for tests of times.
//
//     TestMachine machine = line_machine(DimensionKind::FullyConnected, 8, rate, latency);
//     machine.use(Algorithm::HalvingDoubling);
//     Time t = collective_time(CollectiveType::AllReduce, 4096, machine);
#pragma once

#include "tests/support/machines.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::test {

inline engine::Results collective_run(chakra::CollectiveType type, std::int64_t bytes,
                                      const TestMachine& machine, std::int64_t root = -1) {
    return run(workload_of(machine.network.graph.npus(),
                           [&](Rank) {
                               chakra::Node node = collective_node(1, type, bytes);
                               if (root >= 0) {
                                   node.set_integer("comm_root", root);
                               }
                               return std::vector{node};
                           }),
               machine);
}

/// When the last NPU is done; `bytes` as in a trace.
inline Time collective_time(chakra::CollectiveType type, std::int64_t bytes,
                            const TestMachine& machine, std::int64_t root = -1) {
    return collective_run(type, bytes, machine, root).finish;
}

/// The algorithm of that name, which exists.
inline engine::Implementation implementation(const std::string& name) {
    return engine::Implementation::named(name).value();
}

}  // namespace npunet::test
