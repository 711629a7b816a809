// The network of Ethernet-like switches: closed forms, schedules worked out by hand, and what must
// hold whatever is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "network_run.h"
#include "plan_run.h"
#include "random_networks.h"
#include "random_parameters.h"
#include "test_networks.h"
#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"
#include "topology/parameters/congestion_control.h"

namespace npunet::packet_test {
namespace {

using topology::FlowControl;
using topology::NetworkDescription;
using topology::TransportKind;

// With acknowledgements of 64 bytes (0.64 ns) the source hears of the last packet one way back
// later: h (0.64 + 5) ns. Every packet and every acknowledgement is carried h times.
TEST(Ethernet, TheLastAcknowledgementEndsTheSend) {
    for (const TransportKind kind : {TransportKind::GoBackN, TransportKind::SelectiveRepeat}) {
        for (int hops = 1; hops <= 5; ++hops) {
            const NetworkDescription network = network_of({mesh(6)}, ethernet(kind));
            const EthernetRun run(network, {packets(0, hops, 7)});
            const Time delivered = Time::ns(10 * (7 + hops - 1) + 5 * hops);
            EXPECT_EQ(run.delivered(0), delivered);
            EXPECT_EQ(run.outcomes()[0].sent, delivered + Time::ps(hops * 5640));
            EXPECT_EQ(run.machine.packet_hops(), static_cast<std::uint64_t>(14 * hops));
        }
    }
}

// NPUs 0 to 3 round a switch; NPU 0 is far away, the link to 2 is slow, that to 3 fast. Packets
// from 1 to 2 fill the shared room of 4 packets. Meanwhile every packet of 64 bytes from 0 to 3
// finds nothing free when it comes and is gone when the next one comes: it asks for a pause and
// takes that back, 128 bytes on the way back for 64 on the way there. Were all of that sent, the
// request that full packets from 0 to 2 make would wait longer than the headroom lasts.
TEST(Ethernet, NothingIsLostHoweverOftenPausesAreAskedFor) {
    topology::PacketParameters packet;
    packet.flow_control = FlowControl::Pfc;
    NetworkDescription network = network_of({star(4)}, packet);
    const std::array rates{Rate(400'000'000'000), Rate(400'000'000'000), Rate(1'000'000'000),
                           Rate(900'000'000'000)};
    replace_links(network, [&](NodeId from, NodeId to) {
        const NodeId npu = std::min(from, to);
        return topology::Link{
            from, to, rates[npu.index()], npu == NodeId(0) ? Time::ns(2000) : latency, -1, false};
    });
    network.packet.shared_buffer.alpha = 8;
    network.packet.buffer = 4 * (network.packet.mtu + network.packet.header);
    const Bytes full = network.packet.mtu;
    Plan plan{{NodeId(1), NodeId(2), 200 * full, Time()}};
    plan.resize(25'001, {NodeId(0), NodeId(3), Bytes(0), Time::ns(10)});
    plan.push_back({NodeId(0), NodeId(2), 3000 * full, Time::ns(4000)});
    const EthernetRun run(network, plan);
    EXPECT_EQ(run.sum().drops, 0U);
    EXPECT_EQ(run.outcomes().back().deliveries, 1);
}

// Queue pair 0 waits until 50, pair 1 lines up at 80, and the port, busy so far, asks at 100: pair
// 0 has stood in the line since 50, ahead of pair 1. Pair 2, whose time is 80, too, comes between
// them.
TEST(Ethernet, ThoseWhoseTimeComesWhileThePortIsBusyKeepTheirTurn) {
    std::vector<packet::QueuePair> pairs(3);
    packet::SendRoundRobin turns;
    pairs[0].next_start = 50;
    pairs[2].next_start = 80;
    turns.wait(pairs, 2);
    turns.wait(pairs, 0);
    turns.join(pairs, 1, 80);
    turns.join_those_due(pairs, 100);
    for (const std::uint32_t expected : {0U, 2U, 1U}) {
        EXPECT_EQ(turns.first(), expected);
        turns.leave(pairs);
    }
}

// Fifteen NPUs of a fat tree send 64 KiB each to one, whose switch has room for eight packets: most
// are trimmed, and come again for grants. The link takes 16 packets x 15 x 83.2 ns = 20 us; no
// sender may be left to wait for its timeout of 500 us.
TEST(Ethernet, TrimmedPacketsComeAgainForGrants) {
    const topology::FatTreeShape shape{2, 8, 16, {4}, {4}};
    const topology::LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};
    NetworkDescription network = topology::make_fat_tree(shape, {speed, speed});
    network.packet.flow_control = FlowControl::None;
    network.packet.transport.kind = TransportKind::SelectiveRepeat;
    network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::ReceiverCredit);
    network.packet.congestion_control.values.back() = 1;
    network.packet.buffer = Bytes(8 * 4160);
    for (const std::int64_t kib : {40, 48, 52, 56, 64, 68, 72, 80}) {
        Plan plan;
        for (int npu = 1; npu < 16; ++npu) {
            plan.push_back({NodeId(npu), NodeId(0), Bytes(kib * 1024), Time(), -1, true});
        }
        const EthernetRun run(network, plan);
        EXPECT_GT(run.sum().drops, 0u);
        for (const packet::QueuePair& pair : run.machine.pairs()) {
            EXPECT_EQ(pair.use.timeouts, 0) << kib << " KiB from NPU " << pair.source;
        }
    }
}

// A queue may have alpha times what is free: a packet that finds no room in an empty buffer would
// be sent again for ever. Automatic buffers have 256 KiB for each link.
TEST(Ethernet, RefusesBuffersThatNoPacketFits) {
    NetworkDescription network = network_of({mesh(3)}, ethernet(TransportKind::SelectiveRepeat));
    network.packet.flow_control = FlowControl::None;
    network.packet.buffer = Bytes();
    engine::EventQueue queue;
    network.packet.shared_buffer.alpha = 0.000238;  // of 4 194 304 bytes: 998
    EXPECT_THROW(packet::EthernetNetwork(network, queue), InputError);
    network.packet.shared_buffer.alpha = 0.000239;  // 1002
    EXPECT_NO_THROW(packet::EthernetNetwork(network, queue));
    network.packet.shared_buffer.alpha = 8;
    network.packet.buffer = Bytes(1000);
    EXPECT_NO_THROW(packet::EthernetNetwork(network, queue));
    network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::Hpcc);
    EXPECT_THROW(packet::EthernetNetwork(network, queue), InputError);
}

/// Random traffic on random networks: every message comes once, and as many payload bytes as it
/// has. Counted by the listener: Outcome::deliveries.
class EveryByteOnce : public testing::TestWithParam<unsigned> {};

TEST_P(EveryByteOnce, WhateverIsLost) {
    std::mt19937_64 random(GetParam());
    int pausing = 0;
    int complete = 0;
    for (int i = 0; i < 12; ++i) {
        NetworkDescription network = random_network(GetParam() % network_kinds, random);
        draw_ethernet(network, i % 3 != 0, random);
        const Plan plan =
            make_plan(static_cast<Pattern>(random() % 5), static_cast<int>(network.graph.npus()),
                      30'000, network.packet.mtu.value(), random);
        const EthernetRun run(network, plan);
        pausing += network.packet.flow_control == FlowControl::Pfc ? 1 : 0;
        // Pauses may wait for each other in a cycle where virtual channels would be needed.
        if (network.virtual_channels_needed() > 1 && !run.machine.explain_stall().empty()) {
            EXPECT_EQ(network.packet.flow_control, FlowControl::Pfc);
            continue;
        }
        expect_everything_once(run, plan);
        if (HasFatalFailure()) {
            FAIL() << network.name << ", case " << i;
        }
        complete += network.packet.flow_control == FlowControl::Pfc ? 1 : 0;
        const EthernetRun shuffled(network, plan, random());
        ASSERT_EQ(run.transcript(), shuffled.transcript());
    }
    // Few cycles close: the cases say something.
    EXPECT_GE(complete, 4);
    EXPECT_GE(5 * complete, 4 * pausing);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryByteOnce, testing::Range(0U, 40U));

}  // namespace
}  // namespace npunet::packet_test
