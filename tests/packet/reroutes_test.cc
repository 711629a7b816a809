// Packets that go round links that are down: schedules worked out by hand, and random networks of
// every kind with every routing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/errors.h"
#include "plan_run.h"
#include "tests/support/random_faults.h"
#include "tests/support/refusals.h"
#include "topology/builders/builder.h"
#include "topology/builders/dragonfly.h"
#include "topology/routing/product_routing.h"

namespace npunet::packet_test::reroutes_test {
namespace {

using topology::LinkFault;
using topology::NetworkDescription;

/// Ring 0 - 1 - 2 - 3 of packets of 10 ns and links of 5 ns. Dimension order goes up on ties.
NetworkDescription ring_of_four() {
    return network_of({ring(4)});
}

LinkId link_of(const NetworkDescription& network, int from, int to) {
    return network.graph.find_link(NodeId(from), NodeId(to));
}

void cut_one_way(NetworkDescription& network, int from, int to, Time at = Time(),
                 Time until = Time::max()) {
    LinkFault fault;
    fault.link = link_of(network, from, to);
    fault.at = at;
    fault.until = until;
    fault.bandwidth.billionths = 0;
    network.faults.links.push_back(fault);
}

void cut(NetworkDescription& network, int a, int b, Time at = Time(), Time until = Time::max()) {
    cut_one_way(network, a, b, at, until);
    cut_one_way(network, b, a, at, until);
}

/// Full packets that a link has carried.
std::int64_t carried(const CreditRun& run, int from, int to) {
    return run.use(from, to).payload.value() / mtu;
}

// 0 to 1, six packets; the link dies at 25 ns in the middle of the message. P1 0-10 and P2 10-20 go
// by it; P3 would not be through by 25 and does not start. From 25 on the others go round by 3 and
// 2, from 25, 35, 45 and 55; the last has left at 65 and is in after 3 x 15 ns, at 100.
TEST(PacketReroutes, AMessageHalfSent) {
    NetworkDescription network = ring_of_four();
    cut(network, 0, 1, Time::ns(25));
    const CreditRun run(network, {packets(0, 1, 6)});
    EXPECT_EQ(run.delivered(0), Time::ns(100));
    EXPECT_EQ(run.outcomes()[0].sent, Time::ns(65));
    EXPECT_EQ(carried(run, 0, 1), 2);
    EXPECT_EQ(carried(run, 0, 3), 4);
    EXPECT_EQ(carried(run, 2, 1), 4);
}

// 0 to 2 by 1, three packets; 1 - 2 dies at 28. P1: in at 1 at 15, sent 15-25, in at 30. P2: in at
// 25, would be through at 35, does not start; it waits until 28 and then goes back by 0 and 3:
// 28-38 (in at 43), 43-53 (58), 58-68, in at 73. P3: in at 35, finds the link dead: 38-48 (53),
// 53-63 (68), 68-78, in at 83.
TEST(PacketReroutes, PacketsThatWaitForALinkThatDies) {
    NetworkDescription network = ring_of_four();
    cut(network, 1, 2, Time::ns(28));
    const CreditRun run(network, {packets(0, 2, 3)});
    EXPECT_EQ(run.delivered(0), Time::ns(83));
    EXPECT_EQ(carried(run, 1, 2), 1);
    EXPECT_EQ(carried(run, 1, 0), 2);
    EXPECT_EQ(run.use(1, 2).max_queue, Bytes(1000));
    EXPECT_EQ(run.use(1, 0).max_queue, Bytes(1000));
}

// The distribution of those queues: 1 -> 2 has P2 from 25 to 28, 1 -> 0 has P3 from 35 to 38; the
// others leave as soon as they are in.
TEST(PacketReroutes, QueuesOfDeadLinksEnd) {
    NetworkDescription network = ring_of_four();
    network.packet.queue_histogram = true;
    cut(network, 1, 2, Time::ns(28));
    const CreditRun run(network, {packets(0, 2, 3)});
    for (const auto& [from, to] : {std::pair(1, 2), {1, 0}}) {
        const std::vector<Time> times = run.use(from, to).queue_times;
        ASSERT_EQ(times.size(), 10U);  // 512 to 1023 bytes
        EXPECT_EQ(times[9], Time::ns(3));
    }
}

// 1 - 2 is down from 38 to 200 ns. B: 1 to 2, two packets, 0-10 and 10-20. A: 0 to 2, four packets,
// in at 1 at 15, 25, 35, 45. A1 20-30, A2 30-38 and the rest of 2 ns from 200 on, in at 207. A3
// waits for the link when it goes down and keeps waiting: 202-212, in at 217. A4 finds it down and
// goes round: 45-55 (60), 60-70 (75), 75-85, in at 90.
TEST(PacketReroutes, ALinkThatComesBack) {
    NetworkDescription network = ring_of_four();
    cut(network, 1, 2, Time::ns(38), Time::ns(200));
    const CreditRun run(network, {packets(0, 2, 4), packets(1, 2, 2)});
    EXPECT_EQ(run.delivered(), ns({217, 25}));
    EXPECT_EQ(carried(run, 1, 2), 5);
    EXPECT_EQ(carried(run, 1, 0), 1);
}

// 0 to 1 while 0 -> 1 alone is down: round, 45 ns; 1 to 0 goes straight, 15 ns.
TEST(PacketReroutes, OneWay) {
    NetworkDescription network = ring_of_four();
    cut_one_way(network, 0, 1);
    const CreditRun run(network, {packets(0, 1, 1), packets(1, 0, 1)});
    EXPECT_EQ(run.delivered(), ns({45, 15}));
}

// 0 - 1 down from 0 to 50 and for good from 300; 0 - 3 down from 50 to 100. One packet each time,
// 15 ns a hop: 0 to 1 round at 0; straight at 60 and at 200; round again at 310. At 60 0 to 3 waits
// for its link: round by 1 and 2 would be down to 1 and then up, as 1 comes last in the order.
TEST(PacketReroutes, SeveralEpochs) {
    NetworkDescription network = ring_of_four();
    cut(network, 0, 1, Time(), Time::ns(50));
    cut(network, 0, 1, Time::ns(300));
    cut(network, 0, 3, Time::ns(50), Time::ns(100));
    const CreditRun run(
        network, {packets(0, 1, 1), packets(0, 1, 1, Time::ns(60)), packets(0, 3, 1, Time::ns(60)),
                  packets(0, 1, 1, Time::ns(200)), packets(0, 1, 1, Time::ns(310))});
    EXPECT_EQ(run.delivered(), ns({45, 75, 115, 215, 355}));
}

// 0 - 1 never works, 3 - 2 is down until 100. 0 to 1: in at 3 at 15, waits for 3 - 2: 100-110
// (115), 115-125, in at 130.
TEST(PacketReroutes, WaitForTheOneThatComesBack) {
    NetworkDescription network = ring_of_four();
    cut(network, 0, 1);
    cut(network, 2, 3, Time(), Time::ns(100));
    const CreditRun run(network, {packets(0, 1, 1)});
    EXPECT_EQ(run.delivered(0), Time::ns(130));
}

// Where nothing leads round, the run ends as before, and says which link it is. Without traffic for
// it nothing happens.
TEST(PacketReroutes, NoOtherWayIsAStall) {
    NetworkDescription network = network_of({mesh(3)});
    cut(network, 1, 2, Time::ns(30));
    EXPECT_THAT(test::message_of<StallError>(
                    [&] { return CreditRun(network, {packets(0, 2, 3)}).finish(); }),
                testing::HasSubstr("npu1 -> npu2 is down from 30 ns on and never comes back"));
    EXPECT_EQ(CreditRun(network, {packets(0, 1, 3)}).delivered(0), Time::ns(35));
}

// A ring is cut at once in one place, and long after the traffic in another: until then everybody
// reaches everybody the other way round, whichever two links they are.
TEST(PacketReroutes, ALinkThatDiesLater) {
    for (const int size : {6, 8}) {
        for (int first = 0; first < size; ++first) {
            for (int second = 0; second < size; ++second) {
                if (first == second) {
                    continue;
                }
                NetworkDescription network = network_of({ring(size)}, parameters(1));
                cut(network, first, (first + 1) % size);
                cut(network, second, (second + 1) % size, Time::ns(1000000));
                Plan plan;
                for (int from = 0; from < size; ++from) {
                    for (int to = 0; to < size; ++to) {
                        if (from != to) {
                            plan.push_back(packets(from, to, 3));
                        }
                    }
                }
                const CreditRun run(network, plan);
                ASSERT_TRUE(all_came_once(run.outcomes()))
                    << size << ": " << first << ", " << second;
            }
        }
    }
}

// Three groups of two routers with an NPU each, one global link a router. From NPU 0 (router 6) to
// NPU 4 (router 10) the minimal way is router 7 and its global link, chosen at router 6 at 15. The
// packet is in at router 7 at 30; the global link is dead from 27 on. What is left is a chain of
// routers, 7 - 6 - 9 - 8 - 11 - 10: five hops and the NPU's, 30 + 6 x 15 = 120.
TEST(PacketReroutes, AHopChosenBeforeItDied) {
    const topology::DragonflyShape shape{2, 1, 1, 3};
    const topology::LinkSpeed speed{rate, latency};
    NetworkDescription network = topology::make_dragonfly(shape, {speed, speed, speed});
    network.packet = parameters();
    network.packet.virtual_channels = 0;
    network.multipath = std::make_shared<topology::DragonflyNextHops>(shape);
    EXPECT_EQ(CreditRun(network, {packets(0, 4, 1)}).delivered(0), Time::ns(60));
    cut(network, 7, 10, Time::ns(27));
    EXPECT_EQ(network.virtual_channels(), 4);
    EXPECT_EQ(CreditRun(network, {packets(0, 4, 1)}).delivered(0), Time::ns(120));
}

// Adaptive on a mesh of 2 x 2, 0 to 3, four packets: P1 by 1 and P2 by 2 from 0 on, P3 by 1 and P4
// by 2 from 10 on; 15, 25: in at 1 and 2; in at 3 at 30 and 40. With 1 - 3 dead P1 and P3 are led
// back at 1 only if they went there: at 0 it is not known. P1 in at 1 at 15: 15-25 back to 0 (30),
// 30-40 (45), 45-55, in at 60. P3 likewise 10 ns later, at 70.
TEST(PacketReroutes, AdaptiveOnAMesh) {
    NetworkDescription network = network_of({mesh(2), mesh(2)});
    network.multipath = std::make_shared<topology::ProductNextHops>(network.dimensions);
    EXPECT_EQ(CreditRun(network, {packets(0, 3, 4)}).delivered(0), Time::ns(40));
    cut(network, 1, 3);
    const CreditRun run(network, {packets(0, 3, 4)});
    EXPECT_EQ(run.delivered(0), Time::ns(70));
    EXPECT_EQ(carried(run, 1, 0), 2);
    EXPECT_EQ(carried(run, 2, 3), 4);
}

// The channel of the reroutes is not left out.
TEST(PacketReroutes, NeedOneChannelMore) {
    NetworkDescription network = ring_of_four();
    network.packet.virtual_channels = 2;
    engine::EventQueue queue;
    packet::CreditNetwork fits(network, queue);
    cut(network, 0, 1);
    EXPECT_THAT(test::message_of<InputError>([&] { packet::CreditNetwork(network, queue); }),
                testing::HasSubstr("at least 3"));
    network.packet.virtual_channels = 3;
    EXPECT_EQ(CreditRun(network, {packets(0, 1, 1)}).delivered(0), Time::ns(45));
}

/// By node: payload that came in less payload that went out.
std::vector<std::int64_t> balance(const topology::Graph& graph, const engine::Network& machine) {
    std::vector<std::int64_t> result(graph.nodes());
    const std::vector<engine::LinkUse> uses = machine.link_use();
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        result[link.to.index()] += uses[i].payload.value();
        result[link.from.index()] -= uses[i].payload.value();
    }
    return result;
}

// Random networks of every kind with every routing, buffers of one packet, links that go down and
// up and, leaving all joined, for good: every message is delivered once, each node keeps what was
// sent to it and has given what it sent, and the order of simultaneous events does not matter.
TEST(PacketReroutes, LoseNothing) {
    std::mt19937_64 random(21);
    int went_round = 0;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (int round = 0; round < 25; ++round) {
            NetworkDescription network = test::random_network(offer, random);
            const topology::Graph& graph = network.graph;
            network.packet.mtu = Bytes(1000);
            network.packet.header = Bytes(24);
            network.packet.buffer = Bytes(1024 * static_cast<std::int64_t>(1 + random() % 3));
            network.packet.seed = random();
            network.packet.queue_histogram = random() % 4 == 0;
            network.packet.switching = random() % 2 == 0 ? topology::Switching::CutThrough
                                                         : topology::Switching::StoreAndForward;
            network.packet.arbitration = random() % 2 == 0 ? topology::Arbitration::Oldest
                                                           : topology::Arbitration::RoundRobin;
            const Plan plan = make_plan(static_cast<Pattern>(random() % 5),
                                        static_cast<int>(graph.npus()), 8000, 1000, random);
            const CreditRun before(network, plan);
            const Time finish = std::max(Time::ns(1), before.finish());
            std::vector<std::int64_t> expected(graph.nodes());
            for (const PlannedMessage& planned : plan) {
                expected[planned.destination.index()] += planned.bytes.value();
                expected[planned.source.index()] -= planned.bytes.value();
            }
            network.faults.links =
                test::random_outages(graph, 1 + static_cast<int>(random() % 6), finish, random);
            SCOPED_TRACE(network.name + ", " + offer.routing + ", round " + std::to_string(round));
            const CreditRun run(network, plan);
            ASSERT_TRUE(all_came_once(run.outcomes()));
            ASSERT_EQ(balance(graph, run.machine), expected);
            const CreditRun again(network, plan, random() | 1U);
            ASSERT_EQ(again.transcript(), run.transcript());
            went_round += run.machine.packet_hops() > before.machine.packet_hops() ? 1 : 0;
        }
    }
    EXPECT_GT(went_round, 50);
}

}  // namespace
}  // namespace npunet::packet_test::reroutes_test
