// Machines and workloads of the tests of jobs.
#pragma once

#include <cstdint>
#include <vector>

#include "as_machine.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::study {

inline constexpr Rate rate(50'000'000'000);
inline constexpr Time latency = Time::ns(500);

inline std::vector<NodeId> npus(const std::vector<std::int32_t>& numbers) {
    std::vector<NodeId> list;
    for (const std::int32_t number : numbers) {
        list.emplace_back(number);
    }
    return list;
}

/// Compute, two collectives of which the second waits for the first, compute beside them.
inline engine::Workload training(std::size_t ranks, std::int64_t bytes) {
    return test::workload_of(ranks, [bytes](Rank) {
        return std::vector{
            test::compute_node(1, 3),
            test::collective_node(2, chakra::CollectiveType::AllReduce, bytes, "", {1}),
            test::collective_node(3, chakra::CollectiveType::AllGather, bytes / 4, "", {2}),
            test::compute_node(4, 7, {1})};
    });
}

/// One message from rank 0 to rank 1.
inline engine::Workload message(std::int64_t bytes) {
    return test::workload_of(2, [bytes](Rank rank) {
        return std::vector{rank == Rank(0) ? test::send_node(1, 1, bytes)
                                           : test::receive_node(1, 0, bytes)};
    });
}

inline Machine torus() {
    return as_machine(test::torus_machine(4, 4, rate, latency));
}

}  // namespace npunet::study
