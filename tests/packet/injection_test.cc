// Ports for injection and ejection on the packet machine: closed forms. Packets of 936 + 64 bytes
// at 100 GB/s are 10 ns, links 5 ns (plan_run.h); the new links have no latency.

#include "topology/network/injection.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "plan_run.h"
#include "random_networks.h"
#include "topology/builders/builder.h"
#include "topology/network/deadlock.h"

namespace npunet::packet_test {
namespace {

using topology::NetworkDescription;

// n packets over h links and the two new ones, all of one rate: n + (h + 2) - 2 full packets, the
// last one and h latencies.
TEST(Injection, IdleNetworkFollowsTheClosedFormWithTwoLinksMore) {
    const NetworkDescription network = topology::with_injection(network_of({mesh(6)}), rate);
    for (const std::int64_t bytes : sizes_to_try) {
        for (int hops = 1; hops <= 5; ++hops) {
            const CreditRun run(network, {message(0, hops, bytes)});
            const std::int64_t count = Packets(bytes).count;
            const Time last = transfer_time(Packets(bytes).last, rate);
            const Time expected = count == 1
                                      ? (hops + 2) * last + hops * latency
                                      : (count + hops) * Time::ns(10) + last + hops * latency;
            EXPECT_EQ(run.delivered(0), expected) << bytes << " bytes, " << hops << " links";
        }
    }
}

// k senders of n packets each to one NPU, each over a link of its own. Without the port all
// are in after n ser + a. With it the first packets are at its router after 2 ser + a, and from
// then on the port never stops: 2 ser + a + k n ser.
TEST(Injection, IncastIsLimitedByTheEjectionPort) {
    for (int senders = 1; senders <= 7; ++senders) {
        for (const std::int64_t count : {1, 2, 9, 40}) {
            const NetworkDescription network = network_of({full(senders + 1)});
            Plan plan;
            for (int i = 1; i <= senders; ++i) {
                plan.push_back(packets(i, 0, count));
            }
            const NetworkDescription with_ports = topology::with_injection(network, rate);
            const CreditRun split(with_ports, plan);
            const CreditRun former(network, plan);
            Time last;
            for (std::size_t i = 0; i < plan.size(); ++i) {
                last = std::max(last, split.delivered(i));
                EXPECT_EQ(former.delivered(i), Time::ns(10 * count + 5));
            }
            EXPECT_EQ(last, Time::ns(20 + 5 + 10 * senders * count));
        }
    }
}

// A slower port alone decides: 2 NPUs, port of half the rate, 20 ns a packet: n of them, then the
// last one's way over the link and out: 20 n + 10 + 5 + 20.
TEST(Injection, SlowPortsDecide) {
    for (const std::int64_t count : {1, 2, 17}) {
        const NetworkDescription network =
            topology::with_injection(network_of({ring(2)}), Rate(50'000'000'000));
        const CreditRun run(network, {packets(0, 1, count)});
        EXPECT_EQ(run.delivered(0), Time::ns(20 * count + 35));
    }
}

// Two messages of one NPU by different links share its port, as they did not before.
TEST(Injection, MessagesShareThePortOfTheirSource) {
    const NetworkDescription network = network_of({full(3)});
    const Plan plan{packets(0, 1, 10), packets(0, 2, 10)};
    const NetworkDescription with_ports = topology::with_injection(network, rate);
    const CreditRun split(with_ports, plan);
    // The last packets leave the port at 190 and 200, and take 10 + 5 + 10 from there.
    EXPECT_EQ(split.delivered(0), Time::ns(190 + 25));
    EXPECT_EQ(split.delivered(1), Time::ns(200 + 25));
    const CreditRun former(network, plan);
    EXPECT_EQ(former.delivered(), ns({105, 105}));
}

// On random networks of every kind, with fixed and with several routes: no cycle of waiting with
// the virtual channels that the former network needs; every message is delivered; the former links
// carry the same bytes where there is one path, and the new ones those of their NPUs.
TEST(Injection, NetworksOfEveryKindDeliver) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937_64 random(seed);
        const NetworkDescription network = random_network(seed % network_kinds, random);
        const NetworkDescription split = topology::with_injection(network, Rate(70'000'000'000));
        ASSERT_EQ(split.virtual_channels_needed(), network.virtual_channels_needed());
        ASSERT_EQ(split.routing_name(), network.routing_name());
        const auto waiting = split.multipath ? topology::waiting_dependencies(split, 4)
                                             : topology::channel_dependencies(split);
        ASSERT_TRUE(waiting.find_cycle().empty()) << network.name << ", seed " << seed;

        const auto npus = static_cast<int>(network.graph.npus());
        const Plan plan = make_plan(Pattern::Random, npus, 5 * network.packet.mtu.value(),
                                    network.packet.mtu.value(), random);
        const CreditRun former(network, plan);
        const CreditRun run(split, plan);
        std::vector<Bytes> sent(network.graph.npus());
        std::vector<Bytes> received(network.graph.npus());
        for (std::size_t i = 0; i < plan.size(); ++i) {
            ASSERT_EQ(run.outcomes()[i].deliveries, 1) << network.name << ", seed " << seed;
            sent[plan[i].source.index()] += plan[i].bytes;
            received[plan[i].destination.index()] += plan[i].bytes;
        }
        const auto before = former.machine.link_use();
        const auto uses = run.machine.link_use();
        ASSERT_EQ(uses.size(), before.size() + 2 * network.graph.npus());
        for (std::size_t i = 0; !network.multipath && i < before.size(); ++i) {
            ASSERT_EQ(uses[i].payload, before[i].payload);
            ASSERT_EQ(uses[i].packets, before[i].packets);
        }
        for (std::size_t i = 0; i < network.graph.npus(); ++i) {
            ASSERT_EQ(uses[before.size() + 2 * i].payload, sent[i]);
            ASSERT_EQ(uses[before.size() + 2 * i + 1].payload, received[i]);
        }
    }
}

// Links that are down for a while or for good, with ways round them: they are the same links.
TEST(Injection, DetoursAndFaultsKeepTheirLinks) {
    for (const Time until : {Time::ns(3000), Time::max()}) {
        NetworkDescription network = network_of({full(4)});
        topology::LinkFault fault;
        fault.link = network.graph.find_link(NodeId(2), NodeId(3));
        fault.bandwidth.billionths = 0;
        fault.until = until;
        network.faults.links = {fault};
        const NetworkDescription split = topology::with_injection(network, rate);
        EXPECT_EQ(split.virtual_channels_needed(), network.virtual_channels_needed());
        const CreditRun run(split, {packets(2, 3, 4)});
        // By way of another NPU's router: 2 links, and the two new ones.
        EXPECT_EQ(run.delivered(0), Time::ns((4 + 4 - 2) * 10 + 10 + 2 * 5));
        EXPECT_EQ(run.machine.link_use()[fault.link.index()].packets, 0U);
    }
}

TEST(Injection, RoutersStandBetweenNpusAndTheirLinks) {
    const NetworkDescription network = network_of({star(3)});
    const NetworkDescription split = topology::with_injection(network, Rate(7));
    const topology::Graph& graph = split.graph;
    ASSERT_EQ(graph.npus(), 3U);
    ASSERT_EQ(graph.nodes(), 7U);
    EXPECT_EQ(graph.name(NodeId(3)), network.graph.name(NodeId(3)));
    EXPECT_EQ(graph.name(NodeId(5)), "router-of-npu1");
    EXPECT_EQ(graph.kind(NodeId(5)), topology::NodeKind::Switch);
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        const topology::Link& before = network.graph.link(LinkId(i));
        const topology::Link& after = graph.link(LinkId(i));
        EXPECT_EQ(after.from.value(), before.from.value() < 3 ? before.from.value() + 4 : 3);
        EXPECT_EQ(after.to.value(), before.to.value() < 3 ? before.to.value() + 4 : 3);
        EXPECT_EQ(after.rate, before.rate);
        EXPECT_EQ(after.latency, before.latency);
    }
    const LinkId first(network.graph.links() + 2);
    const topology::Link& injection = graph.link(first);
    EXPECT_EQ(injection.from, NodeId(1));
    EXPECT_EQ(injection.to, NodeId(5));
    EXPECT_EQ(injection.rate, Rate(7));
    EXPECT_EQ(injection.latency, Time());
    EXPECT_EQ(graph.link(LinkId(first.index() + 1)).to, NodeId(1));
    EXPECT_EQ(graph.links_from(NodeId(1)).size(), 1U);
    EXPECT_EQ(split.route(NodeId(1), NodeId(1)), std::vector<topology::Hop>());
}

}  // namespace
}  // namespace npunet::packet_test
