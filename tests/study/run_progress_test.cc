// How far a run says that it is: the share of the bytes that it sends.

#include <gtest/gtest.h>

#include <vector>

#include "study/simulation_run.h"
#include "tests/study/as_machine.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::study::run_progress_test {
namespace {

using chakra::CollectiveType;

std::vector<double> shares_of(const engine::Workload& workload, bool fast_forward) {
    const Machine machine = as_machine(test::ring_machine(4, Rate(50'000'000'000), Time::ns(500)));
    std::vector<double> shares;
    RunOptions options;
    options.packet.fast_forward = fast_forward;
    options.watch = [&](const RunProgress& progress) {
        shares.push_back(progress.share);
        return "";
    };
    (void)simulate(workload, machine, Fidelity::Packet, options);
    return shares;
}

// One operation of each rank: the nodes say nothing until the end. Packet by packet every share of
// the bytes takes as many events, and half of a message counts while it is under way: a message is
// a third of the bytes of an all-gather.
TEST(RunProgress, GrowsWithTheBytesOfACollective) {
    for (const CollectiveType type :
         {CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter}) {
        const std::int64_t bytes = type == CollectiveType::AllGather ? 64 << 20 : 256 << 20;
        const engine::Workload workload = test::workload_of(
            4, [&](Rank) { return std::vector{test::collective_node(1, type, bytes)}; });
        const std::vector<double> shares = shares_of(workload, false);
        ASSERT_GE(shares.size(), 8U);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const double events =
                static_cast<double>(i + 1) / static_cast<double>(shares.size() + 1);
            EXPECT_LE(shares[i], events + 1.0 / 6 + 0.1) << i;
            EXPECT_GE(shares[i], events - 1.0 / 6 - 0.1) << i;
            EXPECT_GE(shares[i], i == 0 ? 0 : shares[i - 1]);
        }
    }
}

}  // namespace
}  // namespace npunet::study::run_progress_test
