#include "engine/simulation/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::simulation_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::message_of;
using test::receive_node;
using test::run;
using test::send_node;
using ::testing::HasSubstr;

constexpr std::int64_t rate = 50'000'000'000;
constexpr Time latency = Time::ns(500);

// One compute at a time, lowest id first; a CPU operation runs beside it: 10 + 20 us of compute,
// 25 us of CPU work from the start, so the NPU is busy for 30 us.
TEST(Simulation, OneComputeAndOneCpuOperationAtATime) {
    const test::TestMachine machine = test::ring_machine(1, Rate(rate), latency);
    chakra::Node cpu = compute_node(3, 25);
    cpu.set_bool("is_cpu_op", true);
    const engine::Results results =
        run(test::workload_of(1,
                              [&](Rank) {
                                  return std::vector{compute_node(2, 20), compute_node(1, 10), cpu};
                              }),
            machine);
    EXPECT_EQ(results.finish, Time::ns(30'000));
    ASSERT_EQ(results.operations.size(), 3U);
    EXPECT_EQ(results.operations[0].node, 1U);
    EXPECT_EQ(results.operations[1].node, 3U);
    EXPECT_EQ(results.operations[2].node, 2U);
    EXPECT_EQ(results.operations[2].start, Time::ns(10'000));
    EXPECT_EQ(results.npus[0].compute, Time::ns(30'000));
}

// Roofline: max(num_ops / peak, bytes / bandwidth), rounded up to a picosecond. 3e9 operations at
// 1 TFLOPS are 3 ms; 6e6 bytes at 1 GB/s are 6 ms.
TEST(Simulation, Roofline) {
    test::TestMachine machine = test::ring_machine(1, Rate(rate), latency);
    machine.system.roofline = true;
    machine.system.compute = {1, 1};
    const auto workload = [](std::int64_t operations, std::int64_t bytes) {
        return test::workload_of(1, [=](Rank) {
            chakra::Node node = compute_node(1, 0);
            node.set_integer("num_ops", operations);
            node.set_integer("tensor_size", bytes);
            return std::vector{node};
        });
    };
    const engine::Results bound = run(workload(3'000'000'000, 1'000'000), machine);
    EXPECT_EQ(bound.finish, Time::ns(3'000'000));
    EXPECT_EQ(bound.npus[0].compute_bound_percent, 100);
    EXPECT_EQ(bound.npus[0].operation_intensity, 3000);
    const engine::Results memory = run(workload(3'000'000'000, 6'000'000), machine);
    EXPECT_EQ(memory.finish, Time::ns(6'000'000));
    EXPECT_EQ(memory.npus[0].compute_bound_percent, 0);
    EXPECT_EQ(memory.npus[0].compute_utilization_percent, 50);
    EXPECT_EQ(memory.npus[0].memory_utilization_percent, 100);
}

// finish = compute + exposed communication + idle, to the picosecond, with communication partly
// hidden behind compute and one rank waiting for the other.
TEST(Simulation, PartsSumToTheFinish) {
    const test::TestMachine machine = test::ring_machine(4, Rate(rate), latency);
    const engine::Results results = run(
        test::workload_of(4,
                          [](Rank rank) {
                              const auto r = static_cast<std::uint64_t>(rank.value());
                              std::vector<chakra::Node> nodes{
                                  compute_node(1, 7 + 13 * r),
                                  collective_node(2, CollectiveType::AllReduce, 1'000'003, "", {1}),
                                  compute_node(3, 11, {1}),
                                  collective_node(4, CollectiveType::AllToAll, 77'777, "", {3})};
                              nodes.push_back(rank == Rank(0) ? send_node(5, 2, 123'457, 0, {4})
                                                              : compute_node(5, 3, {4}));
                              if (rank == Rank(2)) {
                                  nodes.push_back(receive_node(6, 0, 123'457));
                              }
                              return nodes;
                          }),
        machine);
    for (const engine::NpuResult& npu : results.npus) {
        EXPECT_EQ(npu.finish,
                  npu.compute + npu.exposed_communication + npu.exposed_memory + npu.idle);
        EXPECT_GE(npu.idle, Time());
        EXPECT_LE(npu.exposed_communication, npu.communication);
    }
}

// Collectives of one communicator run in program order, one at a time, even when a later one is
// ready earlier on some rank: otherwise rank 1's all-gather would meet rank 0's all-reduce.
TEST(Simulation, CollectivesOfACommunicatorKeepProgramOrder) {
    const test::TestMachine machine = test::ring_machine(2, Rate(rate), latency);
    const engine::Results results =
        run(test::workload_of(2,
                              [](Rank rank) {
                                  const std::uint64_t wait = rank == Rank(0) ? 1 : 50;
                                  return std::vector{
                                      compute_node(1, wait),
                                      collective_node(2, CollectiveType::AllReduce, 4096, "", {1}),
                                      collective_node(3, CollectiveType::AllGather, 4096)};
                              }),
            machine);
    ASSERT_EQ(results.collectives.size(), 2U);
    EXPECT_EQ(results.collectives[0].type, "all_reduce");
    EXPECT_EQ(results.collectives[1].type, "all_gather");
    ASSERT_EQ(results.operations.size(), 6U);
    for (const std::size_t rank : {0, 1}) {
        const engine::Operation* operations = &results.operations[3 * rank];
        EXPECT_EQ(operations[1].node, 2U);
        EXPECT_EQ(operations[2].node, 3U);
        EXPECT_GE(operations[2].start, operations[1].end);
    }
}

// Different communicators run side by side and share the port: two all-gathers between the same two
// ranks, 1 MB each, put 2 MB on the link.
TEST(Simulation, CommunicatorsRunSideBySide) {
    const test::TestMachine machine = test::ring_machine(2, Rate(rate), latency);
    const std::vector<engine::Group> groups{{"1", {Rank(0), Rank(1)}}, {"2", {Rank(1), Rank(0)}}};
    const engine::Results results = run(
        test::workload_of(
            2,
            [](Rank) {
                return std::vector{collective_node(1, CollectiveType::AllGather, 1'000'000, "1"),
                                   collective_node(2, CollectiveType::AllGather, 1'000'000, "2")};
            },
            groups),
        machine);
    EXPECT_EQ(results.finish, 2 * transfer_time(Bytes(1'000'000), Rate(rate)) + latency);
}

TEST(Simulation, ReceiveThatNoOneSendsIsExplained) {
    const test::TestMachine machine = test::ring_machine(2, Rate(rate), latency);
    const engine::Workload workload = test::workload_of(2, [](Rank rank) {
        return rank == Rank(0) ? std::vector{send_node(4, 1, 2048, 8)}
                               : std::vector{receive_node(1, 0, 1024, 7)};
    });
    const std::string text =
        message_of<StallError>([&] { static_cast<void>(run(workload, machine)); });
    EXPECT_THAT(text, HasSubstr("rank 1"));
    EXPECT_THAT(text, HasSubstr("node 1 'receive_1'"));
    EXPECT_THAT(text, HasSubstr("1024 bytes with tag 7 from rank 0"));
    EXPECT_THAT(text, HasSubstr("nearest miss: its node 4 sends 2048 bytes with tag 8"));
}

TEST(Simulation, UnequalSizesAreAnInputError) {
    const test::TestMachine machine = test::ring_machine(2, Rate(rate), latency);
    const engine::Workload workload = test::workload_of(2, [](Rank rank) {
        return rank == Rank(0) ? std::vector{send_node(4, 1, 2048)}
                               : std::vector{receive_node(1, 0, 1024)};
    });
    const std::string text =
        message_of<InputError>([&] { static_cast<void>(run(workload, machine)); });
    EXPECT_THAT(text, HasSubstr("2048 bytes sent by node 4"));
    EXPECT_THAT(text, HasSubstr("1024 bytes awaited by node 1"));
}

TEST(Simulation, MissingMemberOfACollectiveIsNamed) {
    const test::TestMachine machine = test::ring_machine(3, Rate(rate), latency);
    const engine::Workload workload = test::workload_of(3, [](Rank rank) {
        return rank == Rank(2) ? std::vector{compute_node(1, 1)}
                               : std::vector{collective_node(1, CollectiveType::AllReduce, 4096)};
    });
    const std::string text =
        message_of<StallError>([&] { static_cast<void>(run(workload, machine)); });
    EXPECT_THAT(text, HasSubstr("rank 2 of communicator 'world'"));
}

TEST(Simulation, DisagreeingCollectivesAreNamed) {
    const test::TestMachine machine = test::ring_machine(2, Rate(rate), latency);
    const engine::Workload workload = test::workload_of(2, [](Rank rank) {
        return std::vector{
            collective_node(1, CollectiveType::AllReduce, rank == Rank(0) ? 4096 : 8192)};
    });
    const std::string text =
        message_of<StallError>([&] { static_cast<void>(run(workload, machine)); });
    EXPECT_THAT(text, HasSubstr("disagree"));
    EXPECT_THAT(text, HasSubstr("8192"));
}

// With sizes for each member an all-to-all is another one than without, whatever the sum.
TEST(Simulation, DisagreementAboutSizesAndRootsIsNamed) {
    const auto refusal = [](CollectiveType type, const char* attribute, auto value) {
        const test::TestMachine machine = test::ring_machine(2, Rate(rate), latency);
        const engine::Workload workload = test::workload_of(2, [&](Rank rank) {
            chakra::Node node = collective_node(1, type, 4096);
            if (rank == Rank(1)) {
                node.set(attribute, value);
            }
            return std::vector{node};
        });
        return message_of<StallError>([&] { static_cast<void>(run(workload, machine)); });
    };
    const std::string sizes =
        refusal(CollectiveType::AllToAll, "comm_sizes", std::vector<std::int64_t>{2048, 2048});
    EXPECT_THAT(sizes, HasSubstr("all_to_all of 4096 bytes with comm_sizes"));
    EXPECT_THAT(sizes, HasSubstr("all_to_all of 4096 bytes without comm_sizes"));
    const std::string roots = refusal(CollectiveType::Broadcast, "comm_root", std::int64_t{1});
    EXPECT_THAT(roots, HasSubstr("broadcast of 4096 bytes with root 0"));
    EXPECT_THAT(roots, HasSubstr("broadcast of 4096 bytes with root 1"));
}

// Without a machine there are no dimensions: the attribute cannot be honoured.
TEST(Simulation, CollectivesOverDimensionsNeedAMachine) {
    const auto workload = [] {
        return test::workload_of(2, [=](Rank) {
            chakra::Node node = collective_node(1, CollectiveType::AllReduce, 4096);
            node.attributes.push_back({"involve_dims", std::vector<bool>{true, false}});
            return std::vector{node};
        });
    };
    EXPECT_THAT(message_of<InputError>([&] { static_cast<void>(workload()); }),
                HasSubstr("involve_dims"));
}

TEST(Simulation, RanksMustMatchTheNetwork) {
    const test::TestMachine machine = test::ring_machine(4, Rate(rate), latency);
    const engine::Workload workload =
        test::workload_of(3, [](Rank) { return std::vector{compute_node(1, 1)}; });
    EXPECT_THAT(message_of<InputError>([&] { static_cast<void>(run(workload, machine)); }),
                HasSubstr("3 ranks; expected 4"));
}

}  // namespace
}  // namespace npunet::simulation_test
