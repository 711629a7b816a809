// Graphs of one's own: reading them, and shortest-path, ecmp, up*/down* and layered routes on them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "networks.h"
#include "own_networks.h"
#include "tests/support/temporary_folder.h"
#include "topology/builders/builder.h"
#include "topology/routing/automatic_router.h"
#include "topology/routing/graph_router.h"

namespace npunet::topology::custom_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Cable {
    int from;
    int to;
    int count = 1;
    bool both = true;
};

Graph graph_of(int npus, int switches, const std::vector<Cable>& cables) {
    Graph graph = network_of_npus("", npus, 0, 0).graph;
    for (int i = 0; i < switches; ++i) {
        graph.add_node(NodeKind::Switch, "s" + std::to_string(i));
    }
    for (const Cable& cable : cables) {
        for (int i = 0; i < cable.count; ++i) {
            graph.add_link({NodeId(cable.from), NodeId(cable.to), Rate(1'000'000'000), Time()});
            if (cable.both) {
                graph.add_link({NodeId(cable.to), NodeId(cable.from), Rate(1'000'000'000), Time()});
            }
        }
    }
    return graph;
}

/// A random tree over all nodes with random further cables, some of them parallel.
Graph random_graph(std::mt19937& random) {
    const auto pick = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    const int npus = pick(2, 12);
    const int switches = pick(0, 6);
    std::vector<Cable> cables;
    for (int node = 1; node < npus + switches; ++node) {
        cables.push_back({pick(0, node - 1), node, pick(1, 3)});
    }
    for (int more = pick(0, 10); more > 0; --more) {
        const int from = pick(0, npus + switches - 1);
        const int to = pick(0, npus + switches - 1);
        if (from != to) {
            cables.push_back({from, to, pick(1, 2)});
        }
    }
    return graph_of(npus, switches, cables);
}

/// A directed ring through all nodes with chords that lead one way.
Graph random_one_way_graph(std::mt19937& random) {
    const auto pick = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    const int npus = pick(3, 12);
    std::vector<Cable> cables;
    for (int node = 0; node < npus; ++node) {
        cables.push_back({node, (node + 1) % npus, 1, false});
    }
    for (int more = pick(0, 10); more > 0; --more) {
        const int from = pick(0, npus - 1);
        cables.push_back({from, (from + pick(1, npus - 1)) % npus, 1, false});
    }
    return graph_of(npus, 0, cables);
}

NetworkDescription with_router(Graph graph, std::shared_ptr<const Router> router) {
    NetworkDescription network;
    network.name = "Custom";
    network.graph = std::move(graph);
    network.router = std::move(router);
    return network;
}

std::shared_ptr<GraphRouter> router_of(const Graph& graph, GraphRoutes kind,
                                       std::uint64_t seed = 1) {
    return std::make_shared<GraphRouter>(graph, kind, seed);
}

// Shortest paths (and ecmp) are the shortest; with layers given out where a cycle would close they
// wait for each other in none, and where the router says that one channel does, one does.
TEST(GraphRoutes, ShortestPathsAreShortestAndFreeOfDeadlockInLayers) {
    std::mt19937 random(1);
    int layered = 0;
    for (int i = 0; i < 300; ++i) {
        const Graph graph = i % 3 == 0 ? random_one_way_graph(random) : random_graph(random);
        for (const GraphRoutes kind : {GraphRoutes::ShortestPath, GraphRoutes::Ecmp}) {
            const auto router = router_of(graph, kind, static_cast<std::uint64_t>(i));
            const bool cyclic = !router->find_cycle(graph).empty();
            if (cyclic) {
                ASSERT_TRUE(router->assign_layers(graph, most_layers));
                EXPECT_GT(router->virtual_channels_needed(), 1);
                ++layered;
            }
            const NetworkDescription network = with_router(graph, router);
            expect_valid_routes(network);
            expect_shortest_routes(network);
            expect_no_deadlock(network);
        }
    }
    EXPECT_GT(layered, 50);
}

// The check counts parallel links as one. Without them, and without equals to choose from, it is
// exact: a cycle that it finds is one of the routes themselves.
TEST(GraphRoutes, TheCheckForCyclesIsExactWithoutParallelLinks) {
    std::mt19937 random(2);
    int cyclic = 0;
    for (int i = 0; i < 200; ++i) {
        Graph graph = random_one_way_graph(random);
        std::set<std::pair<int, int>> seen;
        Graph simple = network_of_npus("", static_cast<std::int64_t>(graph.npus()), 0, 0).graph;
        for (std::size_t link = 0; link < graph.links(); ++link) {
            const Link& each = graph.link(LinkId(link));
            if (seen.insert({each.from.value(), each.to.value()}).second) {
                simple.add_link(each);
            }
        }
        const auto router = router_of(simple, GraphRoutes::ShortestPath);
        const bool found = !router->find_cycle(simple).empty();
        EXPECT_EQ(found, !cycle_with_one_channel(with_router(simple, router)).empty());
        cyclic += found ? 1 : 0;
    }
    EXPECT_GT(cyclic, 20);
    EXPECT_LT(cyclic, 200);
}

// Up*/down* by its definition: breadth first over (node, has gone down) with the order that the
// header states gives the lengths, and no route goes up after it has gone down.
TEST(GraphRoutes, UpDownNeverTurnsUpAndIsShortestOfThose) {
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
        const Graph graph = random_graph(random);
        const auto router = router_of(graph, GraphRoutes::UpDown);
        ASSERT_TRUE(router->reaches_all(graph));
        const NetworkDescription network = with_router(graph, router);
        EXPECT_EQ(network.virtual_channels_needed(), 1);
        expect_valid_routes(network);
        expect_no_deadlock(network);
        std::size_t root = 0;
        for (std::size_t node = 1; node < graph.nodes(); ++node) {
            if (graph.links_from(NodeId(node)).size() > graph.links_from(NodeId(root)).size()) {
                root = node;
            }
        }
        const std::vector<std::int32_t> level = distances_from(graph, NodeId(root));
        const auto up = [&](const Link& link) {
            return std::pair(level[link.to.index()], link.to.value()) <
                   std::pair(level[link.from.index()], link.from.value());
        };
        for (std::size_t from = 0; from < graph.npus(); ++from) {
            std::vector<std::int32_t> distance(2 * graph.nodes(), -1);
            std::vector<std::size_t> open{2 * from};
            distance[2 * from] = 0;
            for (std::size_t k = 0; k < open.size(); ++k) {
                for (const LinkId id : graph.links_from(NodeId(open[k] / 2))) {
                    const bool goes_up = up(graph.link(id));
                    if (goes_up && open[k] % 2 == 1) {
                        continue;
                    }
                    const std::size_t next = 2 * graph.link(id).to.index() + (goes_up ? 0 : 1);
                    if (distance[next] < 0) {
                        distance[next] = distance[open[k]] + 1;
                        open.push_back(next);
                    }
                }
            }
            for (std::size_t to = 0; to < graph.npus(); ++to) {
                const auto route = network.route(NodeId(from), NodeId(to));
                bool down = false;
                for (const Hop& hop : route) {
                    const bool goes_up = up(graph.link(hop.link));
                    ASSERT_FALSE(down && goes_up);
                    down = down || !goes_up;
                }
                std::int32_t least = distance[2 * to];
                if (least < 0 || (distance[2 * to + 1] >= 0 && distance[2 * to + 1] < least)) {
                    least = distance[2 * to + 1];
                }
                ASSERT_EQ(static_cast<std::int32_t>(route.size()), least);
            }
        }
    }
}

// A ring of n: from n = 5 on every link is the first of a route of two, in both directions, so each
// waits for the next: a cycle. At n = 4 routes of two go up, and those of ties to the lowest link
// leave gaps. It has two channels then, or, where there is only one, the latter or up*/down*
// routes. Links that lead round in one direction have it from n = 3 on, and no up*/down* route from
// the last to the one before it.
TEST(GraphRoutes, RingsOfFourAndMoreHaveTwoChannelsOrGoUpAndDown) {
    for (int n = 3; n <= 9; ++n) {
        std::vector<Cable> cables;
        for (int i = 0; i < n; ++i) {
            cables.push_back({i, (i + 1) % n});
        }
        const Graph graph = graph_of(n, 0, cables);
        const auto two = automatic_router(graph, 1);
        EXPECT_EQ(two->name(), "balanced");
        EXPECT_EQ(two->virtual_channels_needed(), n < 4 ? 1 : 2);
        EXPECT_EQ(two->note(), "");
        expect_no_deadlock(with_router(graph, two));
        const auto one = automatic_router(graph, 1, 1);
        EXPECT_EQ(one->name(), n < 4 ? "balanced" : n < 5 ? "shortest-path" : "up-down");
        EXPECT_EQ(one->note().empty(), n < 5);
        EXPECT_EQ(one->virtual_channels_needed(), 1);
        expect_no_deadlock(with_router(graph, one));
    }
    const Graph direction =
        graph_of(4, 0, {{0, 1, 1, false}, {1, 2, 1, false}, {2, 3, 1, false}, {3, 0, 1, false}});
    for (const std::uint8_t most : {std::uint8_t{1}, usual_channels}) {
        const auto router = automatic_router(direction, 1, most);
        EXPECT_EQ(router->name(), "balanced");
        EXPECT_EQ(router->virtual_channels_needed(), 2);
    }
}

/// `npus` NPUs in a cycle of one direction that alternates between low and high numbers, and a
/// switch that all lead to and that leads to NPU 0 only: the root, which no route down leaves but
/// to there.
std::string zigzag_text(int npus) {
    std::string nodes = "Custom:\n  nodes: [{name: R, kind: switch}";
    std::string cables = "  links:\n";
    const auto link = [&](const std::string& from, const std::string& to) {
        cables += fmt::format(
            "    - {{from: {}, to: {}, bandwidth: 50, latency: 500, both: false}}\n", from, to);
    };
    const auto name = [&](int place) {
        return fmt::format("n{}", place / 2 % (npus / 2) + place % 2 * (npus / 2));
    };
    for (int i = 0; i < npus; ++i) {
        nodes += fmt::format(", {{name: n{}, kind: npu}}", i);
        link(name(i), name(i + 1));
    }
    for (int i = 0; i < npus; ++i) {
        link(fmt::format("n{}", i), "R");
    }
    link("R", "n0");
    return nodes + "]\n" + cables;
}

// Balanced routes go up after down about every second link, so they have half as many channels as
// NPUs, and from 66 NPUs or so more than there are; layers of shortest paths are two.
TEST(GraphRoutes, OneWayCyclesHaveLayersWhereThoseAreFewer) {
    for (const int npus : {20, 100}) {
        std::vector<std::string> warnings;
        const NetworkDescription network = network_from(zigzag_text(npus), &warnings);
        EXPECT_EQ(network.routing_name(), "shortest-path");
        EXPECT_EQ(network.virtual_channels_needed(), 2);
        ASSERT_EQ(warnings.size(), 1U);
        EXPECT_THAT(warnings[0], HasSubstr("up*/down* does not reach all NPUs, and balanced "
                                           "routes need "));
        EXPECT_THAT(warnings[0], HasSubstr("; shortest-path on 2 virtual channels is used"));
        expect_valid_routes(network);
        expect_shortest_routes(network);
        expect_no_deadlock(network);
    }
    EXPECT_THAT(refusal_of(zigzag_text(100) + "packet: {routing: balanced}\n"),
                AllOf(HasSubstr("'balanced', which needs more than 32 virtual channels here"),
                      HasSubstr("Use auto")));
}

// 16 NPUs on each of two switches with 4 cables between: 256 pairs, 64 a cable (binomial, standard
// deviation 7), and the same pair the same cable every time.
TEST(GraphRoutes, PairsSpreadOverParallelLinks) {
    std::vector<Cable> cables{{32, 33, 4}};
    for (int i = 0; i < 32; ++i) {
        cables.push_back({i, 32 + i / 16});
    }
    const Graph graph = graph_of(32, 2, cables);
    const NetworkDescription network =
        with_router(graph, router_of(graph, GraphRoutes::ShortestPath));
    std::vector<int> pairs(graph.links());
    for (int from = 0; from < 16; ++from) {
        for (int to = 16; to < 32; ++to) {
            const auto route = network.route(NodeId(from), NodeId(to));
            EXPECT_EQ(route, network.route(NodeId(from), NodeId(to)));
            ++pairs[route[1].link.index()];
        }
    }
    for (const std::size_t link : {0U, 2U, 4U, 6U}) {
        EXPECT_GT(pairs[link], 36);
        EXPECT_LT(pairs[link], 92);
    }
}

// Against all subsets of switches: the narrowest cut that parts the lower half of the NPUs from the
// upper half, by brute force.
TEST(MiddleCut, IsTheNarrowestForItsHalves) {
    std::mt19937 random(4);
    for (int i = 0; i < 200; ++i) {
        const Graph graph = random_graph(random);
        const std::size_t switches = graph.nodes() - graph.npus();
        double least = 1e300;
        for (std::size_t subset = 0; subset < (std::size_t{1} << switches); ++subset) {
            const auto lower = [&](NodeId node) {
                return node.index() < graph.npus() ? node.index() < graph.npus() / 2
                                                   : (subset >> (node.index() - graph.npus())) % 2;
            };
            double rate = 0;
            for (std::size_t link = 0; link < graph.links(); ++link) {
                const Link& each = graph.link(LinkId(link));
                rate += lower(each.from) && !lower(each.to) ? 1e9 : 0;
            }
            least = std::min(least, rate);
        }
        const Bisection cut = middle_cut_of(graph);
        EXPECT_EQ(cut.bytes_per_second, least);
        EXPECT_EQ(static_cast<double>(cut.links) * 1e9, least);
    }
}

const std::string nodes =
    "  nodes: [{name: a, kind: npu}, {name: s, kind: switch}, {name: b, kind: npu}]\n";
std::string custom(const std::string& links) {
    return "Custom:\n" + nodes + "  links:\n" + links;
}
const std::string both_links =
    "    - {from: a, to: s, bandwidth: 50, latency: 5}\n"
    "    - {from: s, to: b, bandwidth: 25, latency: 1us, count: 2}\n";

TEST(CustomSection, IsRead) {
    const NetworkDescription network = network_from(custom(both_links));
    EXPECT_EQ(network.name, "Custom");
    EXPECT_EQ(network.graph.npus(), 2U);
    EXPECT_EQ(network.graph.name(NodeId(0)), "a");
    EXPECT_EQ(network.graph.name(NodeId(1)), "b");
    EXPECT_EQ(network.graph.name(NodeId(2)), "s");
    ASSERT_EQ(network.graph.links(), 6U);
    EXPECT_EQ(network.graph.link(LinkId(2)).rate, Rate(25'000'000'000));
    EXPECT_EQ(network.graph.link(LinkId(2)).latency, Time::ns(1000));
    EXPECT_EQ(nodes_of(network, 0, 1), (std::vector<int>{0, 2, 1}));
    EXPECT_EQ(network.routing_name(), "balanced");
    EXPECT_EQ(middle_cut_of(network.graph).bytes_per_second, 50e9);
    const std::string back = "    - {from: b, to: a, bandwidth: 5, latency: 5, both: false}\n";
    EXPECT_EQ(nodes_of(network_from(custom(both_links + back)), 1, 0), (std::vector<int>{1, 0}));
    EXPECT_EQ(nodes_of(network_from(custom(both_links + back)), 0, 1), (std::vector<int>{0, 2, 1}));
}

TEST(CustomSection, SaysWhichRoutingItUses) {
    std::string ring = "Custom:\n  nodes: [";
    std::string links = "  links:\n";
    for (int i = 0; i < 6; ++i) {
        ring += fmt::format("{}{{name: n{}, kind: npu}}", i == 0 ? "" : ", ", i);
        links +=
            fmt::format("    - {{from: n{}, to: n{}, bandwidth: 5, latency: 5}}\n", i, (i + 1) % 6);
    }
    ring += "]\n" + links;
    std::vector<std::string> warnings;
    EXPECT_EQ(network_from(ring, &warnings).routing_name(), "balanced");
    EXPECT_TRUE(warnings.empty());
    const auto with = [&](const std::string& packet) {
        warnings.clear();
        return network_from(ring + "packet: {" + packet + "}\n", &warnings);
    };
    EXPECT_EQ(with("virtual_channels: 1").routing_name(), "up-down");
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], HasSubstr("n0 -> n1 -> n2 -> n3 -> n4 -> n5 -> n0, and need more than "
                                       "1 virtual channel; up*/down* routing is used"));
    EXPECT_EQ(with("routing: up-down").routing_name(), "up-down");
    EXPECT_TRUE(warnings.empty());
    const NetworkDescription layered = with("routing: shortest-path");
    EXPECT_EQ(layered.routing_name(), "shortest-path");
    EXPECT_EQ(layered.virtual_channels(), 2);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_THAT(warnings[0], HasSubstr("2 layers are assigned"));
    EXPECT_GE(with("routing: ecmp").virtual_channels(), 2);
    EXPECT_THAT(refusal_of(ring + "packet: {routing: shortest-path, virtual_channels: 1}\n"),
                HasSubstr("at least 2, which the routing on Custom needs"));
}

/// A network with a file of links beside it.
class LinkFile : public testing::Test {
protected:
    [[nodiscard]] std::string section(const std::string& text) const {
        return "Custom: {file: " + folder_.write("links.txt", text).string() + "}\n";
    }

    test::TemporaryFolder folder_;
};

TEST_F(LinkFile, IsReadLineByLine) {
    const NetworkDescription network = network_from(
        section("# two NPUs\nnpu a b\nswitch s   # and a switch\n\na s 50 5\ns b 200Gbps 1us 2\n"
                "b a 5 5 forward\na b 1 1 3 forward\nb a 1 1 1 both\n"));
    EXPECT_EQ(network.graph.npus(), 2U);
    EXPECT_EQ(network.graph.links(), 2U + 4 + 1 + 3 + 2);
    EXPECT_EQ(network.graph.link(LinkId(2)).rate, Rate(25'000'000'000));
}

TEST_F(LinkFile, RefusalsNameTheLine) {
    for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
             {"npu a b\na c 5 5\n", ": line 2, TO: found the unknown node 'c'; expected the name"},
             {"npu a b\na b 5\n", ": line 2: found 3 words; expected npu NAME"},
             {"npu a b\na b x 5\n", "line 2, BANDWIDTH"},
             {"npu a b\na b 5 -5\n", "line 2, LATENCY: found '-5'"},
             {"npu a b\na b 5 5 0\n", "line 2, COUNT: found '0'"},
             {"npu a b\na b 5 5 two\n", "line 2, COUNT: found 'two'"},
             {"npu a b\na b 5 5 1 back\n", "line 2, both or forward: found 'back'"},
             {"npu a b a\na b 5 5\n", "line 1: found 'a' a second time"},
             {"npu a npu\nnpu a 5 5\n", "line 1: found 'npu'; expected another name"},
             {"npu a\nswitch switch\na switch 5 5\n", "line 2: found 'switch'; expected another"},
             {"npu a b\n", "found no route from a to b"},
             {"", "found 0 nodes of the kind npu"}}) {
        EXPECT_THAT(refusal_of(section(text)), HasSubstr(part)) << text;
    }
    EXPECT_THAT(refusal_of("Custom: {file: none.txt}\n"), HasSubstr("found 'none.txt'"));
    EXPECT_THAT(refusal_of("Custom: {file: /dev/zero}\n"),
                AllOf(HasSubstr("/dev/zero: found more than 256 MiB"),
                      HasSubstr("a file with one line a link")));
    EXPECT_THAT(refusal_of(section("npu a\n") + "placement: [1]\n"), HasSubstr("placement"));
    const std::string named = "nodes: [{name: npu, kind: npu}, {name: b, kind: npu}]";
    const std::string file = folder_.write("links.txt", "npu b 5 5\n").string();
    EXPECT_THAT(refusal_of("Custom: {" + named + ", file: " + file + "}\n"),
                AllOf(HasSubstr("line 1, Custom.nodes[0].name: found 'npu'"),
                      HasSubstr("write npu0, for example")));
    EXPECT_EQ(network_from("Custom: {" + named +
                           ", links: [{from: npu, to: b, bandwidth: 5, latency: 5}]}\n")
                  .graph.links(),
              2U);
}

TEST(CustomSection, RefusesWhatDoesNotFit) {
    EXPECT_EQ(refusal_of(custom("    - {from: a, to: t, bandwidth: 5, latency: 5}\n")),
              "line 4, Custom.links[0].to: found the unknown node 't'; expected the name of a "
              "node. Did you mean a?");
    EXPECT_EQ(
        refusal_of(custom("    - {from: a, to: s, bandwidth: 5, latency: 5}\n")),
        "line 2, Custom: found no route from a to b; expected links by which every NPU reaches "
        "every other one. Look for a missing link, or both: false");
    EXPECT_THAT(refusal_of(custom(both_links) +
                           "    - {from: a, to: s, bandwidth: 5, latency: 5, both: maybe}\n"),
                HasSubstr("found 'maybe'; expected one of true, false"));
    for (const auto& [links, part] : std::vector<std::pair<std::string, std::string>>{
             {"{to: s, bandwidth: 5, latency: 5}", "expected the key 'from'"},
             {"{from: a, to: s, latency: 5}", "expected the key 'bandwidth'"},
             {"{from: a, to: s, bandwidth: 5}", "expected the key 'latency'"},
             {"{from: a, to: a, bandwidth: 5, latency: 5}", "expected another node than from"},
             {"{from: a, to: s, bandwidth: -5, latency: 5}", "a bandwidth above 0"},
             {"{from: a, to: s, bandwidth: 1e300, latency: 5}", "a bandwidth above 0"},
             {"{from: a, to: s, bandwidth: 5, latency: 1e300}", "a latency from 0"},
             {"{from: a, to: s, bandwidth: 5, latency: 5, count: 0}", "from 1 to 65536"},
             {"{from: a, to: s, bandwidth: 5, latency: 5, count: 1e9}", "from 1 to 65536"},
             {"{from: a, to: s, bandwidth: 5, latency: 5, colour: red}", "unknown key 'colour'"},
             {"{from: a, to: b, bandwidth: 5, latency: 5, both: false}", "no route from b to a"}}) {
        EXPECT_THAT(refusal_of(custom("    - " + links + "\n")), HasSubstr(part)) << links;
    }
    EXPECT_THAT(refusal_of("Custom: {nodes: [{name: a, kind: npu}, {name: a, kind: npu}], links: "
                           "[]}\n"),
                HasSubstr("Custom.nodes[1].name: found 'a' a second time"));
    EXPECT_THAT(refusal_of("Custom: {nodes: [{name: 7, kind: npu}], links: []}\n"),
                HasSubstr("that is no number"));
    EXPECT_THAT(refusal_of("Custom: {nodes: [{name: a, kind: gpu}], links: []}\n"),
                HasSubstr("expected one of npu, switch"));
    EXPECT_THAT(refusal_of("Custom: {nodes: [{kind: npu}], links: []}\n"),
                HasSubstr("expected the key 'name'"));
    EXPECT_THAT(refusal_of("Custom: {nodes: [{name: s, kind: switch}], links: []}\n"),
                HasSubstr("found 0 nodes of the kind npu"));
    EXPECT_THAT(refusal_of("Custom: {links: []}\n"), HasSubstr("expected the key 'nodes'"));
    EXPECT_THAT(refusal_of("Custom:\n" + nodes), HasSubstr("expected the key 'links'"));
    EXPECT_EQ(network_from("Custom: {nodes: [{name: a, kind: npu}], links: []}\n").graph.links(),
              0U);
}

}  // namespace
}  // namespace npunet::topology::custom_test
