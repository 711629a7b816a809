// Flows that meet, by schedules worked out by hand, to the picosecond. Full packets take 10 ns at
// the usual rate, headers 0.64 ns, links 5 ns (plan_run.h); X2 is the second packet of flow X, "in"
// when its last byte is.

#include <gtest/gtest.h>

#include "plan_run.h"

namespace npunet::packet_test {
namespace {

using topology::Arbitration;

/// Links that leave this NPU have half the usual rate: 20 ns a packet.
LinkMaker slow_from(int npu) {
    return [npu](NodeId from, NodeId to) {
        const Rate own = from == NodeId(npu) ? Rate(50'000'000'000) : rate;
        return topology::Link{from, to, own, latency, -1, false};
    };
}

// A switch. A: 0 -> 3, three packets over a link of half the rate; B: 1 -> 3, four packets.
//     A1 0-20 (in at 25), A2 20-40 (45), A3 40-60 (65); B1 in at 15, B2 25, B3 35, B4 45
//     link to 3: B1 15-25; A1 25-35 (A's turn, both are in); B2 35-45; A2 45-55; B3 55-65 (A3 is
//     not in); A3 65-75; B4 75-85
// A is in at 80, B at 90. Oldest first goes by when packets left their sources, A's at 0, 20 and
// 40, B's at 0, 10, 20 and 30; of A2 and B3, both at 20, A2 has the lower source:
//     B1 15-25; A1 25-35; B2 35-45; A2 45-55; B3 55-65; B4 65-75; A3 75-85.
TEST(Contention, UnequalRatesUpstream) {
    const Plan plan{packets(0, 3, 3), packets(1, 3, 4)};
    const PlanRun turns({star(4)}, plan, parameters(), {}, slow_from(0));
    EXPECT_EQ(turns.delivered(), ns({80, 90}));
    const PlanRun oldest({star(4)}, plan, oldest_first(), {}, slow_from(0));
    EXPECT_EQ(oldest.delivered(), ns({90, 80}));
}

// The same with the slow link at B, six packets of A and two of B:
//     A1 in at 15, ..., A6 in at 65, having left at 0, ..., 50; B1 in at 25, B2 in at 45, having
//     left at 0 and 20.
// Round robin: A1 15-25, B1 25-35, A2 35-45, B2 45-55, A3 55-65, A4 65-75, A5 75-85, A6 85-95.
// Oldest: A1 15-25, B1 25-35, A2 35-45, A3 45-55 (left with B2, lower source), B2 55-65, A4 65-75,
// A5 75-85, A6 85-95.
TEST(Contention, UnequalRatesUpstreamOldestFirst) {
    const Plan plan{packets(0, 3, 6), packets(1, 3, 2)};
    const PlanRun turns({star(4)}, plan, parameters(), {}, slow_from(1));
    EXPECT_EQ(turns.delivered(), ns({100, 60}));
    const PlanRun oldest({star(4)}, plan, oldest_first(), {}, slow_from(1));
    EXPECT_EQ(oldest.delivered(), ns({100, 70}));
}

// A switch, flows of one, two and three packets: A 0 -> 3, B 1 -> 3, C 2 -> 3. First packets are in
// at 15, second ones at 25, C3 at 35.
// Round robin: A1 15-25, B1 25-35, C1 35-45, B2 45-55, C2 55-65, C3 65-75.
// Oldest, C's packets having left at 0, 10 and 20, B's at 1 and 11 (in at 16 and 26), A's at 2
// (17):
//     C1 15-25, B1 25-35, A1 35-45, C2 45-55, B2 55-65, C3 65-75.
TEST(Contention, ThreeFlowsOfDifferentLengths) {
    const PlanRun turns({star(4)}, {packets(0, 3, 1), packets(1, 3, 2), packets(2, 3, 3)});
    EXPECT_EQ(turns.delivered(), ns({30, 60, 80}));
    Plan plan{packets(0, 3, 1), packets(1, 3, 2), packets(2, 3, 3)};
    plan[0].start = Time::ns(2);
    plan[1].start = Time::ns(1);
    const PlanRun oldest({star(4)}, plan, oldest_first());
    EXPECT_EQ(oldest.delivered(), ns({50, 70, 80}));
}

// A switch whose links to NPUs have half the usual rate: A 0 -> 1 and B 0 -> 2, two packets each,
// in turns: A1 in at 15, B1 25, A2 35, B2 45. Any number of packets leave an input at a time: A1
// 15-35, A2 35-55; B1 25-45, B2 45-65. One at a time: A1 15-35; at 35 both outputs want the input,
// and B1, behind the one served last, has it 35-55; then A2 55-75 and B2 75-95. Two at a time is as
// good as any number.
TEST(Contention, SpeedUp) {
    const Plan plan{packets(0, 1, 2), packets(0, 2, 2)};
    for (const std::uint8_t speedup : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
        topology::PacketParameters own = parameters();
        own.speedup = speedup;
        const PlanRun run({star(4)}, plan, own, {}, slow_from(4));
        EXPECT_EQ(run.delivered(0), Time::ns(speedup == 1 ? 80 : 60));
        EXPECT_EQ(run.delivered(1), Time::ns(speedup == 1 ? 100 : 70));
    }
}

// A line of four ("parking lot"), three packets each: A 0 -> 3, B 1 -> 3, C 2 -> 3. Link 0->1: A1
// in at 15, A2 25, A3 35. Round robin:
//     link 1->2: B1 0-10, B2 10-20, A1 20-30, B3 30-40, A2 40-50, A3 50-60; each in 5 later, and in
//                one queue at node 2 from there on
//     link 2->3: C1 0-10, C2 10-20, B1 20-30, C3 30-40, B2 40-50, A1 50-60, B3 60-70, A2 70-80,
//                A3 80-90
TEST(Contention, ParkingLotRoundRobin) {
    const PlanRun run({mesh(4)}, {packets(0, 3, 3), packets(1, 3, 3), packets(2, 3, 3)});
    EXPECT_EQ(run.delivered(), ns({95, 75, 45}));
    EXPECT_EQ(run.use(2, 3).busy, Time::ns(90));
}

// The same, oldest first; what starts at a node lets pass what is on its way:
//     link 1->2: B1 0-10, B2 10-20 (no A is in yet), A1 20-30, A2 30-40, A3 40-50, B3 50-60
//     link 2->3: C1 0-10, C2 10-20, B1 20-30, B2 30-40, A1 (in at 35) 40-50, A2 50-60, A3 60-70,
//                B3 (in at 65) 70-80, C3 80-90
TEST(Contention, ParkingLotOldestFirst) {
    const PlanRun run({mesh(4)}, {packets(0, 3, 3), packets(1, 3, 3), packets(2, 3, 3)},
                      oldest_first());
    EXPECT_EQ(run.delivered(), ns({75, 85, 95}));
}

// Cut-through on a line of three: A 0 -> 2, three packets; B 1 -> 2, two. Headers of A are in at
// 5.64, 15.64 and 25.64. Link 1->2: B1 0-10, A1 10-20 (all of it is in at 15 only), B2 20-30, A2
// 30-40, A3 40-50.
TEST(Contention, CutThroughOnALine) {
    const PlanRun run({mesh(3)}, {packets(0, 2, 3), packets(1, 2, 2)}, cut_through());
    EXPECT_EQ(run.delivered(), ns({55, 35}));
}

// Cut-through at a switch: A 0 -> 3 and B 1 -> 3, two packets each. Link to 3: A1 from its header
// on 5.64-15.64, B1 15.64-25.64, A2 25.64-35.64, B2 35.64-45.64.
TEST(Contention, CutThroughAtASwitch) {
    const PlanRun run({star(4)}, {packets(0, 3, 2), packets(1, 3, 2)}, cut_through());
    EXPECT_EQ(run.delivered(0), Time::ps(40'640));
    EXPECT_EQ(run.delivered(1), Time::ps(50'640));
}

// Room for one packet on a line of three: A 0 -> 2 and B 1 -> 2, two packets each. A packet that
// leaves node 1 at t is in node 2 at t + 15, and its credit back at t + 20.
//     link 1->2: B1 0-10, A1 (in at 15) 20-30, B2 40-50, A2 60-70
//     link 0->1: A1 0-10; its room is free at 30, which is known at 35: A2 35-45, in at 50
// 1->2 waits for nothing but credit 10-20, 30-40 and 50-60, 0->1 10-35.
TEST(Contention, OnePacketOfBuffer) {
    for (const Arbitration arbitration : {Arbitration::RoundRobin, Arbitration::Oldest}) {
        topology::PacketParameters small = parameters(1);
        small.arbitration = arbitration;
        const PlanRun run({mesh(3)}, {packets(0, 2, 2), packets(1, 2, 2)}, small);
        EXPECT_EQ(run.delivered(), ns({75, 55}));
        EXPECT_EQ(run.use(1, 2).credit_stall, Time::ns(30));
        EXPECT_EQ(run.use(0, 1).credit_stall, Time::ns(25));
    }
}

}  // namespace
}  // namespace npunet::packet_test
