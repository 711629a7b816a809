// Traffic classes of the packet machine: schedules worked out by hand. Full packets take 10 ns,
// links 5 ns (plan_run.h).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "base/errors.h"
#include "plan_run.h"
#include "tests/support/refusals.h"

namespace npunet::packet_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

topology::PacketParameters classes(int count, std::vector<std::uint8_t> weights = {},
                                   std::int64_t buffer_packets = 0) {
    topology::PacketParameters result = parameters(buffer_packets);
    result.classes.count = static_cast<std::uint8_t>(count);
    result.classes.weights = std::move(weights);
    return result;
}

PlannedMessage of_class(int traffic_class, PlannedMessage message, Time start = Time()) {
    message.traffic_class = static_cast<std::uint8_t>(traffic_class);
    message.start = start;
    return message;
}

// Class 0: 2 packets, 20 ns, and the link's 5; class 1: its 3 packets after that, 50 + 5.
TEST(TrafficClasses, StrictPriorityLetsTheLowerClassGoFirst) {
    const PlanRun run({mesh(2)}, {of_class(1, packets(0, 1, 3)), of_class(0, packets(0, 1, 2))},
                      classes(2));
    EXPECT_EQ(run.delivered(), ns({55, 25}));
    const PlanRun other({mesh(2)}, {of_class(0, packets(0, 1, 3)), of_class(1, packets(0, 1, 2))},
                        classes(2));
    EXPECT_EQ(other.delivered(), ns({35, 55}));
}

// Class 1 has 10 packets from 0 on; class 0 comes at 35 ns, when the fourth of them is on the link
// until 40: it has 40 to 60, and is in at 65; the others end at 120. On the way, too: over two
// links the packets of class 1 are at the middle node 15 ns after their start; the late message
// starts there.
TEST(TrafficClasses, LateMessagesOfALowerClassOvertake) {
    const PlanRun run({mesh(2)},
                      {of_class(1, packets(0, 1, 10)), of_class(0, packets(0, 1, 2), Time::ns(35))},
                      classes(2));
    EXPECT_EQ(run.delivered(), ns({125, 65}));
    const PlanRun way({mesh(3)},
                      {of_class(1, packets(0, 2, 10)), of_class(0, packets(1, 2, 2), Time::ns(50))},
                      classes(2));
    // The link has packets at 15, 25, 35 and 45 until 55; class 0 until 75; six more until 135.
    EXPECT_EQ(way.delivered(), ns({140, 80}));
}

// Weights 3 and 1, packets of size 1. Start tags of class 0: 0, 1/3, 2/3, 1, ...; of class 1: 0, 1,
// 2, ...; the smaller one first, and class 0 of equals: 0 1 0 0, 0 1 0 0, ... Messages of one
// packet: the k-th packet of the link is in at 10 k + 5.
TEST(TrafficClasses, WeightsShareTheLinkPacketByPacket) {
    Plan plan;
    for (int i = 0; i < 12; ++i) {
        plan.push_back(of_class(0, packets(0, 1, 1)));
        plan.push_back(of_class(1, packets(0, 1, 1)));
    }
    const PlanRun run({mesh(2)}, plan, classes(2, {3, 1}));
    for (int i = 0; i < 12; ++i) {
        const int zero = 4 * (i / 3) + std::vector<int>{1, 3, 4}[static_cast<std::size_t>(i % 3)];
        // The first four of class 1 while class 0 has packets, 16 in all; then one after another.
        const int one = i < 4 ? 4 * i + 2 : 16 + (i - 3);
        EXPECT_EQ(run.delivered(static_cast<std::size_t>(2 * i)), Time::ns(10 * zero + 5)) << i;
        EXPECT_EQ(run.delivered(static_cast<std::size_t>(2 * i + 1)), Time::ns(10 * one + 5)) << i;
    }
}

// Shares are of bytes: packets of 500 and of 1000 bytes with headers, equal weights. Start tags
// (in 1000 bytes) 0, 1/2, 1, ... and 0, 1, 2, ...: small, large, small, of 5 + 10 + 5 ns, again and
// again.
TEST(TrafficClasses, WeightsCountBytes) {
    Plan plan;
    for (int i = 0; i < 20; ++i) {
        PlannedMessage small = of_class(0, packets(0, 1, 1));
        small.bytes = Bytes(436);
        plan.push_back(small);
    }
    for (int i = 0; i < 10; ++i) {
        plan.push_back(of_class(1, packets(0, 1, 1)));
    }
    const PlanRun run({mesh(2)}, plan, classes(2, {1, 1}));
    for (std::size_t i = 0; i < 10; ++i) {
        const Time begin = Time::ns(20 * static_cast<std::int64_t>(i));
        EXPECT_EQ(run.delivered(2 * i), begin + Time::ns(5 + 5));
        EXPECT_EQ(run.delivered(2 * i + 1), begin + Time::ns(20 + 5));
        EXPECT_EQ(run.delivered(20 + i), begin + Time::ns(15 + 5));
    }
}

// Goyal, Vin and Chen: while both wait, two classes' bytes, each by its weight, differ by no more
// than a packet of each by its weight. Messages in the proportion of the weights so end together,
// but for 1/w0 + 1/w1 of a weight: 10 packets of 100 000 here.
TEST(TrafficClasses, WeightsShareExactlyInTheLongRun) {
    const PlanRun run({mesh(2)},
                      {of_class(0, packets(0, 1, 50'000)), of_class(1, packets(0, 1, 30'000)),
                       of_class(2, packets(0, 1, 20'000))},
                      classes(3, {5, 3, 2}));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_GE(run.delivered(i), Time::ns(10 * (100'000 - 10) + 5)) << i;
        EXPECT_LE(run.delivered(i), Time::ns(10 * 100'000 + 5)) << i;
    }
}

// A class that had nothing to send has nothing to make up for. Equal weights; class 1 comes at 95
// ns with 5 packets, when 10 of class 0 have gone by 100: it has the slots at 100, 120, .. 180.
TEST(TrafficClasses, IdleClassesSaveNothing) {
    const PlanRun run({mesh(2)},
                      {of_class(0, packets(0, 1, 20)), of_class(1, packets(0, 1, 5), Time::ns(95))},
                      classes(2, {1, 1}));
    EXPECT_EQ(run.delivered(), ns({255, 195}));
}

// 0 -> 1 at 10 ns a packet, 1 -> 2 at 100, room for one packet. The first packet to NPU 2 leaves
// the buffer at 15 + 100, and its credit is back at 120. The message to NPU 1 comes at 20. In a
// class of its own it goes at once, a packet every 20 ns (10 and twice 5 for the credit): 20 + 2 x
// 20 + 15. In the same class it waits for the buffer.
TEST(TrafficClasses, FullBuffersOfOneClassDoNotStopAnother) {
    const LinkMaker links = [](NodeId from, NodeId to) {
        const bool slow = from.value() + to.value() == 3;
        return topology::Link{from,    to, Rate(slow ? 10'000'000'000 : 100'000'000'000),
                              latency, -1, false};
    };
    for (const int blocked : {0, 1}) {
        const int other = 1 - blocked;
        const PlanRun run(
            {mesh(3)},
            {of_class(blocked, packets(0, 2, 3)), of_class(other, packets(0, 1, 3), Time::ns(20))},
            classes(2, {}, 1), {}, links);
        EXPECT_EQ(run.delivered(1), Time::ns(75)) << "class " << other;
    }
    const PlanRun same({mesh(3)},
                       {of_class(1, packets(0, 2, 3)), of_class(1, packets(0, 1, 3), Time::ns(20))},
                       classes(2, {}, 1), {}, links);
    EXPECT_GT(same.delivered(1), Time::ns(120));
}

TEST(TrafficClasses, LinksCountTheBytesOfEachClass) {
    const PlanRun run({mesh(3)},
                      {of_class(0, packets(0, 2, 3)), of_class(2, packets(0, 1, 2)),
                       of_class(0, packets(1, 2, 1))},
                      classes(3));
    EXPECT_THAT(run.use(0, 1).classes_wire, ElementsAre(Bytes(3000), Bytes(0), Bytes(2000)));
    EXPECT_THAT(run.use(1, 2).classes_wire, ElementsAre(Bytes(4000), Bytes(0), Bytes(0)));
    EXPECT_THAT(PlanRun({mesh(2)}, {packets(0, 1, 1)}).use(0, 1).classes_wire, IsEmpty());
    // Packets that are sent again count as often as they are sent, as in the sum.
    topology::PacketParameters errors = classes(2, {2, 1});
    errors.error_rate = 0.5;
    const engine::LinkUse use =
        PlanRun({mesh(2)}, {of_class(0, packets(0, 1, 50)), of_class(1, packets(0, 1, 50))}, errors)
            .use(0, 1);
    EXPECT_GT(use.retransmissions, 0U);
    EXPECT_EQ(std::accumulate(use.classes_wire.begin(), use.classes_wire.end(), Bytes(0)),
              use.wire);
}

// Without a class of its own, a message has that of its kind.
TEST(TrafficClasses, KindsHaveClasses) {
    topology::PacketParameters packet = classes(2);
    packet.classes.class_of[static_cast<std::size_t>(Communication::AllToAll)] = 1;
    PlannedMessage exchange = packets(0, 1, 3);
    exchange.kind = Communication::AllToAll;
    PlannedMessage urgent = exchange;
    urgent.traffic_class = 0;
    const PlanRun run({mesh(2)}, {exchange, packets(0, 1, 4), urgent}, packet);
    EXPECT_THAT(run.use(0, 1).classes_wire, ElementsAre(Bytes(7000), Bytes(3000)));
    EXPECT_EQ(run.delivered(0), Time::ns(105));
}

std::string refusal(const topology::PacketParameters& packet) {
    return test::message_of<InputError>([&] { const PlanRun run({mesh(2)}, {}, packet); });
}

TEST(TrafficClasses, RefusesWhatCannotWork) {
    EXPECT_THAT(refusal(classes(0)), HasSubstr("packet.classes"));
    EXPECT_THAT(refusal(classes(9)), HasSubstr("1 to 8 traffic classes"));
    EXPECT_THAT(refusal(classes(2, {1})), HasSubstr("packet.class_arbitration: found '1'"));
    EXPECT_THAT(refusal(classes(2, {1, 101})), HasSubstr("one from 1 to 100 for each class"));
    EXPECT_THAT(refusal(classes(2, {0, 1})), HasSubstr("packet.class_arbitration"));
    topology::PacketParameters packet = classes(2);
    packet.classes.class_of[3] = 2;
    EXPECT_THAT(refusal(packet), HasSubstr("packet.class_of: found class 2"));
    packet = classes(8);
    packet.virtual_channels = 5;
    EXPECT_THAT(refusal(packet), HasSubstr("found 40 in all traffic classes; expected 1 to 32"));
    packet.virtual_channels = 4;
    EXPECT_EQ(refusal(packet), "no error");
}

}  // namespace
}  // namespace npunet::packet_test
