// Networks of two kinds of links: credits within servers, Ethernet-like switches between them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "network_run.h"
#include "packet/tiers/tiered_network.h"
#include "plan_run.h"
#include "tests/support/refusals.h"
#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"
#include "topology/builders/rail.h"
#include "topology/network/idle_path.h"
#include "topology/network/scale_up.h"
#include "topology/parameters/congestion_control.h"
#include "topology/yaml/network_reader.h"

namespace npunet::packet_test {
namespace tiers_test {

using topology::CongestionAlgorithm;
using topology::FlowControl;
using topology::NetworkDescription;
using topology::TransportKind;

using TieredRun = NetworkRun<packet::TieredNetwork>;

/// The links of servers: packets of 1000 bytes take 2.5 ns, and the signal 1 ns.
const topology::LinkSpeed inner{Rate(400'000'000'000), Time::ns(1)};
/// The others: 10 ns and 5 ns.
const topology::LinkSpeed outer{rate, latency};

/// Servers of `size` NPUs, as many of them, whose NPUs of equal places share a switch.
NetworkDescription servers(int size, int count, const topology::PacketParameters& packet) {
    NetworkDescription network = topology::make_network(
        {topology::make_dimension(topology::DimensionKind::Switch, size, inner.rate, inner.latency),
         topology::make_dimension(topology::DimensionKind::Switch, count, outer.rate,
                                  outer.latency)},
        "a network");
    network.packet = packet;
    network.packet.virtual_channels = 0;
    return network;
}

/// With credits in the innermost tier.
NetworkDescription tiered(NetworkDescription network) {
    network.scale_up = topology::make_scale_up(
        network, 1, topology::scale_up_parameters(network.packet), "", "scale_up");
    return network;
}

NetworkDescription with_credits(NetworkDescription network) {
    network.packet = topology::scale_up_parameters(network.packet);
    return network;
}

topology::PacketParameters roce(CongestionAlgorithm algorithm = CongestionAlgorithm::None) {
    topology::PacketParameters packet = ethernet(TransportKind::GoBackN);
    packet.buffer = Bytes(64 * 1000);
    packet.congestion_control = topology::standard_choice(algorithm);
    packet.ecn = {Bytes(4000), Bytes(16'000), 0.2, Rate()};
    return packet;
}

/// Random messages between NPUs of one server, or of one rail, or any, of `size` NPUs a server.
enum class Among { Server, Rail, All };
Plan random_plan(Among among, int size, int count, int messages, std::mt19937_64& random) {
    const auto below = [&](int most) {
        return static_cast<int>(random() % static_cast<unsigned>(most));
    };
    Plan plan;
    while (static_cast<int>(plan.size()) < messages) {
        const int from = below(size * count);
        int to = below(size * count);
        if (among == Among::Server) {
            to = from / size * size + to % size;
        } else if (among == Among::Rail) {
            to = to / size * size + from % size;
        }
        if (from == to) {
            continue;
        }
        PlannedMessage next = message(from, to, below(60'000), Time::ns(below(2000)));
        next.wants_sent = below(3) == 0;
        plan.push_back(next);
    }
    return plan;
}

std::string all_of(const std::vector<Outcome>& outcomes) {
    return transcript_with_stalls(outcomes, {}, 0);
}

// A message whose route has links of one kind takes as long as if all links were of that kind:
// others of that kind are all that it meets.
TEST(Tiers, MessagesWithinServersAreThoseOfANetworkWithCredits) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20; ++round) {
        const NetworkDescription network = tiered(servers(4, 3, roce()));
        const Plan plan = random_plan(Among::Server, 4, 3, 60, random);
        const NetworkDescription pure = with_credits(network);
        EXPECT_EQ(TieredRun(network, plan).transcript_with_stalls(),
                  CreditRun(pure, plan).transcript_with_stalls());
    }
}

TEST(Tiers, MessagesOnRailsAreThoseOfANetworkOfEthernet) {
    std::mt19937_64 random(2);
    std::uint64_t marked = 0;
    std::uint64_t pauses = 0;
    for (int round = 0; round < 20; ++round) {
        const NetworkDescription pure = servers(
            3, 4, roce(round % 2 == 0 ? CongestionAlgorithm::Dcqcn : CongestionAlgorithm::None));
        const NetworkDescription network = tiered(pure);
        Plan plan = random_plan(Among::Rail, 3, 4, 80, random);
        for (int burst = 1; burst < 4; ++burst) {
            plan.push_back(packets(3 * burst, 0, 60));
        }
        const TieredRun run(network, plan);
        EXPECT_EQ(run.transcript_with_stalls(), EthernetRun(pure, plan).transcript_with_stalls());
        marked += run.sum().marked;
        pauses += run.sum().pauses;
    }
    EXPECT_GT(marked, 0u);
    EXPECT_GT(pauses, 0u);
}

// Neither kind of messages meets the other.
TEST(Tiers, TheTwoKindsShareNothing) {
    std::mt19937_64 random(3);
    const NetworkDescription pure = servers(4, 4, roce(CongestionAlgorithm::Dcqcn));
    const NetworkDescription network = tiered(pure);
    const Plan within = random_plan(Among::Server, 4, 4, 80, random);
    Plan both = within;
    // By a source's count of messages, those of the rails come after the others.
    const Plan rails = random_plan(Among::Rail, 4, 4, 80, random);
    both.insert(both.end(), rails.begin(), rails.end());
    const TieredRun run(network, both);
    const NetworkDescription credits = with_credits(network);
    const std::vector<Outcome>& outcomes = run.outcomes();
    EXPECT_EQ(all_of({outcomes.begin(), outcomes.begin() + 80}),
              all_of(CreditRun(credits, within).outcomes()));
    EXPECT_EQ(all_of({outcomes.begin() + 80, outcomes.end()}),
              all_of(EthernetRun(pure, rails).outcomes()));
}

// From NPU 0 to NPU 7 of servers of 4: 0 -> switch -> 3 (the relay) -> switch -> 7. n packets of
// 1000 bytes, store and forward, the slowest link's time for each but the first:
//     2 (2.5 + 1) + 2 (10 + 5) + (n - 1) 10 ns.
// The source hears of it when its last packet has left: n 2.5 ns. The last packet of a message may
// be shorter, as on any idle path.
TEST(Tiers, AMessageOfBothKindsIsStoredAndForwardedPacketByPacket) {
    for (const TransportKind kind : {TransportKind::None, TransportKind::GoBackN}) {
        const NetworkDescription network = tiered(servers(4, 2, ethernet(kind)));
        for (const std::int64_t n : {1, 2, 3, 10, 500}) {
            const Plan plan{packets(0, 7, n)};
            const TieredRun run(network, plan);
            EXPECT_EQ(run.delivered(0), Time::ps(37'000 + (n - 1) * 10'000));
            EXPECT_EQ(run.outcomes()[0].sent, Time::ps(2'500 * n));
            EXPECT_EQ(run.outcomes()[0].first_byte_left, Time());
            // Answers go from 7 to 3 only.
            EXPECT_EQ(run.machine.packet_hops(),
                      static_cast<std::uint64_t>((kind == TransportKind::None ? 4 : 6) * n));
        }
        for (const std::int64_t bytes : sizes_to_try) {
            const Plan plan{message(0, 7, bytes)};
            EXPECT_EQ(TieredRun(network, plan).delivered(0),
                      topology::idle_time(network, NodeId(0), NodeId(7), Bytes(bytes),
                                          topology::IdlePath::Packets));
        }
    }
}

// With cut-through a relay still takes in the whole packet: of two links on either side, headers of
// 64 bytes go ahead on the second one. A packet of 1000 bytes:
//     0.16 + 1 + 2.5 + 1 (relay) + 0.64 + 5 + 10 + 5 ns.
TEST(Tiers, RelaysStoreWholePackets) {
    topology::PacketParameters packet = ethernet();
    packet.switching = topology::Switching::CutThrough;
    const NetworkDescription network = tiered(servers(4, 2, packet));
    const Plan plan{packets(0, 7, 1)};
    EXPECT_EQ(TieredRun(network, plan).delivered(0), Time::ps(25'300));
    for (const std::int64_t bytes : sizes_to_try) {
        const Plan other{message(0, 7, bytes)};
        EXPECT_EQ(TieredRun(network, other).delivered(0),
                  topology::idle_time(network, NodeId(0), NodeId(7), Bytes(bytes),
                                      topology::IdlePath::Packets));
    }
}

// A message that is relayed has one turn at the ports of its source, whatever the number of its
// packets: another to the same NPU, as long, takes as long as beside one that stays.
TEST(Tiers, RelayedPacketsHaveTheTurnsOfOneMessage) {
    const NetworkDescription network = tiered(servers(4, 2, ethernet(TransportKind::GoBackN)));
    const NetworkDescription pure = with_credits(network);
    const Plan crossing{packets(0, 3, 50), packets(0, 7, 50)};
    const Plan staying{packets(0, 3, 50), packets(0, 3, 50)};
    EXPECT_EQ(TieredRun(network, crossing).delivered(0), CreditRun(pure, staying).delivered(0));
}

// What a relay passes on is not queued behind its own message of 500 packets to the same NPU: the
// two take turns, so that 10 packets take some 20 times 10 ns.
TEST(Tiers, RelayedPacketsAreNotBehindMessagesOfTheRelay) {
    const NetworkDescription network = tiered(servers(4, 2, ethernet(TransportKind::GoBackN)));
    const Plan plan{packets(3, 7, 500), packets(0, 7, 10)};
    const TieredRun run(network, plan);
    EXPECT_GT(run.delivered(1), Time::ns(200));
    EXPECT_LT(run.delivered(1), Time::ns(260));
    EXPECT_GT(run.delivered(0), Time::ns(5000));
}

/// Two servers of two NPUs of which one has a NIC: routes between the others have three legs.
NetworkDescription one_nic_a_server(const std::string& packet) {
    return topology::parse_network(
        "Custom:\n"
        "    nodes: [{name: a0, kind: npu}, {name: a1, kind: npu}, {name: b0, kind: npu},\n"
        "            {name: b1, kind: npu}, {name: leaf, kind: switch}]\n"
        "    links:\n"
        "        - {from: a0, to: a1, bandwidth: 400, latency: 1}\n"
        "        - {from: b0, to: b1, bandwidth: 400, latency: 1}\n"
        "        - {from: a0, to: leaf, bandwidth: 100, latency: 5}\n"
        "        - {from: b0, to: leaf, bandwidth: 100, latency: 5}\n"
        "    tiers: [{name: server, size: 2}]\n"
        "packet:\n"
        "    mtu: 936\n"
        "    flow_control: pfc\n"
        "    transport: go-back-n\n" +
            packet,
        "two.yml");
}

// a1 -> a0 -> leaf -> b0 -> b1: 3.5 + 15 + 15 + 3.5 ns for the first packet, 10 for each more.
TEST(Tiers, RoutesMayHaveTwoRelays) {
    const NetworkDescription network = one_nic_a_server("    scale_up: {flow_control: credit}\n");
    const Plan plan{packets(1, 3, 20), packets(3, 1, 3, Time::ns(1000))};
    const TieredRun run(network, plan);
    EXPECT_EQ(run.delivered(), ns({37 + 190, 1000 + 37 + 20}));
    const Plan last{packets(1, 2, 4)};
    EXPECT_EQ(TieredRun(network, last).delivered(0), Time::ps(33'500 + 30'000));
}

topology::FatTreeShape shape_of_rails() {
    return {2, 4, 6, {2}, {2}};
}

NetworkDescription rails(CongestionAlgorithm algorithm) {
    topology::RailShape shape;
    shape.npus_per_server = 3;
    shape.rail = shape_of_rails();
    NetworkDescription network = topology::make_rail(shape, inner, {outer, outer});
    network.packet = roce(algorithm);
    network.packet.virtual_channels = 0;
    return network;
}

// Without losses a link carries the bytes of the messages whose routes have it, whatever kind it
// is. Marks, pauses and drops are of Ethernet-like switches only.
TEST(Tiers, LinksCarryTheBytesOfTheirRoutes) {
    std::mt19937_64 random(4);
    const NetworkDescription network = tiered(rails(CongestionAlgorithm::Dcqcn));
    const auto npus = static_cast<int>(network.graph.npus());
    Plan plan;
    for (int from = 0; from < npus; ++from) {
        for (int to = 0; to < npus; ++to) {
            if (from != to) {
                plan.push_back(
                    message(from, to, static_cast<std::int64_t>(random() % 20'000), Time()));
                plan.back().wants_sent = to % 2 == 0;
            }
        }
    }
    std::vector<Bytes> expected(network.graph.links());
    for (const PlannedMessage& each : plan) {
        for (const topology::Hop& hop : network.route(each.source, each.destination)) {
            expected[hop.link.index()] += each.bytes;
        }
    }
    const TieredRun run(network, plan);
    EXPECT_TRUE(all_came_once(run.outcomes()));
    std::uint64_t marked = 0;
    for (std::size_t link = 0; link < expected.size(); ++link) {
        const engine::LinkUse use = run.machine.link_use()[link];
        EXPECT_EQ(use.payload, expected[link]) << link;
        EXPECT_TRUE(use.marked + use.pauses + use.drops + use.notifications == 0 ||
                    !network.scale_up->has(LinkId(link)));
        marked += use.marked;
    }
    EXPECT_GT(marked, 0u);
    EXPECT_EQ(run.sum().drops, 0u);
    const std::vector<engine::FlowUse> flows = run.machine.flow_use();
    EXPECT_FALSE(flows.empty());
    for (const engine::FlowUse& flow : flows) {
        EXPECT_EQ(flow.flow.source.value() % 3, flow.flow.destination.value() % 3);
    }
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        EXPECT_EQ(TieredRun(network, plan, seed).transcript_with_stalls(),
                  run.transcript_with_stalls());
    }
}

// What only makes a run faster changes nothing: threads, and the fast-forward of traffic, which
// leaves events out.
TEST(Tiers, FastForwardAndThreadsChangeNothing) {
    std::mt19937_64 random(5);
    const NetworkDescription network = tiered(rails(CongestionAlgorithm::Dcqcn));
    Plan plan = random_plan(Among::All, 3, 6, 200, random);
    for (PlannedMessage& each : plan) {
        each.bytes = 20 * each.bytes;
    }
    const auto outcomes = [&](bool fast, std::size_t threads) {
        engine::EventQueue queue;
        packet::TieredNetwork machine(network, queue);
        machine.set_fast_forward(fast);
        machine.set_threads(threads, 1);
        const Traffic traffic(plan, queue, machine);
        queue.run();
        machine.settle();
        return std::pair(
            transcript_with_stalls(traffic.outcomes(), machine.link_use(), machine.packet_hops()),
            queue.handled());
    };
    const auto [plain, every] = outcomes(false, 1);
    const auto [fast, some] = outcomes(true, 1);
    EXPECT_EQ(fast, plain);
    EXPECT_EQ(outcomes(true, 3).first, plain);
    EXPECT_LT(some, every);
}

// Rails of two levels have two routes between leaves. From 500 ns on, when a spine fails, packets
// take the other one: the failed one's links carry no more than in 500 ns, 936 bytes in 10 ns each,
// and both together at least what they carry without the fault. A link of a server that is down
// from 100 to 900 ns is waited for. The other part has no faults.
TEST(Tiers, FailedLinksAreReroutedWithinTheirKind) {
    std::mt19937_64 random(6);
    NetworkDescription whole = rails(CongestionAlgorithm::None);
    whole.packet.transport.rto = Time::ns(20'000);
    whole = tiered(std::move(whole));
    const topology::Graph& graph = whole.graph;
    const auto links_to = [&](const std::string& node) {
        std::vector<LinkId> links;
        for (std::size_t link = 0; link < graph.links(); ++link) {
            const topology::Link& ends = graph.link(LinkId(link));
            if (graph.name(ends.to).find(node) != std::string::npos) {
                links.emplace_back(link);
            }
        }
        return links;
    };
    const std::vector<LinkId> to_failed = links_to("spine0");
    const std::vector<LinkId> to_other = links_to("spine1");
    ASSERT_FALSE(to_failed.empty());
    ASSERT_FALSE(to_other.empty());
    NetworkDescription network = whole;
    const auto fail = [&](LinkId link, Time at, Time until) {
        network.faults.links.push_back({link, at, until, topology::Factor{0}, Time()});
    };
    for (const LinkId link : to_failed) {
        fail(link, Time::ns(500), Time::max());
        fail(graph.find_link(graph.link(link).to, graph.link(link).from), Time::ns(500),
             Time::max());
    }
    const LinkId from_npu = whole.route(NodeId(0), NodeId(1)).front().link;
    ASSERT_TRUE(whole.scale_up->has(from_npu));
    fail(from_npu, Time::ns(100), Time::ns(900));
    Plan plan = random_plan(Among::All, 3, 6, 150, random);
    const std::size_t within = plan.size();
    plan.push_back(packets(0, 1, 4, Time::ns(200)));

    const TieredRun calm(whole, plan);
    const TieredRun run(network, plan);
    EXPECT_TRUE(all_came_once(calm.outcomes()));
    EXPECT_TRUE(all_came_once(run.outcomes()));
    const auto payload = [](const TieredRun& of, const std::vector<LinkId>& links) {
        Bytes sum;
        for (const LinkId link : links) {
            sum += of.machine.link_use()[link.index()].payload;
        }
        return sum;
    };
    EXPECT_LE(payload(run, to_failed).value(),
              static_cast<std::int64_t>(to_failed.size()) * 51 * mtu);
    EXPECT_GT(payload(calm, to_failed), 2 * payload(run, to_failed));
    EXPECT_GE(payload(run, to_failed) + payload(run, to_other),
              payload(calm, to_failed) + payload(calm, to_other));
    EXPECT_LT(calm.delivered(within), Time::ns(900));
    EXPECT_GT(run.delivered(within), Time::ns(900));
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        EXPECT_EQ(TieredRun(network, plan, seed).transcript_with_stalls(),
                  run.transcript_with_stalls());
    }
}

/// Counts what it hears of datagrams.
struct Datagrams final : packet::DatagramListener, engine::MessageListener {
    void datagram_starts(std::uint32_t) override { ++started; }
    void datagram_is_marked(std::uint32_t) override { ++marked; }
    void datagram_is_lost(std::uint32_t) override { ++lost; }
    void on_sent(std::uint32_t) override {}
    void on_delivered(std::uint32_t handle, Time) override {
        ++delivered;
        // Each source has 200.
        std::uint32_t& next = next_of[handle / 200];
        EXPECT_GE(handle, next) << "in order";
        next = handle + 1;
    }
    std::map<std::uint32_t, std::uint32_t> next_of;
    int started = 0;
    int marked = 0;
    int lost = 0;
    int delivered = 0;
};

// NPUs of three servers send 200 datagrams each to one of a fourth, by relays, with room for 20
// packets in the switch of its rail: each leaves its source once, and arrives or is lost.
TEST(Tiers, DatagramsAreLostWhereSwitchesDrop) {
    NetworkDescription network = servers(4, 4, ethernet(TransportKind::GoBackN));
    network.packet.ecn = {Bytes(2000), Bytes(8000), 0.2, Rate()};
    network.packet.flow_control = FlowControl::None;
    network.packet.buffer = Bytes(20'000);
    network = tiered(std::move(network));
    engine::EventQueue queue;
    packet::TieredNetwork machine(network, queue, topology::Losses::Allowed);
    Datagrams heard;
    machine.set_listener(heard);
    machine.set_datagram_listener(heard);
    std::uint32_t count = 0;
    for (const int from : {4, 8, 12}) {
        for (int i = 0; i < 200; ++i) {
            engine::Message next;
            next.id = engine::MessageId(NodeId(from), static_cast<std::uint64_t>(i));
            next.source = NodeId(from);
            next.destination = NodeId(3);
            next.bytes = Bytes(mtu);
            next.handle = count++;
            next.separate = true;
            next.wants_sent = i % 2 == 0;
            machine.send_datagram(next, true);
        }
    }
    queue.run();
    EXPECT_EQ(heard.started, 600);
    EXPECT_GT(heard.lost, 100);
    EXPECT_EQ(heard.delivered + heard.lost, 600);
    EXPECT_GT(heard.marked, 0);
}

// A switch of a leaf leads to the rest of the tree as to its NPUs; whole networks are not servers.
TEST(Tiers, RefusesNetworksWithoutServers) {
    const auto refusal = [](const std::string& network) {
        return test::message_of<InputError>(
            [&] { static_cast<void>(topology::parse_network(network, "net.yml")); });
    };
    const std::string pfc = "packet: {flow_control: pfc, scale_up: {flow_control: credit";
    const std::string tree =
        "FatTree: {levels: 2, radix: 4, npus: 8, bandwidth: 50, latency: 500}\n";
    const std::string product =
        "topology: [Switch, Switch]\nnpus_count: [4, 4]\nbandwidth: [400, 50]\n"
        "latency: [100, 500]\n";
    EXPECT_THAT(refusal(tree + pfc + "}}\n"), testing::HasSubstr("no link within a block of tier"));
    EXPECT_THAT(refusal("topology: [Switch]\nnpus_count: [4]\nbandwidth: [50]\nlatency: [5]\n" +
                        pfc + "}}\n"),
                testing::HasSubstr("a network with servers or other tiers"));
    EXPECT_THAT(refusal(product + pfc + ", tiers: 2}}\n"), testing::HasSubstr("innermost 2 of 2"));
    EXPECT_THAT(refusal(product + "packet: {scale_up: {}}\n"),
                testing::HasSubstr("flow_control: pfc or none"));
    EXPECT_THAT(refusal(product + pfc + "}, injection: 50}\n"),
                testing::HasSubstr("scale_up with injection"));
    EXPECT_THAT(refusal(product + pfc + "}, routing: shortest-path}\n"),
                testing::HasSubstr("dimension-order or adaptive"));
    EXPECT_THAT(refusal(product + "packet: {flow_control: pfc, scale_up: {flow_control: pfc}}\n"),
                testing::HasSubstr("packet.scale_up.flow_control"));
    EXPECT_THAT(refusal(product + pfc + ", mtu: 4096}}\n"), testing::HasSubstr("mtu"));
    EXPECT_THAT(refusal(product + pfc + ", buffer: 10}}\n"),
                testing::HasSubstr("room for one packet at least"));
    engine::EventQueue queue;
    NetworkDescription network = tiered(servers(2, 2, ethernet()));
    packet::TieredNetwork machine(network, queue);
    struct NoLink final : packet::PartitionLink {
        engine::MessageLabel label_of(std::uint32_t) override { return {}; }
        void frame_leaves(const packet::BoundaryFrame&, NodeId, Time) override {}
        void message_has_left(std::uint32_t) override {}
        void message_arrives(const packet::BoundaryMessage&) override {}
    } link;
    EXPECT_THAT(test::message_of<InputError>(
                    [&] { machine.split(std::vector<bool>(network.graph.nodes()), link); }),
                testing::HasSubstr("one process"));
}

}  // namespace tiers_test
}  // namespace npunet::packet_test
