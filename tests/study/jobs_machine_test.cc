// Several jobs on one machine: what each takes from it, and what they cannot do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "study/jobs.h"
#include "tests/study/jobs_cases.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::study {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::receive_node;
using test::send_node;
using testing::HasSubstr;

// The NPUs of a job that fill dimensions of the network use the algorithms of these dimensions; the
// others form one line, by the first algorithm of the list.
TEST(JobsOnAMachine, GroupsThatFillDimensionsUseThem) {
    Machine machine = as_machine(test::torus_machine(4, 2, rate, latency));
    engine::Implementation ring;
    engine::Implementation direct;
    direct.algorithm = engine::Algorithm::Direct;
    machine.system.implementations(engine::CollectiveKind::AllReduce) = {ring, direct};
    const auto algorithm_on = [&](const std::vector<std::int32_t>& numbers) {
        const engine::Workload workload = test::workload_of(numbers.size(), [](Rank) {
            return std::vector{collective_node(1, CollectiveType::AllReduce, 4096)};
        });
        const engine::JobsResults results = simulate_jobs({{"a", workload, npus(numbers), Time()}},
                                                          machine, Fidelity::CongestionAware);
        return results.jobs[0].results.collectives.at(0).algorithm;
    };
    EXPECT_EQ(algorithm_on({1, 5}), "direct") << "dimension 1";
    EXPECT_EQ(algorithm_on({7, 6, 5, 4}), "ring") << "dimension 0";
    EXPECT_EQ(algorithm_on({0, 1, 2, 3, 4, 5, 6, 7}), "ring+direct") << "both";
    EXPECT_EQ(algorithm_on({0, 1, 4, 5}), "ring") << "half of dimension 0";
}

// system.json speaks of ranks of the machine, which network.yml places on NPUs: 2 on NPU 1 here.
// Compute of 10^9 operations takes 1 ms at 1 TFLOPS, 100 us at 10.
TEST(JobsOnAMachine, OverridesFollowTheNpu) {
    Machine machine = as_machine(test::ring_machine(4, rate, latency));
    machine.network.npu_of_rank = npus({0, 2, 1, 3});
    machine.system.roofline = true;
    machine.system.compute = {1, 1000};
    machine.system.overrides = {{2, {10, 1000}}};
    const engine::Workload workload = test::workload_of(2, [](Rank) {
        chakra::Node node = compute_node(1, 0);
        node.set_integer("num_ops", 1'000'000'000);
        node.set_integer("tensor_size", 8);
        return std::vector{node};
    });
    const engine::JobsResults results =
        simulate_jobs({{"a", workload, npus({3, 1}), Time()}}, machine, Fidelity::Analytical);
    EXPECT_EQ(results.jobs[0].results.npus[0].finish, Time::ns(1'000'000));
    EXPECT_EQ(results.jobs[0].results.npus[1].finish, Time::ns(100'000));
    machine.system.overrides = {{4, {10, 1000}}};
    EXPECT_THAT(test::message_of<InputError>([&] {
                    (void)simulate_jobs({{"a", workload, npus({3, 1}), Time()}}, machine,
                                        Fidelity::Analytical);
                }),
                HasSubstr("rank 4"));
}

// A job that waits for ever is named, with the ranks that are stuck, and the others with their
// ends.
TEST(JobsOnAMachine, AStalledJobIsNamed) {
    const Machine machine = torus();
    const engine::Workload lonely = test::workload_of(2, [](Rank rank) {
        return rank == Rank(1) ? std::vector{receive_node(7, 0, 64)} : std::vector<chakra::Node>{};
    });
    const std::string text = test::message_of<StallError>([&] {
        (void)simulate_jobs({{"fine", training(2, 4096), npus({0, 1}), Time()},
                             {"lonely", lonely, npus({4, 5}), Time()}},
                            machine, Fidelity::CongestionAware);
    });
    EXPECT_THAT(text, HasSubstr("job 'lonely': at "));
    EXPECT_THAT(text, HasSubstr("1 of 2 ranks have work left"));
    EXPECT_THAT(text, HasSubstr("job 'fine' finished at "));
}

// What only shows while running says in which job: two ranks whose collectives differ, a send that
// does not fit its receive, work without a duration.
TEST(JobsOnAMachine, ErrorsWhileRunningNameTheJob) {
    const Machine machine = torus();
    const auto run = [&](const engine::Workload& workload) {
        (void)simulate_jobs({{"fine", training(2, 4096), npus({0, 1}), Time()},
                             {"other", workload, npus({4, 5}), Time::ns(10)}},
                            machine, Fidelity::CongestionAware);
    };
    const engine::Workload differ = test::workload_of(2, [](Rank rank) {
        return std::vector{
            collective_node(1, CollectiveType::AllReduce, rank == Rank(0) ? 4096 : 8192)};
    });
    EXPECT_THAT(test::message_of<StallError>([&] { run(differ); }), HasSubstr("job 'other'"));
    const engine::Workload unequal = test::workload_of(2, [](Rank rank) {
        return std::vector{rank == Rank(0) ? send_node(1, 1, 100) : receive_node(1, 0, 200)};
    });
    EXPECT_THAT(test::message_of<InputError>([&] { run(unequal); }), HasSubstr("job 'other'"));
    const engine::Workload timeless = test::workload_of(2, [](Rank) {
        chakra::Node node = compute_node(1, 0);
        node.set_integer("num_ops", 1'000'000'000);
        return std::vector{node};
    });
    EXPECT_THAT(test::message_of<InputError>([&] { run(timeless); }), HasSubstr("job 'other'"));
}

// A memory that serves NPUs of one job is that job's; a pool, or a node with NPUs of two, is
// refused.
TEST(JobsOnAMachine, DoNotShareRemoteMemory) {
    Machine machine = torus();
    machine.system.remote_memory.kind = engine::RemoteMemoryConfig::Kind::PerNode;
    machine.system.remote_memory.bandwidth = Rate(1'000'000'000);
    machine.system.remote_memory.nodes = 4;
    machine.system.remote_memory.npus_per_node = 4;
    // Two accesses of 1000 bytes at 1 GB/s, one after the other on a node.
    const engine::Workload workload =
        test::workload_of(2, [](Rank) { return std::vector{test::memory_node(1, 1000)}; });
    const auto run = [&](const std::vector<std::int32_t>& second) {
        return simulate_jobs(
            {{"a", workload, npus({0, 1}), Time()}, {"b", workload, npus(second), Time()}}, machine,
            Fidelity::Analytical);
    };
    EXPECT_EQ(run({4, 5}).all.finish, Time::ns(2000));
    EXPECT_THAT(test::message_of<InputError>([&] {
                    (void)run({3, 4});
                }),
                HasSubstr("job 'a' and job 'b' share"));
    machine.system.remote_memory.kind = engine::RemoteMemoryConfig::Kind::Pool;
    EXPECT_THAT(test::message_of<InputError>([&] {
                    (void)run({4, 5});
                }),
                HasSubstr("job 'a' and job 'b' share"));
}

// A job without work is done when it starts.
TEST(JobsOnAMachine, AnEmptyJobEndsAtItsStart) {
    const engine::Workload nothing =
        test::workload_of(2, [](Rank) { return std::vector<chakra::Node>{}; });
    const engine::JobsResults results =
        simulate_jobs({{"a", nothing, npus({0, 1}), Time::ns(50)}}, torus(), Fidelity::Analytical);
    EXPECT_EQ(results.jobs[0].finish(), Time::ns(50));
    EXPECT_EQ(results.jobs[0].duration(), Time());
}

}  // namespace
}  // namespace npunet::study
