// Routes of Custom networks by default: equal links in turn, and a virtual channel more for each
// turn from down to up.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "networks.h"
#include "own_networks.h"
#include "tests/packet/random_networks.h"
#include "tests/support/custom_text.h"
#include "topology/routing/graph_router.h"

namespace npunet::topology::balanced_routes_test {
namespace {

const std::string links = "bandwidth: 50, latency: 500}\n";

/// The graph of a network with the routes that Custom networks have by default.
NetworkDescription as_custom(const NetworkDescription& network) {
    return network_from(test::custom_text(network.graph));
}

std::vector<LinkId> links_of(const NetworkDescription& network, std::size_t from, std::size_t to) {
    std::vector<LinkId> route;
    for (const Hop& hop : network.route(NodeId(from), NodeId(to))) {
        route.push_back(hop.link);
    }
    return route;
}

void expect_same_routes(const NetworkDescription& network, const std::string& what) {
    const NetworkDescription custom = as_custom(network);
    EXPECT_EQ(custom.routing_name(), "balanced") << what;
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        for (std::size_t to = 0; to < network.graph.npus(); ++to) {
            ASSERT_EQ(links_of(custom, from, to), links_of(network, from, to))
                << what << from << " to " << to;
        }
    }
    expect_no_deadlock(custom);
}

// D-mod-k, where full leaves and pods have a multiple of as many NPUs as up-links.
TEST(BalancedRoutes, OfFatTreesAreThoseOfTheFatTree) {
    for (const char* tree : {"levels: 2, radix: 8, npus: 32", "levels: 2, radix: 8, npus: 29",
                             "levels: 3, radix: 4, npus: 16", "levels: 3, radix: 8, npus: 70",
                             "levels: 2, radix: 12, npus: 60, oversubscription: 2",
                             "levels: 3, radix: 8, npus: 96, oversubscription: [1, 3]"}) {
        const NetworkDescription network =
            network_from(std::string("FatTree: {") + tree + ", " + links);
        expect_same_routes(network, tree);
        EXPECT_EQ(as_custom(network).virtual_channels_needed(), 1) << tree;
    }
}

/// The same network, its links in a random order.
Graph with_links_shuffled(const Graph& graph, std::mt19937_64& random) {
    std::vector<std::size_t> order(graph.links());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    Graph shuffled;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        shuffled.add_node(graph.kind(NodeId(node)), graph.name(NodeId(node)));
    }
    for (const std::size_t link : order) {
        shuffled.add_link(graph.link(LinkId(link)));
    }
    return shuffled;
}

/// Nodes and virtual channels along a route.
std::vector<std::pair<std::size_t, int>> steps_of(const NetworkDescription& network,
                                                  std::size_t from, std::size_t to) {
    std::vector<std::pair<std::size_t, int>> steps;
    for (const Hop& hop : network.route(NodeId(from), NodeId(to))) {
        steps.emplace_back(network.graph.link(hop.link).to.index(), hop.virtual_channel);
    }
    return steps;
}

// A product is known by its links, in any order: its routes settle dimension after dimension, on a
// ring towards the larger coordinate where both directions are equally short, and change the
// channel at datelines.
TEST(BalancedRoutes, OfProductsAreInDimensionOrderWithDatelines) {
    std::mt19937_64 random(11);
    for (const auto& [kinds, sizes] :
         std::vector<std::pair<std::string, std::string>>{{"Ring", "4"},
                                                          {"Ring", "6"},
                                                          {"Ring, Ring", "4, 4"},
                                                          {"Ring, Ring", "5, 6"},
                                                          {"Ring, Ring, Ring", "4, 4, 4"},
                                                          {"Mesh1D, Mesh1D", "3, 4"},
                                                          {"Mesh1D, Ring", "3, 5"},
                                                          {"FullyConnected, Ring", "3, 6"},
                                                          {"Ring, Switch", "6, 3"},
                                                          {"Switch, Ring", "3, 5"},
                                                          {"FullyConnected", "7"},
                                                          {"Switch, Switch", "4, 8"}}) {
        std::string values = "[50";
        for (const char c : kinds) {
            values += c == ',' ? ", 50" : "";
        }
        values += "]\n";
        const NetworkDescription network =
            network_from("topology: [" + kinds + "]\nnpus_count: [" + sizes +
                         "]\nbandwidth: " + values + "latency: " + values);
        for (const bool in_order : {true, false}) {
            const NetworkDescription custom = network_from(test::custom_text(
                in_order ? network.graph : with_links_shuffled(network.graph, random)));
            EXPECT_EQ(custom.routing_name(), "balanced") << kinds;
            EXPECT_EQ(custom.virtual_channels_needed(), network.virtual_channels_needed()) << kinds;
            for (std::size_t from = 0; from < network.graph.npus(); ++from) {
                for (std::size_t to = 0; to < network.graph.npus(); ++to) {
                    ASSERT_EQ(steps_of(custom, from, to), steps_of(network, from, to))
                        << kinds << ", " << from << " to " << to;
                }
            }
            expect_valid_routes(custom);
            expect_no_deadlock(custom);
        }
    }
}

// A torus of double links: planes of two, in dimension order, with the torus's channels.
TEST(BalancedRoutes, OfProductsOfParallelLinksHavePlanes) {
    const Graph torus = network_from(
                            "topology: [Ring, Ring]\nnpus_count: [5, 4]\nbandwidth: [50, 50]\n"
                            "latency: [500, 500]\n")
                            .graph;
    Graph twice = torus;
    for (std::size_t link = 0; link < torus.links(); ++link) {
        twice.add_link(torus.link(LinkId(link)));
    }
    const NetworkDescription network = network_from(test::custom_text(twice));
    EXPECT_EQ(network.routing_name(), "balanced over planes");
    EXPECT_EQ(network.virtual_channels_needed(), 2);
    expect_valid_routes(network);
    ChannelDependencies dependencies(network.graph.links(), 2);
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        for (std::size_t to = 0; to < network.graph.npus(); ++to) {
            if (from == to) {
                continue;
            }
            dependencies.add_route(network.route(NodeId(from), NodeId(to)));
            const PlaneRoutes planes = network.routes(NodeId(from), NodeId(to));
            EXPECT_EQ(planes.size(), 2U);
            for (const std::vector<Hop>& plane : planes) {
                dependencies.add_route(plane);
            }
        }
    }
    const std::vector<Hop> cycle = dependencies.find_cycle();
    EXPECT_TRUE(cycle.empty()) << describe_cycle(network.graph, cycle);
}

// Two of the links between routers may lead up after one that led down, so two channels do, as
// with the dragonfly's own routes; and the routes are those, also where groups have several links.
TEST(BalancedRoutes, OfDragonfliesAreThoseOfDragonflies) {
    for (const char* shape : {"a: 4, p: 2, h: 2, groups: 4", "a: 4, p: 2, h: 2, groups: 9",
                              "a: 4, p: 2, h: 1, groups: 5", "a: 4, p: 3, h: 4, groups: 3",
                              "a: 3, p: 2, h: 4, groups: 2"}) {
        const NetworkDescription network =
            network_from(std::string("Dragonfly: {") + shape + ", " + links);
        const NetworkDescription custom = as_custom(network);
        EXPECT_EQ(custom.routing_name(), "balanced");
        EXPECT_LE(custom.virtual_channels_needed(), 2);
        expect_no_deadlock(custom);
        for (std::size_t from = 0; from < network.graph.npus(); ++from) {
            for (std::size_t to = 0; to < network.graph.npus(); ++to) {
                ASSERT_EQ(links_of(network, from, to), links_of(custom, from, to))
                    << shape << ", from " << from << " to " << to;
            }
        }
    }
}

/// Routers 0 .. 15 in 4 groups of 4 and two NPUs a router, by `count` parallel links each; NPU 0
/// only sends to router 0 if it does not send `both`, or has a link from router 5 beside.
std::string dragonfly_text(int count, bool both, bool from_router_5) {
    std::vector<std::string> names[2];
    for (int npu = 0; npu < 32; ++npu) {
        names[0].push_back(fmt::format("n{}", npu));
    }
    std::string cables;
    const auto link = [&](const std::string& from, const std::string& to, int parallel, bool back) {
        cables += fmt::format(
            "  - {{from: {}, to: {}, bandwidth: 50, latency: 500, count: {}, both: {}}}\n", from,
            to, parallel, back);
    };
    for (int npu = 0; npu < 32; ++npu) {
        link(names[0][npu], fmt::format("r{}", npu / 2), count, npu > 0 || both);
    }
    if (from_router_5) {
        link("r5", "n0", 1, false);
    }
    for (int a = 0; a < 16; ++a) {
        for (int b = a + 1; b < 16; ++b) {
            const int apart = b / 4 - a / 4;
            if (apart == 0 || (a % 4 == apart && b % 4 == 4 - apart)) {
                link(fmt::format("r{}", a), fmt::format("r{}", b), 1, true);
            }
        }
    }
    std::string nodes = "Custom:\n  nodes:\n";
    for (const std::string& name : names[0]) {
        nodes += fmt::format("  - {{name: {}, kind: npu}}\n", name);
    }
    for (int router = 0; router < 16; ++router) {
        nodes += fmt::format("  - {{name: r{}, kind: switch}}\n", router);
    }
    return nodes + "  links:\n" + cables;
}

// The parallel links of the NPUs are planes; between the routers these take the same links.
TEST(BalancedRoutes, OfDragonfliesWithParallelLinksToNpusHavePlanes) {
    const NetworkDescription network = network_from(dragonfly_text(2, true, false));
    ASSERT_NE(network.planes, nullptr);
    EXPECT_EQ(network.routing_name(), "balanced over planes");
    expect_valid_routes(network);
    ChannelDependencies dependencies(network.graph.links(), network.virtual_channels_needed());
    std::size_t planes = 0;
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        for (std::size_t to = 0; to < network.graph.npus(); ++to) {
            if (from == to) {
                continue;
            }
            dependencies.add_route(network.route(NodeId(from), NodeId(to)));
            const PlaneRoutes routes = network.routes(NodeId(from), NodeId(to));
            ASSERT_FALSE(routes.empty());
            planes = std::max(planes, routes.size());
            for (const std::vector<Hop>& route : routes) {
                dependencies.add_route(route);
                EXPECT_EQ(network.graph.link(route.front().link).from, NodeId(from));
                EXPECT_EQ(network.graph.link(route.back().link).to, NodeId(to));
            }
        }
    }
    EXPECT_EQ(planes, 2U);
    const std::vector<Hop> cycle = dependencies.find_cycle();
    EXPECT_TRUE(cycle.empty()) << describe_cycle(network.graph, cycle);
}

// NPU 0 is reached from a router of another group, alone or beside its own: routes that stay in
// groups would not come there, or leave one link idle, so switches take turns.
TEST(BalancedRoutes, WhereNpusAreReachedFromOtherRoutersSwitchesTakeTurns) {
    for (const bool both : {false, true}) {
        const NetworkDescription network = network_from(dragonfly_text(1, both, true));
        EXPECT_EQ(network.routing_name(), "balanced");
        expect_valid_routes(network);
        expect_shortest_routes(network);
        expect_no_deadlock(network);
        EXPECT_EQ(network.route(NodeId(20), NodeId(0)).size(), 4U);
    }
}

// 32 servers of 4 on rails of two levels, 4 leaves of 8 servers: every leaf spreads the 24 servers
// of other leaves over its 8 up-links, 3 each, though the NPUs of a rail are every fourth only.
TEST(BalancedRoutes, SpreadWhatComesToASwitch) {
    const NetworkDescription network = network_from(
        "Rail: {servers: 32, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 450, "
        "latency: 500}, scale_out: {levels: 2, radix: 16, " +
        links.substr(0, links.size() - 2) + "}}\n");
    const NetworkDescription custom = as_custom(network);
    std::vector<int> pairs(custom.graph.links());
    for (std::size_t to = 4; to < custom.graph.npus(); to += 4) {
        for (const LinkId link : links_of(custom, 0, to)) {
            ++pairs[link.index()];
        }
    }
    int up_links = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Link& link = custom.graph.link(LinkId(i));
        if (link.to.index() >= custom.graph.npus() && link.from.index() >= custom.graph.npus() &&
            custom.graph.name(link.from) == "rail0-leaf0") {
            EXPECT_EQ(pairs[i], 3);
            ++up_links;
        }
    }
    EXPECT_EQ(up_links, 8);
}

// On any graph: the fewest links, free of deadlock on the channels that are counted, and each pair
// on one route.
TEST(BalancedRoutes, AreShortestAndFreeOfDeadlockOnAnyGraph) {
    std::mt19937_64 random(7);
    int several = 0;
    for (int i = 0; i < 150; ++i) {
        const auto kind = static_cast<unsigned>(i % 5);
        const Graph graph = network_from(packet_test::random_network_text(kind, random)).graph;
        NetworkDescription network;
        network.graph = graph;
        auto router = std::make_shared<GraphRouter>(graph, GraphRoutes::Balanced, 1);
        const bool cyclic = !router->find_cycle(graph).empty();
        ASSERT_TRUE(router->count_turns(graph, most_layers));
        several += cyclic ? 1 : 0;
        EXPECT_TRUE(!cyclic || router->virtual_channels_needed() > 1);
        network.router = router;
        expect_valid_routes(network);
        if (kind != 2) {  // Dragonfly: at most one link between groups
            expect_shortest_routes(network);
        }
        expect_no_deadlock(network);
    }
    EXPECT_GT(several, 10);
}

// Ethernet has no virtual channels, and who gives one gets routes that do with one.
TEST(BalancedRoutes, UpDownWhereThereIsOneChannel) {
    const std::string ring = test::custom_text(
        network_from("topology: [Ring]\nnpus_count: [6]\nbandwidth: [50]\nlatency: [500]\n").graph);
    EXPECT_EQ(network_from(ring).routing_name(), "balanced");
    EXPECT_EQ(network_from(ring + "packet: {mtu: 4096}\n").virtual_channels(), 2);
    EXPECT_EQ(network_from(ring + "packet: {routing: balanced}\n").virtual_channels(), 2);
    for (const char* packet : {"flow_control: pfc", "virtual_channels: 1"}) {
        std::vector<std::string> warnings;
        EXPECT_EQ(network_from(ring + "packet: {" + packet + "}\n", &warnings).routing_name(),
                  "up-down");
        ASSERT_GE(warnings.size(), 1U);
        EXPECT_THAT(warnings[0], testing::HasSubstr("need more than 1 virtual channel; up*/down*"));
    }
    EXPECT_EQ(network_from(ring + "packet: {virtual_channels: 2}\n").routing_name(), "balanced");
    EXPECT_THAT(refusal_of(ring + "packet: {routing: balanced, virtual_channels: 1}\n"),
                testing::HasSubstr("at least 2, which the routing on Custom needs"));
}

// A torus of three rings of five, of which one link is slower so that it is no product, takes four
// channels. With 8 classes there are four for each, and with 7 as well; one of them is for
// rerouting where a link goes down.
TEST(BalancedRoutes, DoWithTheChannelsThatClassesLeave) {
    std::string torus =
        test::custom_text(network_from("topology: [Ring, Ring, Ring]\nnpus_count: [5, 5, 5]\n"
                                       "bandwidth: [50, 50, 50]\nlatency: [500, 500, 500]\n")
                              .graph);
    torus.replace(torus.rfind("bandwidth: 50"), 13, "bandwidth: 40");
    const std::string outage = "faults: [{link: [0, 1], at: 10us, bandwidth_factor: 0}]\n";
    for (const int classes : {1, 6, 7, 8}) {
        const std::string packet = fmt::format("packet: {{classes: {}}}\n", classes);
        EXPECT_EQ(network_from(torus + packet).routing_name(), "balanced");
        std::vector<std::string> warnings;
        const NetworkDescription network = network_from(torus + packet + outage, &warnings);
        EXPECT_EQ(network.router->name(), classes < 7 ? "balanced" : "up-down") << classes;
        EXPECT_LE(classes * network.virtual_channels(), 32);
        EXPECT_EQ(warnings.empty(), classes < 7);
    }
    for (const char* number : {".nan", ".inf", "-.inf", "-3", "1e30"}) {
        EXPECT_THAT(refusal_of(torus + "packet: {virtual_channels: " + number + "}\n"),
                    testing::HasSubstr("virtual channels per class"));
    }
}

}  // namespace
}  // namespace npunet::topology::balanced_routes_test
