// Which communication starts next, and what it costs the compute beside it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet {
namespace {

using engine::SchedulingPolicy;
using test::compute_node;
using test::message_of;
using test::send_node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

test::TestMachine pair_of_npus() {
    return test::ring_machine(2, Rate(50'000'000'000), Time::ns(500));
}

chakra::Node prioritised(chakra::Node node, std::int32_t priority) {
    node.set_int32("comm_priority", priority);
    return node;
}

/// One communication at a time. A send of 1 MB keeps the place for 20 us; meanwhile 12 becomes
/// ready after 1 us, 10 after 2 us and 11 after 3 us.
std::vector<std::uint64_t> sends_in_order(SchedulingPolicy policy) {
    test::TestMachine machine = pair_of_npus();
    machine.system.max_concurrent_comms = 1;
    machine.system.scheduling_policy = policy;
    const engine::Results results = test::run(
        test::workload_of(2,
                          [](Rank rank) {
                              if (rank == Rank(1)) {
                                  return std::vector<chakra::Node>{};
                              }
                              return std::vector{send_node(1, 1, 1'000'000),
                                                 compute_node(2, 1),
                                                 compute_node(3, 1, {2}),
                                                 compute_node(4, 1, {3}),
                                                 prioritised(send_node(12, 1, 1000, 2, {2}), 7),
                                                 prioritised(send_node(10, 1, 1000, 0, {3}), 1),
                                                 prioritised(send_node(11, 1, 1000, 1, {4}), 7)};
                          }),
        machine);
    std::vector<std::uint64_t> order;
    for (const engine::Operation& operation : results.operations) {
        if (operation.kind == engine::OperationKind::Send && operation.node >= 10) {
            order.push_back(operation.node);
        }
    }
    return order;
}

TEST(Scheduling, PolicyOrdersCommunicationThatWaits) {
    EXPECT_THAT(sends_in_order(SchedulingPolicy::LowestId), ElementsAre(10, 11, 12));
    EXPECT_THAT(sends_in_order(SchedulingPolicy::Fifo), ElementsAre(12, 10, 11));
    EXPECT_THAT(sends_in_order(SchedulingPolicy::Lifo), ElementsAre(11, 10, 12));
    EXPECT_THAT(sends_in_order(SchedulingPolicy::Explicit), ElementsAre(11, 12, 10));
}

// Without a limit everything starts when it is ready, whatever the policy; and the astra-sim
// dialects take the lowest id.
TEST(Scheduling, PolicyNeedsALimitAndTheDialect) {
    const auto nodes = [](Rank rank) {
        return rank == Rank(0) ? std::vector{send_node(1, 1, 1'000'000),
                                             prioritised(send_node(2, 1, 1000, 1), 1),
                                             prioritised(send_node(3, 1, 1000, 2), 9)}
                               : std::vector<chakra::Node>{};
    };
    test::TestMachine machine = pair_of_npus();
    machine.system.scheduling_policy = SchedulingPolicy::Explicit;
    const engine::Results unlimited = test::run(test::workload_of(2, nodes), machine);
    EXPECT_EQ(unlimited.operations[2].start, Time());
    machine.dialect = engine::Dialect::named("astra-sim");
    const engine::Results reference =
        test::run(test::workload_of(2, nodes, {}, test::options_of(machine.dialect)), machine);
    ASSERT_EQ(reference.operations.size(), 3U);
    EXPECT_EQ(reference.operations[1].node, 2U);
    EXPECT_EQ(reference.operations[2].node, 3U);
}

// Factor 1.5. A compute of 10 us begins together with a send, whose id is higher and whose last
// byte leaves after 4 us: 15 us, all of it. The next one begins when nothing is under way: 10 us.
// The compute that began before the send of 2 us is not slowed.
TEST(Scheduling, CommunicationSlowsTheComputeThatBeginsBesideIt) {
    test::TestMachine machine = pair_of_npus();
    machine.system.comm_compute_slowdown = 1.5;
    const engine::Results results = test::run(
        test::workload_of(
            2,
            [](Rank rank) {
                if (rank == Rank(0)) {
                    return std::vector{compute_node(1, 10), compute_node(2, 10, {1}),
                                       send_node(3, 1, 200'000)};
                }
                chakra::Node host = compute_node(1, 5);
                host.set_bool("is_cpu_op", true);
                return std::vector{host, compute_node(2, 10), send_node(3, 0, 100'000, 0, {1})};
            }),
        machine);
    EXPECT_EQ(results.operations[0].end, Time::ns(15'000));
    EXPECT_EQ(results.npus[0].finish, Time::ns(25'000));
    EXPECT_EQ(results.npus[1].finish, Time::ns(10'000));
}

// A receive waits, it moves nothing of its own: it slows nothing.
TEST(Scheduling, ReceivesSlowNothing) {
    test::TestMachine machine = pair_of_npus();
    machine.system.comm_compute_slowdown = 2;
    const engine::Results results =
        test::run(test::workload_of(2,
                                    [](Rank rank) {
                                        return rank == Rank(0)
                                                   ? std::vector{test::receive_node(1, 1, 200'000),
                                                                 compute_node(2, 10)}
                                                   : std::vector{send_node(1, 0, 200'000)};
                                    }),
                  machine);
    EXPECT_EQ(results.npus[0].finish, Time::ns(10'000));
}

class SchedulingKeys : public ::testing::Test {
protected:
    engine::SystemConfig read(const std::string& text, const std::string& dialect = "npunet") {
        warnings_.clear();
        return engine::read_system_config(folder_.write("system.json", text).string(),
                                          engine::Dialect::named(dialect), warnings_);
    }
    std::string error_of(const std::string& text) {
        return message_of<InputError>([&] { static_cast<void>(read(text)); });
    }

    test::TemporaryFolder folder_;
    std::vector<std::string> warnings_;
};

TEST_F(SchedulingKeys, AreReadAndChecked) {
    EXPECT_EQ(read("{}").scheduling_policy, SchedulingPolicy::LowestId);
    EXPECT_EQ(read(R"({"scheduling-policy": "LIFO"})").scheduling_policy, SchedulingPolicy::Lifo);
    EXPECT_EQ(read(R"({"comm-compute-slowdown": 1.25})").comm_compute_slowdown, 1.25);
    const engine::SystemConfig config = read(
        R"({"memory-capacity": 80, "track-local-mem": 1,
            "npus": [{"ranks": [1], "memory-capacity": 40}, {"ranks": [2], "peak-perf": 1}]})");
    const std::vector<Bytes> capacities = config.memory_capacities(4);
    EXPECT_EQ(capacities[0], Bytes(80'000'000'000));
    EXPECT_EQ(capacities[1], Bytes(40'000'000'000));
    EXPECT_EQ(capacities[2], Bytes(80'000'000'000));
    EXPECT_TRUE(warnings_.empty());
    EXPECT_THAT(error_of(R"({"scheduling-policy": "lifo"})"), HasSubstr("FIFO, LIFO or EXPLICIT"));
    EXPECT_THAT(error_of(R"({"comm-compute-slowdown": 0.5})"), HasSubstr("from 1"));
    EXPECT_THAT(error_of(R"({"memory-capacity": "80"})"), HasSubstr("memory-capacity"));
    EXPECT_THAT(error_of(R"({"data-type-bytes": 0})"), HasSubstr("data-type-bytes"));
}

// What is accepted and does nothing is said.
TEST_F(SchedulingKeys, WithoutEffectAreSaid) {
    static_cast<void>(read(R"({"data-type-bytes": 2})"));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], HasSubstr("sizes in bytes"));
    static_cast<void>(read(R"({"replay-only": 0})"));
    EXPECT_TRUE(warnings_.empty());
    static_cast<void>(read(R"({"replay-only": 1})", "astra-sim"));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], HasSubstr("communication is simulated"));
    static_cast<void>(read(R"({"memory-capacity": 80})"));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], HasSubstr("track-local-mem"));
    static_cast<void>(read(R"({"scheduling-policy": "EXPLICIT"})"));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], HasSubstr("scheduling-policy has no effect without max-concurrent"));
    static_cast<void>(read(R"({"scheduling-policy": "EXPLICIT", "max-concurrent-comms": 2})"));
    EXPECT_TRUE(warnings_.empty());
    static_cast<void>(read(R"({"scheduling-policy": "LIFO"})"));
    EXPECT_TRUE(warnings_.empty());
    static_cast<void>(read(R"({"active-chunks-per-dimension": 4})"));
    EXPECT_TRUE(warnings_.empty());
    static_cast<void>(read(R"({"active-chunks-per-dimension": 4, "preferred-dataset-splits": 1})"));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], HasSubstr("with one chunk"));
    static_cast<void>(read(R"({"active-chunks-per-dimension": 4, "preferred-dataset-splits": 2})"));
    EXPECT_TRUE(warnings_.empty());
    static_cast<void>(read(R"({"comm-compute-slowdown": 2})", "astra-sim"));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], HasSubstr("astra-sim"));
}

// Without a file, too, an endpoint delay is 10 ns in the astra-sim dialects, and 0 in ours.
TEST_F(SchedulingKeys, EndpointDelayFollowsTheDialect) {
    for (const char* dialect : {"npunet", "astra-sim", "astra-sim-2025-03"}) {
        const Time expected = dialect == std::string("npunet") ? Time() : Time::ns(10);
        EXPECT_EQ(read("{}", dialect).endpoint_delay, expected);
        EXPECT_EQ(engine::default_system_config(engine::Dialect::named(dialect)).endpoint_delay,
                  expected);
    }
    EXPECT_EQ(read(R"({"endpoint-delay": 0})").endpoint_delay, Time());
}

}  // namespace
}  // namespace npunet
