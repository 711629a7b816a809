#include "packet/credit/credit_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "plan_run.h"
#include "test_networks.h"
#include "topology/builders/builder.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

using packet::CreditNetwork;
using topology::DimensionKind;

// Line 0 - 1 - 2. A: three packets 0 -> 2; B: three packets 1 -> 2. In ns:
//     link 0->1:  A1 0-10 (in at 15), A2 10-20 (25), A3 20-30 (35)
//     link 1->2:  B1 0-10, B2 10-20 (A1 is not in yet); at 20 it is A's turn: A1 20-30, then B3
//                 30-40, A2 40-50, A3 50-60
// B is in at 45, A at 65. At 40 A2 and A3 stand in the queue: 2000 bytes, the most ever.
TEST(PacketMachine, TwoFlowsTakeTurnsOnASharedLink) {
    const PlanRun run({mesh(3)}, {packets(0, 2, 3), packets(1, 2, 3)});
    EXPECT_EQ(run.delivered(), ns({65, 45}));
    EXPECT_EQ(run.outcomes()[0].first_byte_left, Time());
    EXPECT_EQ(run.outcomes()[0].sent, Time::ns(30));
    EXPECT_EQ(run.outcomes()[1].sent, Time::ns(40));
    const LinkId shared = run.network.graph.find_link(NodeId(1), NodeId(2));
    const engine::LinkUse use = run.machine.link_use()[shared.index()];
    EXPECT_EQ(use.payload, Bytes(6 * mtu));
    EXPECT_EQ(use.wire, Bytes(6000));
    EXPECT_EQ(use.busy, Time::ns(60));
    EXPECT_EQ(use.max_queue, Bytes(2000));
}

// A switch with NPUs 0 .. 3; two packets each from 0, 1 and 2 to 3. All first packets are in at 15,
// all second ones at 25. The link to 3 serves the inputs in their order, one packet each:
//     0: 15-25, 1: 25-35, 2: 35-45, 0: 45-55, 1: 55-65, 2: 65-75; each in 5 later.
// At 25 there stand five packets, the one chosen then included.
TEST(PacketMachine, ThreeFlowsTakeTurnsAtASwitch) {
    const PlanRun run({star(4)}, {packets(2, 3, 2), packets(0, 3, 2), packets(1, 3, 2)});
    EXPECT_EQ(run.delivered(), ns({80, 60, 70}));
    const LinkId shared = run.network.graph.find_link(NodeId(4), NodeId(3));
    EXPECT_EQ(run.machine.link_use()[shared.index()].max_queue, Bytes(5000));
}

// One packet of buffer. 0 -> 1: packet 1 0-10, in at 15 and consumed there, its credit back at 20:
// 20-30, credit at 40: 40-50, in at 55.
TEST(PacketMachine, WaitsForCreditFromTheDestination) {
    const PlanRun run({mesh(2)}, {packets(0, 1, 3)}, parameters(1));
    EXPECT_EQ(run.delivered(0), Time::ns(55));
}

// One packet of buffer, 0 -> 1 -> 2. Packet 1: 0-10, in at 15; 15-25 on the second link, where its
// room in node 1 becomes free; that credit is at node 0 at 30. Packet 2: 30-40, in at 45; the
// credit of the second link has been back since 35; 45-55, in at 60.
TEST(PacketMachine, WaitsForCreditFromANodeOnTheWay) {
    const PlanRun run({mesh(3)}, {packets(0, 2, 2)}, parameters(1));
    EXPECT_EQ(run.delivered(0), Time::ns(60));
}

// Messages of one port take turns in the order of their start: A1 B1 A2 B2 A3 if A has the lower
// id. The order of the calls does not matter.
TEST(PacketMachine, MessagesOfOnePortTakeTurnsInOrderOfTheirIds) {
    for (const bool reversed : {false, true}) {
        const TestNetwork network({mesh(2)}, equal_links(rate, latency));
        engine::EventQueue queue;
        const topology::NetworkDescription description = network.describe(parameters());
        CreditNetwork machine(
            description, [&network](NodeId from, NodeId to) { return network.route(from, to); },
            queue);
        struct Note : engine::MessageListener {
            explicit Note(engine::EventQueue& clock) : queue(clock) {}
            void on_sent(std::uint32_t) override {}
            void on_delivered(std::uint32_t handle, Time left) override {
                delivered[handle] = queue.now();
                first_byte_left[handle] = left;
            }
            engine::EventQueue& queue;
            Time delivered[2];
            Time first_byte_left[2];
        } note(queue);
        machine.set_listener(note);
        const auto send = [&machine](std::uint32_t number, std::int64_t count) {
            machine.send({engine::MessageId(NodeId(0), number), NodeId(0), NodeId(1),
                          Bytes(count * mtu), number, false});
        };
        if (reversed) {
            send(1, 2);
            send(0, 3);
        } else {
            send(0, 3);
            send(1, 2);
        }
        queue.run();
        EXPECT_EQ(note.first_byte_left[0], Time());
        EXPECT_EQ(note.first_byte_left[1], Time::ns(10));
        EXPECT_EQ(note.delivered[0], Time::ns(55));
        EXPECT_EQ(note.delivered[1], Time::ns(45));
    }
}

// Each virtual channel has credit of its own: on a ring of four with room for one packet, a packet
// on channel 0 and one on channel 1 of one link do not wait for each other's credit. 3 -> 1 goes 3
// -> 0 (the link that closes the ring) -> 1 on channel 1, 0 -> 1 on channel 0.
//     0->1: 0 -> 1's packet 0-10. The other: 3->0 0-10, in at 15; 0->1 on channel 1 15-25, in
//     at 30. With one channel it would wait for the credit of the first packet until 20.
TEST(PacketMachine, VirtualChannelsHaveCreditOfTheirOwn) {
    const PlanRun run({ring(4)}, {packets(0, 1, 1), packets(3, 1, 1)}, parameters(1));
    EXPECT_EQ(run.delivered(), ns({15, 30}));
}

// A byte takes a second and the latency is 1000 s, so that what follows from a start lies 500 s + 2
// x 1000 s later at most. The clock ends after 9 223 372.036 854 775 807 s; the last packet that
// starts is the one at 9 220 500 s, number 18 441.
TEST(PacketMachine, StopsBeforeTheEndOfTheClock) {
    const TestNetwork network({mesh(2)}, equal_links(Rate(1), Time::ns(1'000'000'000'000)));
    topology::PacketParameters slow;
    slow.mtu = Bytes(500);
    slow.header = Bytes(0);
    slow.buffer = Bytes(10'000);
    for (const bool trains : {false, true}) {
        engine::EventQueue queue;
        const topology::NetworkDescription description = network.describe(slow);
        CreditNetwork machine(
            description, [&network](NodeId from, NodeId to) { return network.route(from, to); },
            queue);
        machine.set_fast_forward(trains);
        const Plan plan{{NodeId(0), NodeId(1), Bytes(500 * 20'000), Time()}};
        const Traffic traffic(plan, queue, machine);
        EXPECT_THROW(queue.run(), StallError) << trains;
        EXPECT_EQ(machine.packet_hops(), 18'442u) << trains;
    }
}

TEST(PacketMachine, RefusesParametersThatCannotWork) {
    using topology::make_dimension;
    const auto make = [](const std::function<void(topology::PacketParameters&)>& change) {
        topology::NetworkDescription description =
            topology::make_network({make_dimension(DimensionKind::Ring, 5, rate, latency)});
        change(description.packet);
        engine::EventQueue queue;
        const CreditNetwork machine(description, queue);
    };
    EXPECT_NO_THROW(make([](auto&) {}));
    EXPECT_NO_THROW(make([](auto& packet) { packet.buffer = Bytes(4160); }));
    EXPECT_THROW(make([](auto& packet) { packet.buffer = Bytes(4159); }), InputError);
    EXPECT_THROW(make([](auto& packet) { packet.mtu = Bytes(0); }), InputError);
    EXPECT_THROW(make([](auto& packet) { packet.header = Bytes(-1); }), InputError);
    EXPECT_THROW(make([](auto& packet) { packet.virtual_channels = 1; }), InputError);
    EXPECT_THROW(make([](auto& packet) { packet.virtual_channels = 33; }), InputError);
    EXPECT_THROW(make([](auto& packet) { packet.error_rate = 1; }), InputError);
    EXPECT_THROW(make([](auto& packet) { packet.error_rate = -0.1; }), InputError);
    EXPECT_THROW(make([](auto& packet) {
                     packet.error_rate = 0.1;
                     packet.switching = topology::Switching::CutThrough;
                 }),
                 InputError);
}

// A switch of n ports has n x n queues: 12 000 x 12 001 and 12 000 x 2 at the NPUs are too many.
TEST(PacketMachine, RefusesSwitchesThatWouldFillTheMemory) {
    const auto star = topology::make_dimension(DimensionKind::Switch, 12'000, rate, latency);
    const topology::NetworkDescription description = topology::make_network({star});
    engine::EventQueue queue;
    EXPECT_THROW(CreditNetwork(description, queue), InputError);
}

// Room for one packet is the smallest buffer there is; with the dateline's two channels a torus
// still cannot lock up. Conservation: every message arrives exactly once, and each link carries
// exactly the payload and the packets of the routes that cross it.
TEST(PacketMachine, LosesNothingWithTheSmallestBuffers) {
    using topology::make_dimension;
    std::mt19937_64 random(7);
    for (int round = 0; round < 40; ++round) {
        std::vector<topology::Dimension> dimensions;
        const auto kind = round % 2 == 0 ? DimensionKind::Ring : DimensionKind::Mesh1D;
        for (int d = 0; d < 1 + round % 3; ++d) {
            dimensions.push_back(
                make_dimension(kind, 2 + static_cast<int>(random() % 5), rate, latency));
        }
        topology::NetworkDescription description = topology::make_network(dimensions);
        description.packet.mtu = Bytes(mtu);
        description.packet.buffer = Bytes(mtu + 64);
        if (round >= 20) {
            description.packet.switching = topology::Switching::CutThrough;
        }
        if (round % 4 >= 2) {
            description.packet.arbitration = topology::Arbitration::Oldest;
        }
        const auto npus = static_cast<int>(description.graph.npus());
        const Plan plan = make_plan(static_cast<Pattern>(round % 5), npus, 6 * mtu, mtu, random);
        const CreditRun run(description, plan);
        ASSERT_TRUE(all_came_once(run.outcomes()));
        std::vector<engine::LinkUse> expected(description.graph.links());
        std::uint64_t hops = 0;
        for (const PlannedMessage& planned : plan) {
            const std::int64_t count = Packets(planned.bytes.value()).count;
            for (const topology::Hop& hop :
                 description.route(planned.source, planned.destination)) {
                expected[hop.link.index()].payload += planned.bytes;
                expected[hop.link.index()].wire += planned.bytes + Bytes(count * 64);
                hops += static_cast<std::uint64_t>(count);
            }
        }
        EXPECT_EQ(run.machine.packet_hops(), hops);
        const std::vector<engine::LinkUse> uses = run.machine.link_use();
        for (std::size_t link = 0; link < uses.size(); ++link) {
            EXPECT_EQ(uses[link].payload, expected[link].payload);
            EXPECT_EQ(uses[link].wire, expected[link].wire);
        }
    }
}

}  // namespace
}  // namespace npunet::packet_test
