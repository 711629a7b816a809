// Lookahead windows of networks of Ethernet-like switches. That they change nothing is checked by
// the oracle (ethernet_oracle_test.cc) and beside fast-forward (ethernet_trains_test.cc).

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <utility>

#include "engine/clock/event_queue.h"
#include "packet/base/constants.h"
#include "packet/ethernet/ethernet_network.h"
#include "packet/ethernet/node_events.h"
#include "tests/support/draw.h"
#include "topology/builders/builder.h"
#include "topology/parameters/congestion_control.h"
#include "traffic.h"

namespace npunet::packet_test::ethernet_lookahead_test {
namespace {

using packet::NodeEvents;

TEST(NodeEvents, TakesByTimeThenByPlace) {
    std::mt19937_64 random(7);
    test::DrawFrom draw(random);
    NodeEvents events;
    for (int round = 0; round < 300; ++round) {
        const std::int64_t from = draw.below(1000);
        const std::int64_t limit = from + 1 +
                                   draw.below(draw.any_of({std::int64_t{10}, std::int64_t{1000},
                                                           std::int64_t{1'000'000'000'000}}));
        events.begin(from, limit);
        std::set<std::pair<std::int64_t, std::uint32_t>> expected;
        std::int64_t now = from;
        for (int step = 0; step < 200; ++step) {
            if (draw.one_in(2)) {
                const std::int64_t at = now + draw.below(limit - from + 5);
                const auto place = static_cast<std::uint32_t>(draw.below(NodeEvents::most_places));
                const bool fits = at < limit;
                if (fits && !expected.insert({at, place}).second) {
                    continue;
                }
                events.add(at, place);
            } else if (!expected.empty()) {
                now = expected.begin()->first;
                ASSERT_EQ(events.first_time(), now);
                ASSERT_EQ(events.take(), expected.begin()->second);
                expected.erase(expected.begin());
            }
            ASSERT_EQ(events.first_time(),
                      expected.empty() ? packet::never : expected.begin()->first);
        }
    }
}

TEST(NodeEvents, PlacesThatAreDueNowAscend) {
    NodeEvents events;
    for (const std::uint32_t place : {127U, 64U, 3U, 63U, 0U}) {
        events.add_now(place);
    }
    EXPECT_EQ(events.take_now(), 0U);
    EXPECT_EQ(events.take_now(), 3U);
    events.add_now(1);
    EXPECT_EQ(events.take_now(), 1U);
    EXPECT_EQ(events.take_now(), 63U);
    EXPECT_EQ(events.take_now(), 64U);
    EXPECT_EQ(events.take_now(), 127U);
    EXPECT_EQ(events.take_now(), packet::none);
}

/// Four senders to one NPU on a switch, and four others to one each.
topology::NetworkDescription star(Time latency) {
    topology::NetworkDescription network =
        topology::make_network({topology::make_dimension(topology::DimensionKind::Switch, 8,
                                                         Rate(50'000'000'000), latency)},
                               "star");
    network.packet.flow_control = topology::FlowControl::Pfc;
    network.packet.transport.kind = topology::TransportKind::GoBackN;
    network.packet.congestion_control =
        topology::standard_choice(topology::CongestionAlgorithm::Dcqcn);
    return network;
}

Plan incast() {
    Plan plan;
    for (int npu = 1; npu < 8; ++npu) {
        plan.push_back(message(npu, npu < 5 ? 0 : npu - 1, 1 << 20, Time::ns(npu)));
    }
    return plan;
}

/// Instants of the queue until a plan is through, for each packet-hop.
double instants_per_packet_hop(const topology::NetworkDescription& network) {
    const Plan plan = incast();
    engine::EventQueue queue;
    packet::EthernetNetwork machine(network, queue);
    machine.set_fast_forward(false);
    const Traffic traffic(plan, queue, machine);
    std::uint64_t instants = 0;
    for (; !queue.empty(); ++instants) {
        queue.run_instant();
    }
    EXPECT_GT(machine.packet_hops(), 7U * 2 * 256);
    return static_cast<double>(instants) / static_cast<double>(machine.packet_hops());
}

TEST(EthernetLookahead, NodesAdvanceWithoutEvents) {
    EXPECT_LT(instants_per_packet_hop(star(Time::ns(500))), 0.02);
}

TEST(EthernetLookahead, NeedsLatency) {
    EXPECT_GT(instants_per_packet_hop(star(Time())), 0.2);
}

}  // namespace
}  // namespace npunet::packet_test::ethernet_lookahead_test
