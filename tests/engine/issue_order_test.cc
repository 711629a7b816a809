// In which order ready nodes start: ascending ids, or the walk over a hashed container, where the
// ids, the order of the file and the history matter; and what follows when members of a group walk
// differently.

#include "engine/program/issue_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::issue_order_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

test::TestMachine machine_of(std::int64_t npus, const std::string& dialect) {
    test::TestMachine machine = test::ring_machine(npus, Rate(50'000'000'000), Time::ns(500));
    machine.dialect = engine::Dialect::named(dialect);
    machine.system = engine::default_system_config(machine.dialect);
    return machine;
}

engine::Results run(std::int64_t npus, const std::string& dialect, const test::NodesOf& nodes) {
    const test::TestMachine machine = machine_of(npus, dialect);
    return test::run(test::workload_of(static_cast<std::size_t>(npus), nodes, {},
                                       test::options_of(machine.dialect)),
                     machine);
}

/// The ids of one rank's nodes in the order in which they start.
std::vector<std::uint64_t> order_of(const std::string& dialect,
                                    const std::vector<chakra::Node>& nodes) {
    std::vector<std::uint64_t> ids;
    for (const engine::Operation& operation :
         run(1, dialect, [&](Rank) { return nodes; }).operations) {
        ids.push_back(operation.node);
    }
    return ids;
}

// Nodes 1, 2, 3 are ready at the start and a fourth waits for 1; one runs at a time. The container
// of nodes is walked as 3, 2, 1 (each new one goes to the front; the fourth, entered last, is not
// ready), so the container of ready nodes is walked as 1, 2, 3. When 1 is done, node 4 goes to its
// front: 4, 2, 3. Had it the number 16 = 3 + 13, it would share the bucket of 3 and stand before
// that one: 2, 16, 3.
TEST(IssueOrder, FollowsTheHashedContainer) {
    const auto nodes = [](std::uint64_t fourth) {
        return std::vector{compute_node(1, 10), compute_node(2, 10), compute_node(3, 10),
                           compute_node(fourth, 10, {1})};
    };
    EXPECT_THAT(order_of("astra-sim-2025-03", nodes(4)), ElementsAre(1, 4, 2, 3));
    EXPECT_THAT(order_of("astra-sim-2025-03", nodes(16)), ElementsAre(1, 2, 16, 3));
    EXPECT_THAT(order_of("astra-sim", nodes(4)), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(order_of("npunet", nodes(16)), ElementsAre(1, 2, 3, 16));
}

// The order of the nodes in the file matters, and so do dependencies on nodes that come later in
// it: file 3, 2, 1 is found as 1, 2, 3 and walked as 3, 2, 1. In the file 5 (which waits for 1 and
// 2), 1, 2, 3 the container of those that 5 waits for is walked as 2, 1, so the container of nodes
// is entered in the order 5, 2, 1, 3, found as 3, 1, 2, and the ready ones are walked as 2, 1, 3.
TEST(IssueOrder, FollowsTheFile) {
    EXPECT_THAT(order_of("astra-sim-2025-03",
                         {compute_node(3, 10), compute_node(2, 10), compute_node(1, 10)}),
                ElementsAre(3, 2, 1));
    const std::vector<chakra::Node> forward{compute_node(5, 10, {1, 2}), compute_node(1, 10),
                                            compute_node(2, 10), compute_node(3, 10)};
    EXPECT_THAT(order_of("astra-sim-2025-03", forward), ElementsAre(2, 1, 5, 3));
    EXPECT_THAT(order_of("astra-sim", forward), ElementsAre(1, 2, 3, 5));
}

// Children enter the container of their parent in the order of the file, 2, 3, 4, and are walked
// as 4, 3, 2; each goes to the front of the ready ones: 2, 3, 4.
TEST(IssueOrder, ReleasesChildrenAsTheyAreWalked) {
    EXPECT_THAT(order_of("astra-sim-2025-03", {compute_node(1, 10), compute_node(2, 10, {1}),
                                               compute_node(3, 10, {1}), compute_node(4, 10, {1})}),
                ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(order_of("astra-sim-2025-03", {compute_node(1, 10), compute_node(4, 10, {1}),
                                               compute_node(3, 10, {1}), compute_node(2, 10, {1})}),
                ElementsAre(1, 4, 3, 2));
}

// Where nothing is under way no completion comes after which the reference would look again. What
// waits for an operation that takes no time begins all the same.
TEST(IssueOrder, WhatFollowsAnOperationWithoutTimeBegins) {
    chakra::Node metadata;
    metadata.id = 1;
    metadata.type = chakra::NodeType::Metadata;
    chakra::Node invalid = metadata;
    invalid.id = 2;
    invalid.type = chakra::NodeType::Invalid;
    invalid.data_deps = {1};
    for (const char* dialect : {"npunet", "astra-sim", "astra-sim-2025-03"}) {
        const engine::Results results = run(2, dialect, [&](Rank) {
            return std::vector{metadata, invalid, compute_node(3, 10, {2})};
        });
        EXPECT_EQ(results.finish, Time::ns(10'000)) << dialect;
    }
    // Beside a compute of 10 us, the reference looks again after that only.
    chakra::Node host = compute_node(4, 5, {1});
    host.set_bool("is_cpu_op", true);
    const auto beside = [&](const char* dialect) {
        return run(1, dialect,
                   [&](Rank) {
                       return std::vector{metadata, compute_node(3, 10), host};
                   })
            .finish;
    };
    EXPECT_EQ(beside("npunet"), Time::ns(10'000));
    EXPECT_EQ(beside("astra-sim"), Time::ns(15'000));
}

/// Two collectives, in opposite order in the files of the two ranks.
std::vector<chakra::Node> crossed(Rank rank, CollectiveType first, CollectiveType second,
                                  std::int64_t second_bytes) {
    const std::uint64_t base = rank == Rank(0) ? 0 : 10;
    std::vector<chakra::Node> nodes{collective_node(base + 1, first, 4096),
                                    collective_node(base + 2, second, second_bytes)};
    if (rank == Rank(1)) {
        std::swap(nodes[0], nodes[1]);
    }
    return nodes;
}

// Rank 0 walks to its all-reduce first, rank 1 to its all-gather: they cannot meet. The message
// names both, and the dialect in which they do.
TEST(IssueOrder, UnequalCollectivesStall) {
    const auto nodes = [](Rank rank) {
        return crossed(rank, CollectiveType::AllReduce, CollectiveType::AllGather, 1024);
    };
    const std::string text =
        message_of<StallError>([&] { static_cast<void>(run(2, "astra-sim-2025-03", nodes)); });
    EXPECT_THAT(text, AllOf(HasSubstr("rank 0 runs all_reduce of 4096 bytes (node 1 "),
                            HasSubstr("rank 1 runs all_gather of 1024 bytes (node 12 "),
                            HasSubstr("try --dialect astra-sim")));
    EXPECT_EQ(run(2, "astra-sim", nodes).collectives.size(), 2U);
}

// The same type with another size does not meet either.
TEST(IssueOrder, UnequalSizesStall) {
    const auto nodes = [](Rank rank) {
        return crossed(rank, CollectiveType::AllReduce, CollectiveType::AllReduce, 8192);
    };
    EXPECT_THAT(
        message_of<StallError>([&] { static_cast<void>(run(2, "astra-sim-2025-03", nodes)); }),
        AllOf(HasSubstr("4096"), HasSubstr("8192")));
}

// Equal type and size: the first of one rank meets the second of the other, and they cannot be told
// apart.
TEST(IssueOrder, EqualCollectivesOfDifferentNodesGoOn) {
    const auto nodes = [](Rank rank) {
        return crossed(rank, CollectiveType::AllReduce, CollectiveType::AllReduce, 4096);
    };
    const engine::Results walked = run(2, "astra-sim-2025-03", nodes);
    const engine::Results ascending = run(2, "astra-sim", nodes);
    EXPECT_EQ(walked.finish, ascending.finish);
    ASSERT_EQ(walked.operations.size(), 4U);
    EXPECT_EQ(walked.operations[0].node, 1U);
    EXPECT_EQ(walked.operations[2].node, 12U);
    EXPECT_EQ(walked.operations[0].start, walked.operations[2].start);
}

// A receive without a send stalls in this dialect too; the remedy does no harm there.
TEST(IssueOrder, OtherStallsAreExplainedAsEver) {
    EXPECT_THAT(message_of<StallError>([] {
                    static_cast<void>(run(2, "astra-sim-2025-03", [](Rank rank) {
                        return rank == Rank(0) ? std::vector{test::receive_node(1, 1, 8)}
                                               : std::vector<chakra::Node>{};
                    }));
                }),
                HasSubstr("node 1 'receive_1' waits for a message of 8 bytes"));
}

// A broadcast lasts as recorded, or 1 ns, on each rank alone, in the place of a communication: the
// all-reduce that is ready with it waits. The other rank's broadcast may be absent.
TEST(IssueOrder, BroadcastsAreReplayed) {
    chakra::Node broadcast = collective_node(1, CollectiveType::Broadcast, 4096);
    broadcast.duration_micros = 5;
    const engine::Results results = run(2, "astra-sim", [&](Rank rank) {
        return rank == Rank(0) ? std::vector{broadcast} : std::vector<chakra::Node>{};
    });
    EXPECT_EQ(results.finish, Time::ns(5000));
    EXPECT_EQ(results.npus[0].communication, Time::ns(5000));
    EXPECT_EQ(results.npus[1].finish, Time());
    broadcast.duration_micros = 0;
    const auto both = [&](Rank) {
        return std::vector{broadcast, collective_node(2, CollectiveType::AllReduce, 4096)};
    };
    const engine::Results beside = run(2, "astra-sim", both);
    EXPECT_EQ(beside.operations[0].end, Time::ns(1));
    EXPECT_EQ(beside.operations[1].start, Time::ns(1));
}

// CPU operations last as recorded, or 1 ns, with a roofline too, and beside the compute.
TEST(IssueOrder, CpuOperationsAreReplayed) {
    test::TestMachine machine = machine_of(1, "astra-sim");
    machine.system.roofline = true;
    machine.system.compute = {1, 1};
    chakra::Node cpu = compute_node(1, 0);
    cpu.set_bool("is_cpu_op", true);
    cpu.set_integer("num_ops", 1'000'000'000);
    cpu.set_integer("tensor_size", 1);
    chakra::Node longer = cpu;
    longer.id = 2;
    longer.duration_micros = 3;
    chakra::Node gpu = cpu;
    gpu.id = 3;
    gpu.set_bool("is_cpu_op", false);
    gpu.set_integer("tensor_size", 1'000'000);  // 1 ms by either bound
    const engine::Results results = test::run(test::workload_of(
                                                  1,
                                                  [&](Rank) {
                                                      return std::vector{cpu, longer, gpu};
                                                  },
                                                  {}, test::options_of(machine.dialect)),
                                              machine);
    EXPECT_EQ(results.npus[0].cpu, Time::ns(3001));
    EXPECT_EQ(results.npus[0].compute, Time::ns(1'000'000));
    EXPECT_EQ(results.finish, Time::ns(1'000'000));
}

}  // namespace
}  // namespace npunet::issue_order_test
