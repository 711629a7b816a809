// Dragonflies: links, distances, minimal routes, their virtual channels, and what is refused.

#include "topology/builders/dragonfly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "networks.h"
#include "own_networks.h"

namespace npunet::topology::dragonfly_test {
namespace {

using testing::HasSubstr;

NetworkDescription dragonfly(const DragonflyShape& shape) {
    const LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};
    return make_dragonfly(shape, {speed, speed, speed});
}

/// All shapes with a up to 5, p up to 2, h up to 3 and at most 80 NPUs.
std::vector<DragonflyShape> shapes() {
    std::vector<DragonflyShape> list;
    for (std::int64_t a = 1; a <= 5; ++a) {
        for (std::int64_t p = 1; p <= 2; ++p) {
            for (std::int64_t h = 0; h <= 3; ++h) {
                for (std::int64_t g = 1; g <= a * h + 1 && a * p * g <= 80; ++g) {
                    list.push_back(DragonflyShape{a, p, h, g});
                }
            }
        }
    }
    return list;
}

/// The fewest links from one NPU to all nodes with at most one global link; by breadth first over
/// (node, global links so far). Links between routers of two groups are global.
std::vector<std::int32_t> minimal_distances(const NetworkDescription& network, std::int64_t a,
                                            NodeId from) {
    const Graph& graph = network.graph;
    const auto group_of = [&](NodeId node) {
        return (node.value() - static_cast<std::int64_t>(graph.npus())) / a;
    };
    std::vector<std::int32_t> distance(2 * graph.nodes(), -1);
    std::vector<std::size_t> open{2 * from.index()};
    distance[open.front()] = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const NodeId at(open[i] / 2);
        for (const LinkId id : graph.links_from(at)) {
            const NodeId to = graph.link(id).to;
            const bool switches =
                graph.kind(at) == NodeKind::Switch && graph.kind(to) == NodeKind::Switch;
            const bool global = switches && group_of(at) != group_of(to);
            const std::size_t used = open[i] % 2 + (global ? 1 : 0);
            if (used < 2 && distance[2 * to.index() + used] < 0) {
                distance[2 * to.index() + used] = distance[open[i]] + 1;
                open.push_back(2 * to.index() + used);
            }
        }
    }
    std::vector<std::int32_t> least(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        const std::int32_t without = distance[2 * node];
        const std::int32_t with = distance[2 * node + 1];
        least[node] = without < 0 ? with : with < 0 ? without : std::min(without, with);
    }
    return least;
}

// Kim et al. 2008: a router has p + (a - 1) + h ports, and there are floor(a h / (g - 1)) links
// between any two of g groups; here all pairs have the same number, and every link has its reverse.
TEST(Dragonfly, JoinsAnyTwoGroupsByEquallyManyLinks) {
    for (const DragonflyShape& shape : shapes()) {
        const NetworkDescription network = dragonfly(shape);
        const Graph& graph = network.graph;
        ASSERT_EQ(graph.npus(), static_cast<std::size_t>(shape.a * shape.p * shape.groups));
        ASSERT_EQ(graph.links(), static_cast<std::size_t>(shape.links()));
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> between;
        std::map<std::pair<std::int32_t, std::int32_t>, int> balance;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const Link& link = graph.link(LinkId(i));
            ++balance[{link.from.value(), link.to.value()}];
            --balance[{link.to.value(), link.from.value()}];
            if (graph.kind(link.from) == NodeKind::Switch &&
                graph.kind(link.to) == NodeKind::Switch) {
                const auto group = [&](NodeId node) {
                    return (node.value() - static_cast<std::int64_t>(graph.npus())) / shape.a;
                };
                ++between[{group(link.from), group(link.to)}];
            }
        }
        for (const auto& [pair, excess] : balance) {
            EXPECT_EQ(excess, 0);
        }
        for (std::int64_t one = 0; one < shape.groups; ++one) {
            for (std::int64_t other = 0; other < shape.groups; ++other) {
                const auto wanted =
                    one == other ? shape.a * (shape.a - 1) : shape.a * shape.h / (shape.groups - 1);
                EXPECT_EQ((between[{one, other}]), wanted);
            }
        }
        for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
            EXPECT_LE(graph.links_from(NodeId(node)).size(),
                      static_cast<std::size_t>(shape.p + shape.a - 1 + shape.h));
        }
    }
}

TEST(Dragonfly, RoutesAreMinimalWithOneGlobalLink) {
    for (const DragonflyShape& shape : shapes()) {
        const NetworkDescription network = dragonfly(shape);
        expect_valid_routes(network);
        for (std::size_t from = 0; from < network.graph.npus(); ++from) {
            const auto distance = minimal_distances(network, shape.a, NodeId(from));
            for (std::size_t to = 0; to < network.graph.npus(); ++to) {
                ASSERT_EQ(static_cast<std::int32_t>(network.route(NodeId(from), NodeId(to)).size()),
                          distance[to]);
            }
        }
    }
}

// With one link between any two groups and several routers in a group there are two channels, and
// one would not do; in general 2 is said exactly where one channel has a cycle.
TEST(Dragonfly, NeedsTheChannelsThatItSays) {
    int two = 0;
    int one = 0;
    for (const DragonflyShape& shape : shapes()) {
        const NetworkDescription network = dragonfly(shape);
        expect_no_deadlock(network);
        const bool cyclic = !cycle_with_one_channel(network).empty();
        EXPECT_EQ(network.virtual_channels_needed(), cyclic ? 2 : 1)
            << "a " << shape.a << " p " << shape.p << " h " << shape.h << " g " << shape.groups;
        if (shape.rounds() == 1 && shape.a > 1) {
            EXPECT_TRUE(cyclic);
        }
        (cyclic ? two : one) += 1;
    }
    EXPECT_GT(two, 10);
    EXPECT_GT(one, 10);
}

// The canonical balanced dragonfly a = 2 p = 2 h, g = a h + 1, at h = 2: 72 NPUs; no route has more
// than three links between routers, and a route from group 0 to group 3 goes over port 2 of group
// 0, which is router 1's, to port 9 - 3 - 1 = 5 of group 3, router 2's there.
TEST(Dragonfly, FollowsThePalmTree) {
    const NetworkDescription network = dragonfly({4, 2, 2, 9});
    EXPECT_EQ(nodes_of(network, 0, 24 + 7), (std::vector<int>{0, 72, 73, 72 + 14, 72 + 15, 31}));
    EXPECT_EQ(channels_of(network, 0, 24 + 7), (std::vector<int>{0, 0, 0, 1, 0}));
    EXPECT_EQ(nodes_of(network, 0, 1), (std::vector<int>{0, 72, 1}));
    EXPECT_EQ(nodes_of(network, 0, 2), (std::vector<int>{0, 72, 73, 2}));
    EXPECT_EQ(network.routing_name(), "minimal");
}

// Halves of whole groups: floor(g / 2) ceil(g / 2) pairs with one link each, where those are the
// narrowest place. 8 of the 9 groups would do for an even cut; with g = 8 and h = 2, a = 4 each
// pair of groups has one link: 16.
TEST(Dragonfly, BisectionFollowsTheClosedForm) {
    const Bisection cut = middle_cut_of(dragonfly({4, 2, 2, 8}).graph);
    EXPECT_EQ(cut.links, 16);
    EXPECT_EQ(cut.bytes_per_second, 16 * 50e9);
    // Two groups with a h = 6 links between them and 12 NPUs each.
    EXPECT_EQ(middle_cut_of(dragonfly({3, 4, 2, 2}).graph).bytes_per_second, 6 * 50e9);
}

std::string section(const std::string& parameters) {
    return "Dragonfly: {" + parameters + "}\n";
}
const std::string links = ", bandwidth: [50, 100, 25], latency: [100, 200, 1us]";

TEST(DragonflySection, IsRead) {
    const NetworkDescription network = network_from(section("a: 4, p: 2, h: 2, groups: 9" + links));
    EXPECT_EQ(network.name, "Dragonfly");
    EXPECT_EQ(network.virtual_channels(), 2);
    EXPECT_EQ(network.graph.link(LinkId(0)).rate, Rate(50'000'000'000));
    EXPECT_EQ(network.graph.link(LinkId(144)).rate, Rate(100'000'000'000));
    EXPECT_EQ(network.graph.link(LinkId(network.graph.links() - 1)).latency, Time::ns(1000));
    EXPECT_EQ(network_from(section("a: 4, p: 2, h: 2, groups: 9" + links) +
                           "packet: {routing: minimal, virtual_channels: 3}\n")
                  .virtual_channels(),
              3);
}

// Links of NPUs, within a group and between groups, in both directions: 72 NPUs, 9 groups of 4
// routers (72 to 107).
TEST(DragonflySection, LinksHaveTheSpeedOfTheirKind) {
    const NetworkDescription network = network_from(section("a: 4, p: 2, h: 2, groups: 9" + links));
    std::size_t of_npus = 0;
    std::size_t local = 0;
    std::size_t global = 0;
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        const Link& link = network.graph.link(LinkId(i));
        const bool npu = std::min(link.from.index(), link.to.index()) < 72;
        const bool same = (link.from.index() - 72) / 4 == (link.to.index() - 72) / 4;
        ++(npu ? of_npus : same ? local : global);
        EXPECT_EQ(link.rate, Rate(npu    ? 50'000'000'000
                                  : same ? 100'000'000'000
                                         : 25'000'000'000))
            << i;
        EXPECT_EQ(link.latency, Time::ns(npu ? 100 : same ? 200 : 1000)) << i;
    }
    EXPECT_EQ(of_npus, 2U * 72);
    EXPECT_EQ(local, 9U * 4 * 3);
    EXPECT_EQ(global, 9U * 8);
}

TEST(DragonflySection, RefusesWhatDoesNotFit) {
    EXPECT_EQ(refusal_of(section("a: 4, p: 2, h: 2, groups: 10" + links)),
              "line 1, Dragonfly.groups: found '10'; expected at most 9: a x h = 4 x 2 = 8 global "
              "links a group, one to each other. Raise a or h");
    for (const auto& [parameters, part] : std::vector<std::pair<std::string, std::string>>{
             {"p: 2, h: 2, groups: 9" + links, "expected the key 'a'"},
             {"a: 4, h: 2, groups: 9" + links, "expected the key 'p'"},
             {"a: 4, p: 2, groups: 9" + links, "expected the key 'h'"},
             {"a: 4, p: 2, h: 2" + links, "expected the key 'groups'"},
             {"a: 4, p: 2, h: 2, groups: 9, latency: 5", "expected the key 'bandwidth'"},
             {"a: 0, p: 2, h: 2, groups: 1" + links, "a whole number from 1 to 65536"},
             {"a: 4, p: -2, h: 2, groups: 1" + links, "a whole number from 1 to 65536"},
             {"a: 4, p: 2, h: -1, groups: 1" + links, "a whole number from 0 to 65536"},
             {"a: 1e9, p: 2, h: 2, groups: 9" + links, "a whole number from 1 to 65536"},
             {"a: 4, p: 2, h: 2, groups: nine" + links, "found 'nine'"},
             {"a: 65536, p: 65536, h: 1, groups: 2" + links, "8589934592 NPUs; expected at most"},
             {"a: 65536, p: 1, h: 1, groups: 2" + links, "links; expected at most 33554432"},
             {"a: 4, p: 2, h: 2, groups: 9, bandwidth: [1, 2], latency: 5",
              "a list of 2; expected one value, or a list of 3: [npu, local, global]"},
             {"a: 4, p: 2, h: 2, groups: 9, b: 3" + links, "the unknown key 'b'"}}) {
        EXPECT_THAT(refusal_of(section(parameters)), HasSubstr(part)) << parameters;
    }
    EXPECT_THAT(refusal_of(section("a: 4, p: 2, h: 2, groups: 9" + links) +
                           "packet: {virtual_channels: 1}\n"),
                HasSubstr("at least 2, which the routing on Dragonfly needs"));
    EXPECT_THAT(
        refusal_of(section("a: 4, p: 2, h: 2, groups: 9" + links) + "packet: {routing: spray}\n"),
        HasSubstr("found 'spray'; expected one of auto, minimal, ugal"));
    EXPECT_THAT(refusal_of(section("a: 4, p: 2, h: 2, groups: 9" + links) +
                           "packet: {routing: ugal, virtual_channels: 2}\n"),
                HasSubstr("at least 3, which the routing on Dragonfly needs"));
}

}  // namespace
}  // namespace npunet::topology::dragonfly_test
