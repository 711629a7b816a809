// Routes and orders of graphs of any form, where they are looked for exhaustively or drawn by hand.

#include "topology/routing/graph_router.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "topology/network/headroom.h"
#include "topology/routing/up_down_order.h"

namespace npunet::topology::graph_router_test {
namespace {

using OneWay = std::pair<int, int>;

Graph graph_of(int npus, const std::vector<OneWay>& links) {
    Graph graph;
    for (int i = 0; i < npus; ++i) {
        graph.add_node(NodeKind::Npu, "npu" + std::to_string(i));
    }
    for (const auto& [from, to] : links) {
        graph.add_link({NodeId(from), NodeId(to), Rate(1'000'000'000), Time::ns(5)});
    }
    return graph;
}

Graph both_ways(int npus, const std::vector<OneWay>& cables) {
    std::vector<OneWay> links;
    for (const auto& [a, b] : cables) {
        links.emplace_back(a, b);
        links.emplace_back(b, a);
    }
    return graph_of(npus, links);
}

// Three NPUs in a ring of one direction: each destination adds one dependency, 0 that of the link
// from 1 on that from 2; only all three close the cycle.
TEST(GraphRouter, EveryDestinationCountsForACycle) {
    const Graph ring = graph_of(3, {{0, 1}, {1, 2}, {2, 0}});
    EXPECT_FALSE(GraphRouter(ring, GraphRoutes::ShortestPath, 1).find_cycle(ring).empty());
    const Graph open = both_ways(3, {{0, 1}, {1, 2}});
    EXPECT_TRUE(GraphRouter(open, GraphRoutes::ShortestPath, 1).find_cycle(open).empty());
}

// On the open line no cycle closes; a search that ended before all destinations cannot know.
TEST(GraphRouter, ASearchThatEndsEarlyFreesNothing) {
    const Graph open = both_ways(4, {{0, 1}, {1, 2}, {2, 3}});
    const GraphRouter router(open, GraphRoutes::ShortestPath, 1);
    EXPECT_TRUE(router.look_for_cycle(open).is_free());
    const GraphRouter::CycleSearch early = router.look_for_cycle(open, 1);
    EXPECT_TRUE(early.cycle.empty());
    EXPECT_FALSE(early.is_whole);
    EXPECT_FALSE(early.is_free());
}

TEST(GraphRouter, ReachesAllOnlyWhereEveryPairIsJoined) {
    for (const OneWay& only : {OneWay{0, 1}, OneWay{1, 0}}) {
        const Graph graph = graph_of(2, {only});
        EXPECT_FALSE(GraphRouter(graph, GraphRoutes::ShortestPath, 1).reaches_all(graph));
    }
    const Graph graph = graph_of(2, {{0, 1}, {1, 0}});
    EXPECT_TRUE(GraphRouter(graph, GraphRoutes::ShortestPath, 1).reaches_all(graph));
}

/// Links from the node with the most of them, found by relaxing every link again and again.
std::vector<int> distances_from_the_middle(const Graph& graph) {
    std::size_t root = 0;
    std::vector<std::size_t> degrees(graph.nodes(), 0);
    for (std::size_t i = 0; i < graph.links(); ++i) {
        ++degrees[graph.link(LinkId(i)).from.index()];
        ++degrees[graph.link(LinkId(i)).to.index()];
    }
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        root = degrees[node] > degrees[root] ? node : root;
    }
    std::vector<int> distance(graph.nodes(), 1'000'000);
    distance[root] = 0;
    for (std::size_t round = 0; round < graph.nodes(); ++round) {
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const Link& link = graph.link(LinkId(i));
            int& there = distance[link.to.index()];
            there = std::min(there, distance[link.from.index()] + 1);
        }
    }
    return distance;
}

void expect_nearer_first(const Graph& graph, const std::vector<std::uint32_t>& order) {
    const std::vector<int> distance = distances_from_the_middle(graph);
    for (std::size_t a = 0; a < graph.nodes(); ++a) {
        for (std::size_t b = 0; b < graph.nodes(); ++b) {
            if (distance[a] < distance[b] || (distance[a] == distance[b] && a < b)) {
                EXPECT_LT(order[a], order[b]) << a << " and " << b;
            }
        }
    }
}

// A tail longer than half of the nodes, and trees drawn at random.
TEST(UpDownOrder, NearerNodesComeFirst) {
    const auto all = [](LinkId) { return true; };
    const Graph tail = both_ways(8, {{7, 0}, {7, 1}, {7, 2}, {2, 6}, {6, 3}, {3, 5}, {5, 4}});
    expect_nearer_first(tail, up_down_order(tail, all));
    std::mt19937 random(7);
    for (int i = 0; i < 50; ++i) {
        const int nodes = 2 + static_cast<int>(random() % 12);
        std::vector<OneWay> cables;
        for (int node = 1; node < nodes; ++node) {
            const auto reach = static_cast<unsigned>(std::min(node, 3));
            cables.emplace_back(node, node - 1 - static_cast<int>(random() % reach));
        }
        const Graph tree = both_ways(nodes, cables);
        expect_nearer_first(tree, up_down_order(tree, all));
    }
}

// Around node 1, which has the most links; then as the links were added.
TEST(LastingOrder, BeginsInTheMiddle) {
    const Graph star = graph_of(4, {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {1, 3}, {3, 1}});
    EXPECT_EQ(lasting_order(star, std::vector<Time>(6, Time::max())),
              (std::vector<std::uint32_t>{1, 0, 2, 3}));
}

// 0 - 2 lives for 9 ns, 0 - 1 for 5, so 2 comes first; a cable lives as long as both its
// directions.
TEST(LastingOrder, GoesOverWhatLivesLongest) {
    const Graph graph = both_ways(3, {{0, 2}, {0, 1}});
    EXPECT_EQ(lasting_order(graph, {Time::ns(9), Time::ns(9), Time::ns(5), Time::ns(5)}),
              (std::vector<std::uint32_t>{0, 2, 1}));
    EXPECT_EQ(lasting_order(graph, {Time::ns(9), Time::ns(4), Time::ns(5), Time::ns(5)}),
              (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(lasting_order(graph, {Time::ns(4), Time::ns(9), Time::ns(5), Time::ns(5)}),
              (std::vector<std::uint32_t>{0, 1, 2}));
}

// A pause of 64 bytes behind a packet of 1000 takes 1064 ns, then 5 ns there and 5 ns back; what
// comes meanwhile at 4 bytes a nanosecond, and a packet at each end. The other direction is slower.
TEST(Headroom, OfTheLinkThatNeedsMost) {
    Graph graph;
    graph.add_node(NodeKind::Npu, "a");
    graph.add_node(NodeKind::Npu, "b");
    graph.add_link({NodeId(0), NodeId(1), Rate(4'000'000'000), Time::ns(5)});
    graph.add_link({NodeId(1), NodeId(0), Rate(1'000'000'000), Time::ns(5)});
    PacketParameters packet;
    packet.mtu = Bytes(990);
    packet.header = Bytes(10);
    const NeededHeadroom needed = needed_headroom(graph, packet);
    EXPECT_EQ(needed.link, LinkId(0));
    EXPECT_EQ(needed.bytes, Bytes((1064 + 10) * 4 + 1 + 2 * 1000));
}

TEST(Headroom, HasALimit) {
    const Link link{NodeId(0), NodeId(1), Rate(1'000'000'000'000'000'000), Time::ns(1'000'000'000)};
    EXPECT_EQ(lossless_headroom(link, link, Bytes(1000), 1), Bytes(std::int64_t{1} << 60));
}

}  // namespace
}  // namespace npunet::topology::graph_router_test
