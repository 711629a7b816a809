// Parallel planes: which equal routes of a pair are used together, and which are not.

#include "topology/network/planes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "networks.h"
#include "own_networks.h"
#include "topology/network/idle_path.h"
#include "topology/routing/channel_dependencies.h"

namespace npunet::topology {
namespace {

/// `npus` NPUs with a link to each switch.
std::string planes_text(int npus, int switches, const std::string& rest = "") {
    std::string text = "Custom:\n  nodes:\n";
    for (int i = 0; i < npus; ++i) {
        text += fmt::format("    - {{name: g{}, kind: npu}}\n", i);
    }
    for (int i = 0; i < switches; ++i) {
        text += fmt::format("    - {{name: s{}, kind: switch}}\n", i);
    }
    text += "  links:\n";
    for (int i = 0; i < npus; ++i) {
        for (int s = 0; s < switches; ++s) {
            text +=
                fmt::format("    - {{from: g{}, to: s{}, bandwidth: 100, latency: 50}}\n", i, s);
        }
    }
    return text + rest;
}

std::string link_text(const std::string& from, const std::string& to, int count = 1,
                      int bandwidth = 100) {
    return fmt::format("    - {{from: {}, to: {}, bandwidth: {}, latency: 50, count: {}}}\n", from,
                       to, bandwidth, count);
}

std::string nodes_text(const std::vector<std::string>& npus,
                       const std::vector<std::string>& switches) {
    std::string text = "Custom:\n  nodes:\n";
    for (const std::string& name : npus) {
        text += fmt::format("    - {{name: {}, kind: npu}}\n", name);
    }
    for (const std::string& name : switches) {
        text += fmt::format("    - {{name: {}, kind: switch}}\n", name);
    }
    return text + "  links:\n";
}

std::size_t planes(const NetworkDescription& network, int from, int to) {
    return network.routes(NodeId(from), NodeId(to)).size();
}

TEST(Planes, FourSwitchesAreFourPlanes) {
    const NetworkDescription network = network_from(planes_text(8, 4));
    const PlaneRoutes routes = network.routes(NodeId(2), NodeId(5));
    ASSERT_EQ(routes.size(), 4U);
    for (std::size_t plane = 0; plane < 4; ++plane) {
        ASSERT_EQ(routes[plane].size(), 2U);
        EXPECT_EQ(network.graph.link(routes[plane][0].link).to, NodeId(8 + plane));
    }
    EXPECT_EQ(network.routing_name(), "balanced over planes");
    EXPECT_EQ(network.virtual_channels_needed(), 1);
}

// Two links between neighbours of a line of NPUs: planes for every pair, as what lies between is
// the same.
TEST(Planes, ParallelLinksArePlanes) {
    const NetworkDescription network = network_from(
        nodes_text({"a", "b", "c"}, {}) + link_text("a", "b", 2) + link_text("b", "c", 2));
    EXPECT_EQ(planes(network, 0, 1), 2U);
    EXPECT_EQ(planes(network, 0, 2), 2U);
}

// Opposite corners of a square of NPUs have two shortest routes, each through another NPU; in a fat
// tree an NPU has one link, whatever the leaf may choose from.
TEST(Planes, ChoicesOfRoutesAreNoPlanes) {
    EXPECT_EQ(network_from(nodes_text({"a", "b", "c", "d"}, {}) + link_text("a", "b") +
                           link_text("b", "c") + link_text("c", "d") + link_text("d", "a"))
                  .planes,
              nullptr);
    const NetworkDescription tree =
        network_from(nodes_text({"a", "b"}, {"l0", "l1", "t0", "t1"}) + link_text("a", "l0") +
                     link_text("b", "l1") + link_text("l0", "t0") + link_text("l0", "t1") +
                     link_text("l1", "t0") + link_text("l1", "t1"));
    EXPECT_EQ(tree.planes, nullptr);
    EXPECT_EQ(tree.multipath, nullptr);
}

// Two links of 100 and three of 50: 200 against 150. One of 100 and two of 50: no set of equals
// has more than the single route, which stays what it was.
TEST(Planes, TheSetWithTheMostBandwidthCounts) {
    const NetworkDescription two = network_from(
        nodes_text({"a", "b"}, {}) + link_text("a", "b", 3, 50) + link_text("a", "b", 2));
    const PlaneRoutes routes = two.routes(NodeId(0), NodeId(1));
    ASSERT_EQ(routes.size(), 2U);
    EXPECT_EQ(two.graph.link(routes[0][0].link).rate, Rate(100'000'000'000));
    const NetworkDescription one = network_from(
        nodes_text({"a", "b"}, {}) + link_text("a", "b", 1, 150) + link_text("a", "b", 2, 50));
    EXPECT_EQ(planes(one, 0, 1), 1U);
}

// An NPU with two links and one with four have two planes; behind a leaf with one up-link there is
// one route.
TEST(Planes, AreLinkDisjoint) {
    EXPECT_EQ(planes(network_from(nodes_text({"a", "b", "c"}, {"s"}) + link_text("a", "s", 4) +
                                  link_text("b", "s", 2) + link_text("c", "s", 4)),
                     0, 1),
              2U);
    const NetworkDescription trunk =
        network_from(nodes_text({"a", "b", "c"}, {"s", "t"}) + link_text("a", "s", 2) +
                     link_text("c", "s", 2) + link_text("s", "t") + link_text("b", "t", 2));
    EXPECT_EQ(planes(trunk, 0, 1), 1U);
    EXPECT_EQ(planes(trunk, 0, 2), 2U);
}

TEST(Planes, LinksWithFaultsAreLeftOut) {
    const NetworkDescription network = network_from(
        planes_text(3, 4, "faults:\n  - {link: [g0, s1], at: 1ms, bandwidth_factor: 0.5}\n"));
    const PlaneRoutes routes = network.routes(NodeId(0), NodeId(2));
    ASSERT_EQ(routes.size(), 3U);
    for (const std::vector<Hop>& route : routes) {
        EXPECT_NE(network.graph.link(route[0].link).to, NodeId(4));
    }
    EXPECT_EQ(planes(network, 1, 2), 4U);
}

TEST(Planes, ANamedRoutingSaysWhatItSays) {
    for (const char* routing : {"balanced", "shortest-path", "up-down", "ecmp"}) {
        const NetworkDescription network =
            network_from(planes_text(3, 4, fmt::format("packet: {{routing: {}}}\n", routing)));
        EXPECT_EQ(network.planes, nullptr) << routing;
        EXPECT_EQ(network.multipath, nullptr) << routing;
        EXPECT_EQ(planes(network, 0, 1), 1U) << routing;
    }
    for (const char* routing : {"auto", "spray", "adaptive"}) {
        const NetworkDescription network =
            network_from(planes_text(3, 4, fmt::format("packet: {{routing: {}}}\n", routing)));
        EXPECT_EQ(planes(network, 0, 1), 4U) << routing;
        EXPECT_NE(network.multipath, nullptr) << routing;
    }
}

// A transport that takes packets in order only, and algorithms that watch one path.
TEST(Planes, PacketsKeepToOneRouteWhereTheTransportWantsOrder) {
    const auto with = [](const std::string& packet) {
        return network_from(planes_text(3, 4, "packet: {flow_control: pfc, " + packet + "}\n"));
    };
    EXPECT_EQ(with("transport: {kind: go-back-n}").multipath, nullptr);
    EXPECT_EQ(with("transport: {kind: selective-repeat}, congestion_control: hpcc").multipath,
              nullptr);
    EXPECT_NE(with("transport: {kind: selective-repeat}").multipath, nullptr);
    EXPECT_NE(with("mtu: 4096").multipath, nullptr);
    EXPECT_EQ(planes(with("transport: {kind: go-back-n}"), 0, 1), 4U);
}

// Packets 0, 1, 2, ... of a message take the planes in turn; the first of an NPU's next message
// takes the plane behind.
TEST(Planes, PacketsTakeThemInTurn) {
    for (const char* routing : {"auto", "spray"}) {
        const NetworkDescription network =
            network_from(planes_text(3, 4, fmt::format("packet: {{routing: {}}}\n", routing)));
        std::vector<OfferedHop> hops;
        std::vector<LinkId> taken;
        for (std::uint32_t packet = 0; packet < 8; ++packet) {
            const PacketPlace place{NodeId(0), NodeId(0), NodeId(1), Hop(), 7, 0, packet};
            network.multipath->list_next_hops(network.graph, place, hops);
            ASSERT_EQ(hops.size(), 1U);
            taken.push_back(hops.front().hop.link);
        }
        EXPECT_EQ(std::set<LinkId>(taken.begin(), taken.begin() + 4).size(), 4U) << routing;
        EXPECT_TRUE(std::equal(taken.begin(), taken.begin() + 4, taken.begin() + 4)) << routing;
    }
}

// Four links to a switch and five onwards to the next: whichever of the first a packet came by, it
// meets each of the next ones as often as the others within 5 packets.
TEST(Planes, SprayedPacketsUseEveryLinkOfASwitchEqually) {
    const NetworkDescription network = network_from(
        nodes_text({"a", "b"}, {"s", "t"}) + link_text("a", "s", 4) + link_text("s", "t", 5) +
        link_text("t", "b", 4) + "packet: {routing: spray}\n");
    std::map<std::pair<LinkId, LinkId>, int> met;
    std::vector<OfferedHop> hops;
    for (std::uint32_t packet = 0; packet < 4 * 5 * 3; ++packet) {
        PacketPlace place{NodeId(0), NodeId(0), NodeId(1), Hop(), 7, 0, packet};
        network.multipath->list_next_hops(network.graph, place, hops);
        place.in = hops.front().hop;
        place.at = network.graph.link(place.in.link).to;
        place.memory = hops.front().memory;
        network.multipath->list_next_hops(network.graph, place, hops);
        ++met[{place.in.link, hops.front().hop.link}];
    }
    EXPECT_EQ(met.size(), 20U);
    for (const auto& [links, packets] : met) {
        EXPECT_EQ(packets, 3);
    }
}

// On random graphs: planes are shortest routes, equal, without a common link, and with the routes
// of the default free of deadlock on its channels.
TEST(Planes, HoldOnRandomGraphs) {
    std::mt19937 random(5);
    const auto pick = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    int pairs = 0;
    for (int i = 0; i < 150; ++i) {
        const int npus = pick(2, 8);
        const int switches = pick(0, 5);
        std::vector<std::string> names[2];
        for (int n = 0; n < npus; ++n) {
            names[0].push_back(fmt::format("g{}", n));
        }
        for (int s = 0; s < switches; ++s) {
            names[1].push_back(fmt::format("s{}", s));
        }
        const auto name = [&](int n) { return n < npus ? names[0][n] : names[1][n - npus]; };
        std::string text = nodes_text(names[0], names[1]);
        for (int n = 1; n < npus + switches; ++n) {
            text += link_text(name(n), name(pick(0, n - 1)), pick(1, 3), 50 * pick(1, 2));
        }
        for (int more = pick(0, 16); more > 0; --more) {
            const int from = pick(0, npus - 1);
            const int to = pick(0, npus + switches - 1);
            if (from != to) {
                text += link_text(name(from), name(to), pick(1, 2), 50 * pick(1, 2));
            }
        }
        const NetworkDescription network = network_from(text);
        const Graph& graph = network.graph;
        ChannelDependencies dependencies(graph.links(), network.virtual_channels_needed());
        for (int from = 0; from < npus; ++from) {
            for (int to = 0; to < npus; ++to) {
                if (from == to) {
                    continue;
                }
                const PlaneRoutes routes = network.routes(NodeId(from), NodeId(to));
                const std::vector<Hop> fixed = network.route(NodeId(from), NodeId(to));
                dependencies.add_route(fixed);
                ASSERT_FALSE(routes.empty());
                if (routes.size() == 1) {
                    EXPECT_EQ(routes.front(), fixed);
                    continue;
                }
                ++pairs;
                std::set<LinkId> used;
                for (const std::vector<Hop>& route : routes) {
                    ASSERT_EQ(route.size(), fixed.size());
                    dependencies.add_route(route);
                    NodeId at(from);
                    for (std::size_t hop = 0; hop < route.size(); ++hop) {
                        const Link& link = graph.link(route[hop].link);
                        EXPECT_EQ(link.from, at);
                        EXPECT_TRUE(used.insert(route[hop].link).second);
                        EXPECT_EQ(link.rate, graph.link(routes[0][hop].link).rate);
                        at = link.to;
                    }
                    EXPECT_EQ(at, NodeId(to));
                }
            }
        }
        const std::vector<Hop> cycle = dependencies.find_cycle();
        EXPECT_TRUE(cycle.empty()) << describe_cycle(graph, cycle) << text;
    }
    EXPECT_GT(pairs, 500);
}

// 10 packets over 4 planes: two planes have three of them, full ones; 9: the last one is alone in
// its row, and counts with what it has.
TEST(Planes, TheLargestPartSaysHowLongAMessageTakes) {
    PacketParameters packet;
    packet.mtu = Bytes(1000);
    EXPECT_EQ(largest_part(Bytes(9'500), 4, packet, IdlePath::Packets), Bytes(3000));
    EXPECT_EQ(largest_part(Bytes(8'500), 4, packet, IdlePath::Packets), Bytes(2500));
    EXPECT_EQ(largest_part(Bytes(8'000), 4, packet, IdlePath::Packets), Bytes(2000));
    EXPECT_EQ(largest_part(Bytes(500), 4, packet, IdlePath::Packets), Bytes(500));
    EXPECT_EQ(largest_part(Bytes(0), 4, packet, IdlePath::Packets), Bytes(0));
    EXPECT_EQ(largest_part(Bytes(9'501), 4, packet, IdlePath::Headers), Bytes(2376));
    const NetworkDescription network = network_from(planes_text(3, 4));
    EXPECT_EQ(idle_time(network, NodeId(0), NodeId(1), Bytes(1'000'000), IdlePath::Headers),
              Time::ns(100 + 2500));
}

}  // namespace
}  // namespace npunet::topology
