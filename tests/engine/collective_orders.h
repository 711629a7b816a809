// Machines and looks at orders for the tests of program order.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/workload.h"
#include "tests/support/machines.h"

namespace npunet::test {

constexpr Rate full_rate(100'000'000'000);
constexpr Time full_latency = Time::ns(500);

/// A link between every two.
inline TestMachine full_machine(std::int64_t npus) {
    return line_machine(topology::DimensionKind::FullyConnected, npus, full_rate, full_latency);
}

/// Ids of a rank's collectives on a slot, as they run.
inline std::vector<std::uint64_t> order_of(const engine::Workload& workload, Rank rank,
                                           std::size_t slot = 0) {
    std::vector<std::uint64_t> ids;
    const engine::RankProgram& program = workload.program(rank);
    for (const std::uint32_t number : program.collectives_of[slot]) {
        ids.push_back(workload.node_of(rank, program.operations[number]));
    }
    return ids;
}

}  // namespace npunet::test
