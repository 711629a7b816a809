// Operations whose times are given: they start then, wait for nothing, and with an end send
// nothing.

#include "engine/npu/fixed_times.h"

#include <gtest/gtest.h>

#include "analytical/congestion_unaware.h"
#include "engine/simulation/simulation.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::engine::fixed_times_test {
namespace {

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

struct FixedRun {
    FixedRun(const Workload& workload, const FixedTimes& times)
        : machine(test::ring_machine(2, rate, latency)),
          network(machine.network, queue, machine.dialect),
          simulation(workload, machine.network, machine.system, machine.dialect, queue, network) {
        simulation.fix_times(times);
        results = simulation.run();
    }
    [[nodiscard]] Time start(std::int32_t rank, std::size_t number) const {
        return simulation.records()[static_cast<std::size_t>(rank)].start[number];
    }
    [[nodiscard]] Time end(std::int32_t rank, std::size_t number) const {
        return simulation.records()[static_cast<std::size_t>(rank)].end[number];
    }

    test::TestMachine machine;
    EventQueue queue;
    analytical::CongestionUnaware network;
    Simulation simulation;
    Results results;
};

/// 1 us of compute, an all-reduce that waits for it, 2 us that wait for that.
Workload chain() {
    return test::workload_of(2, [](Rank) {
        return std::vector{
            test::compute_node(1, 1),
            test::collective_node(2, chakra::CollectiveType::AllReduce, 100'000, "", {1}),
            test::compute_node(3, 2, {2})};
    });
}

// Two NPUs, two steps of half the buffer each: 2 (1 us + 0.5 us). It begins at 0.3 us, before what
// it waits for has ended; what waits for it begins when it has ended.
TEST(FixedTimes, AStartDoesNotWait) {
    FixedTimes times(2);
    times.set(Rank(0), 1, Time::ns(300));
    times.set(Rank(1), 1, Time::ns(300));
    const FixedRun run(chain(), times);
    EXPECT_EQ(run.start(0, 1), Time::ns(300));
    EXPECT_EQ(run.end(0, 1), Time::ns(3'300));
    EXPECT_EQ(run.end(0, 0), Time::ns(1'000));
    EXPECT_EQ(run.start(1, 2), Time::ns(3'300));
    EXPECT_EQ(run.results.finish, Time::ns(5'300));
}

// A start may be later than necessary, and the members' may differ. Rank 1 comes at 9 us and finds
// the first half of rank 0: it sends both of its messages, which are in at 10.5 and 11.5 us; the
// answer of rank 0 to the first one is in at 12 us.
TEST(FixedTimes, EveryRankHasItsOwn) {
    FixedTimes times(2);
    times.set(Rank(0), 1, Time::ns(4'000));
    times.set(Rank(1), 1, Time::ns(9'000));
    const FixedRun run(chain(), times);
    EXPECT_EQ(run.end(0, 1), Time::ns(11'500));
    EXPECT_EQ(run.end(1, 1), Time::ns(12'000));
    EXPECT_EQ(run.results.finish, Time::ns(14'000));
}

// With an end nothing is sent, and only what is left free moves. An end before the start is the
// start.
TEST(FixedTimes, AnEndIsAsGiven) {
    FixedTimes times(2);
    times.set(Rank(0), 1, Time::ns(100), Time::ns(700));
    times.set(Rank(1), 1, Time::ns(2'000), Time::ns(1'500));
    const FixedRun run(chain(), times);
    EXPECT_EQ(run.end(0, 1), Time::ns(700));
    EXPECT_EQ(run.start(0, 2), Time::ns(1'000));
    EXPECT_EQ(run.end(1, 1), Time::ns(2'000));
    EXPECT_EQ(run.end(1, 2), Time::ns(4'000));
    EXPECT_EQ(run.simulation.transport().messages_sent(), 0u);
    EXPECT_EQ(run.results.finish, Time::ns(4'000));
}

// Fixed to when they happen anyway, operations happen as without.
TEST(FixedTimes, OfARunRepeatIt) {
    const FixedRun free(chain(), FixedTimes(2));
    FixedTimes times(2);
    times.set(Rank(0), 1, free.start(0, 1), free.end(0, 1));
    times.set(Rank(1), 1, free.start(1, 1), free.end(1, 1));
    const FixedRun again(chain(), times);
    for (std::size_t number = 0; number < 3; ++number) {
        EXPECT_EQ(again.start(1, number), free.start(1, number));
        EXPECT_EQ(again.end(0, number), free.end(0, number));
    }
}

}  // namespace
}  // namespace npunet::engine::fixed_times_test
