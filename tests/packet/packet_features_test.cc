// Cut-through, oldest first, faults, errors and statistics of the packet machine: closed forms, and
// schedules worked out by hand. Full packets take 10 ns, headers 0.64 ns, links 5 ns (plan_run.h).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "base/errors.h"
#include "plan_run.h"
#include "tests/support/refusals.h"

namespace npunet::packet_test {
namespace {

using topology::Factor;
using topology::LinkFault;

/// A line whose links have these rates, in order.
LinkMaker rates_of(std::vector<Rate> rates) {
    return [rates = std::move(rates)](NodeId from, NodeId to) {
        const auto place = static_cast<std::size_t>(std::min(from.value(), to.value()));
        return topology::Link{from, to, rates[place], latency, -1, false};
    };
}

// On an idle network of equal links the header of each packet is passed on as soon as it is in, and
// no output runs dry:
//     (n - 1) ser(full) + ser(last) + (h - 1) ser(header) + h latency.
TEST(CutThrough, IdleNetworkFollowsTheClosedForm) {
    for (const std::int64_t bytes : sizes_to_try) {
        for (int hops = 1; hops <= 5; ++hops) {
            const PlanRun run({mesh(6)}, {message(0, hops, bytes)}, cut_through());
            const auto [count, last] = Packets(bytes);
            EXPECT_EQ(run.delivered(0), (count - 1) * Time::ns(10) + transfer_time(last, rate) +
                                            (hops - 1) * Time::ps(640) + hops * latency)
                << bytes << " bytes, " << hops << " hops";
        }
    }
}

// n packets over a link of 50 GB/s (20 ns) and one of 100 GB/s (10 ns). Slow first: the second link
// has to wait so as not to run dry, and the last byte passes it at once: 20 n + 2 x 5. Fast first:
// the second link starts when the header is in and never stops: 0.64 + 5 + 20 n + 5.
TEST(CutThrough, UnequalRatesFollowTheClosedForm) {
    const Rate half(50'000'000'000);
    for (std::int64_t n = 1; n <= 7; ++n) {
        const PlanRun up({mesh(3)}, {packets(0, 2, n)}, cut_through(), {}, rates_of({half, rate}));
        EXPECT_EQ(up.delivered(0), Time::ns(20 * n + 10));
        const PlanRun down({mesh(3)}, {packets(0, 2, n)}, cut_through(), {},
                           rates_of({rate, half}));
        EXPECT_EQ(down.delivered(0), Time::ps(640) + Time::ns(5 + 20 * n + 5));
    }
}

// One packet of buffer, 0 -> 1 -> 2: the next buffer must have room for all of a packet. Packet 1:
// 0-10; on from 5.64 to 15.64, in at 20.64; its room in node 1 is known at node 0 at 20.64, that
// in node 2 at node 1 at 25.64. Packet 2: 20.64-30.64; its header is in at 26.28; 26.28-36.28, in
// at 41.28.
TEST(CutThrough, NeedsRoomForAllOfAPacket) {
    const PlanRun run({mesh(3)}, {packets(0, 2, 2)}, cut_through(1));
    EXPECT_EQ(run.delivered(0), Time::ps(41'280));
}

// B: 1 -> 2, one packet, 0-10. A: 0 -> 2, its header is in node 1 at 5.64, but the link is busy
// until 10: 10-20, in at 25.
TEST(CutThrough, WaitsForABusyLink) {
    const PlanRun run({mesh(3)}, {packets(0, 2, 1), packets(1, 2, 1)}, cut_through());
    EXPECT_EQ(run.delivered(), ns({25, 15}));
}

// Two flows to node 2, A from 0 at 0 and B from 1 at 1 ns, three packets each. Link 1 -> 2:
//     B1 1-11 (nothing of A is in), B2 11-21 (A1 is in at 15), A1 21-31, A2 (in at 25) 31-41, A3
//     (in at 35) 41-51, B3 51-61; round robin would have sent B3 after A1.
// Where both start at 0 it is the same, as own packets let pass those on their way:
//     B1 0-10, B2 10-20, A1 20-30, A2 30-40, A3 40-50, B3 50-60.
TEST(OldestFirst, TwoFlows) {
    const PlanRun later({mesh(3)}, {packets(0, 2, 3), packets(1, 2, 3, Time::ns(1))},
                        oldest_first());
    EXPECT_EQ(later.delivered(), ns({56, 66}));
    const PlanRun tie({mesh(3)}, {packets(0, 2, 3), packets(1, 2, 3)}, oldest_first());
    EXPECT_EQ(tie.delivered(), ns({55, 65}));
}

// A switch; two packets each from 0 (started at 2 ns), 1 (at 1 ns) and 2 (at 0) to 3. They are in
// at 17 and 27, 16 and 26, 15 and 25. The link to 3 serves them in the order in which they left:
//     2: 15-25, 1: 25-35, 0: 35-45, 2: 45-55, 1: 55-65, 0: 65-75; each in 5 later.
TEST(OldestFirst, ThreeFlows) {
    const PlanRun run(
        {star(4)}, {packets(0, 3, 2, Time::ns(2)), packets(1, 3, 2, Time::ns(1)), packets(2, 3, 2)},
        oldest_first());
    EXPECT_EQ(run.delivered(), ns({80, 70, 60}));
}

// A node's own messages take turns: A 0-10, B 10-20, A 20-30, B 30-40, A 40-50.
TEST(OldestFirst, MessagesOfOneNode) {
    const PlanRun run({mesh(2)}, {packets(0, 1, 3), packets(0, 1, 2)}, oldest_first());
    EXPECT_EQ(run.delivered(), ns({55, 45}));
}

/// A fault of the link 0 -> 1, which is the first of a line.
LinkFault fault(Time from, Time until, double factor, Time late = Time()) {
    return {LinkId(0), from, until, Factor{std::llround(factor * 1e9)}, late};
}

// Three packets 0 -> 1. Half the rate from 10 ns on: 0-10, 10-30, 30-50. Down from 5 to 9 ns: the
// first packet stands still meanwhile, 0-14, 14-24, 24-34, and the link counts as busy. Down from
// 10 to 50 ns: 0-10, then the packets are held, 50-60, 60-70, and the link does not. 7 ns more of
// latency: 30 + 12.
TEST(PacketFaults, SlowDownAndLate) {
    const Plan plan{packets(0, 1, 3)};
    const auto run = [&](const LinkFault& what) {
        return PlanRun({mesh(2)}, plan, parameters(), {what});
    };
    EXPECT_EQ(run(fault(Time::ns(10), Time::max(), 0.5)).delivered(0), Time::ns(55));
    const PlanRun still({mesh(2)}, plan, parameters(), {fault(Time::ns(5), Time::ns(9), 0)});
    EXPECT_EQ(still.delivered(0), Time::ns(39));
    EXPECT_EQ(still.use(0, 1).busy, Time::ns(34));
    const PlanRun held({mesh(2)}, plan, parameters(), {fault(Time::ns(10), Time::ns(50), 0)});
    EXPECT_EQ(held.delivered(0), Time::ns(75));
    EXPECT_EQ(held.use(0, 1).busy, Time::ns(30));
    EXPECT_EQ(held.use(0, 1).credit_stall, Time());
    const PlanRun late({mesh(2)}, plan, parameters(), {fault(Time(), Time::max(), 1, Time::ns(7))});
    EXPECT_EQ(late.delivered(0), Time::ns(42));
}

// 100 ns more of latency until 12 ns: packet 1 leaves at 10 and is in at 115; packet 2 leaves at 20
// and would be in at 25, but links keep the order.
TEST(PacketFaults, LinksKeepTheOrder) {
    const PlanRun run({mesh(2)}, {packets(0, 1, 1), packets(0, 1, 1)}, parameters(),
                      {fault(Time(), Time::ns(12), 1, Time::ns(100))});
    EXPECT_EQ(run.delivered(), ns({115, 115}));
}

// Cut-through, 0 -> 1 -> 2, the first link down from 5 to 9 ns: what stood still on a link is
// stored first. 0-14, in at 19; 19-29, in at 34.
TEST(PacketFaults, APacketThatStoodStillIsStored) {
    const PlanRun run({mesh(3)}, {packets(0, 2, 1)}, cut_through(),
                      {fault(Time::ns(5), Time::ns(9), 0)});
    EXPECT_EQ(run.delivered(0), Time::ns(34));
}

// Down for ever from 10 ns on: who waits for the link is told so, in the middle of a packet (from
// 15 ns), before one, and behind another link; who does not need it is not disturbed.
TEST(PacketFaults, ALinkThatNeverComesBackIsAStall) {
    using testing::HasSubstr;
    const auto run = [](Time from, const PlannedMessage& one) {
        return test::message_of<StallError>([&] {
            return PlanRun({mesh(3)}, {one}, parameters(), {fault(from, Time::max(), 0)}).finish();
        });
    };
    EXPECT_THAT(run(Time::ns(15), packets(0, 1, 3)),
                HasSubstr("the link npu0 -> npu1 is down from 15 ns on and never comes back"));
    EXPECT_THAT(run(Time::ns(10), packets(0, 1, 3)), HasSubstr("down from 10 ns on"));
    EXPECT_THAT(run(Time(), packets(0, 2, 1, Time::ns(500))), HasSubstr("that started at 500 ns"));
    EXPECT_EQ(run(Time::ns(10), packets(0, 1, 1)), "no error");
    EXPECT_EQ(run(Time(), packets(1, 0, 3)), "no error");
    EXPECT_EQ(run(Time(), packets(1, 2, 3)), "no error");
}

// n packets over one link of error rate p. A corrupted transmission costs its time and a round
// trip, so that with r retransmissions the last packet is in at
//     (n + r) ser + 2 r latency + latency;
// each packet is sent again until it is through: r has the mean n p / (1 - p) and the variance
// n p / (1 - p)^2. Nothing is lost and payload counts once.
TEST(PacketErrors, CostARoundTripEach) {
    constexpr std::int64_t n = 20'000;
    std::uint64_t of_first_seed = 0;
    for (const std::uint64_t seed : {1, 2, 3, 1}) {
        for (const double p : {0.001, 0.1, 0.5}) {
            topology::PacketParameters packet = parameters();
            packet.error_rate = p;
            packet.seed = seed;
            const PlanRun run({mesh(2)}, {packets(0, 1, n)}, packet);
            const engine::LinkUse use = run.use(0, 1);
            const auto again = static_cast<std::int64_t>(use.retransmissions);
            EXPECT_EQ(run.delivered(0), (n + again) * Time::ns(10) + (2 * again + 1) * latency);
            EXPECT_EQ(use.payload, Bytes(n * mtu));
            EXPECT_EQ(use.wire, Bytes((n + again) * 1000));
            EXPECT_EQ(use.busy, (n + again) * Time::ns(10));
            EXPECT_EQ(use.packets, static_cast<std::uint64_t>(n));
            const double mean = static_cast<double>(n) * p / (1 - p);
            const double deviation = std::sqrt(static_cast<double>(n) * p) / (1 - p);
            EXPECT_NEAR(static_cast<double>(again), mean, 5 * deviation);
            if (p == 0.5 && seed == 1) {
                EXPECT_TRUE(of_first_seed == 0 || of_first_seed == use.retransmissions);
                of_first_seed = use.retransmissions;
            }
        }
    }
}

// One packet of buffer, 0 -> 1: 0-10, 20-30, 40-50 (credit comes back 10 ns after each end): twice
// 10 ns in which packets wait for nothing but credit.
TEST(PacketStatistics, CountWaitingForCredit) {
    const PlanRun run({mesh(2)}, {packets(0, 1, 3)}, parameters(1));
    EXPECT_EQ(run.use(0, 1).credit_stall, Time::ns(20));
    EXPECT_EQ(run.use(0, 1).packets, 3u);
    EXPECT_EQ(run.use(1, 0).credit_stall, Time());
    EXPECT_TRUE(run.use(0, 1).queue_times.empty());
}

// A: three packets 0 -> 2, B: three packets 1 -> 2 (the schedule is in TwoFlowsTakeTurns...). Queue
// of 1 -> 2: A1 15-20; A2 from 25 and A3 from 35 until A2 leaves at 40, A3 until 50. So 1000 bytes
// for 5 + 10 + 10 ns, between 2^9 and 2^10, and 2000 for 5 ns.
TEST(PacketStatistics, DistributionOfAQueue) {
    topology::PacketParameters packet = parameters();
    packet.queue_histogram = true;
    const PlanRun run({mesh(3)}, {packets(0, 2, 3), packets(1, 2, 3)}, packet);
    std::vector<Time> expected(11);
    expected[9] = Time::ns(25);
    expected[10] = Time::ns(5);
    EXPECT_EQ(run.use(1, 2).queue_times, expected);
    EXPECT_TRUE(run.use(0, 1).queue_times.empty());
}

}  // namespace
}  // namespace npunet::packet_test
