#include "topology/builders/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "networks.h"

namespace npunet::topology {
namespace {

using Kind = DimensionKind;

std::size_t degree(const Graph& graph, int npu) {
    EXPECT_EQ(graph.links_from(NodeId(npu)).size(), graph.links_to(NodeId(npu)).size());
    return graph.links_from(NodeId(npu)).size();
}

// On 4 x 4 corners have 2 links, edges 3, the inside 4.
TEST(Builder, MeshHasTheDegreesOfAMesh) {
    const Graph graph = grid(Kind::Mesh1D, {4, 4}).graph;
    for (int npu = 0; npu < 16; ++npu) {
        const auto border = [](int c) { return c == 0 || c == 3 ? 1U : 0U; };
        EXPECT_EQ(degree(graph, npu), 4U - border(npu % 4) - border(npu / 4)) << npu;
    }
    EXPECT_TRUE(graph.find_link(NodeId(1), NodeId(5)).valid());
    EXPECT_FALSE(graph.find_link(NodeId(3), NodeId(4)).valid());
    EXPECT_FALSE(graph.find_link(NodeId(0), NodeId(3)).valid());
}

// Two links each for rings of more than two, one for a ring of two, none for a ring of one; and
// only the first have wrap links: one each way.
TEST(Builder, RingsCloseWithWrapLinks) {
    for (std::int32_t size = 1; size <= 9; ++size) {
        const Graph graph = grid(Kind::Ring, {size}).graph;
        std::vector<std::pair<int, int>> wraps;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const Link& link = graph.link(LinkId(i));
            if (link.wraps) {
                wraps.emplace_back(link.from.value(), link.to.value());
            }
        }
        EXPECT_EQ(degree(graph, 0), size > 2 ? 2U : size == 2 ? 1U : 0U);
        if (size > 2) {
            EXPECT_THAT(wraps, testing::UnorderedElementsAre(std::pair(size - 1, 0),
                                                             std::pair(0, size - 1)));
        } else {
            EXPECT_TRUE(wraps.empty());
        }
    }
}

TEST(Builder, CliquesAndSwitchesHaveTheirLinks) {
    const Graph clique = grid(Kind::FullyConnected, {5}).graph;
    EXPECT_EQ(clique.links(), 20U);
    EXPECT_EQ(degree(clique, 2), 4U);
    const Graph star = grid(Kind::Switch, {5}).graph;
    EXPECT_EQ(star.nodes(), 6U);
    EXPECT_EQ(star.kind(NodeId(5)), NodeKind::Switch);
    EXPECT_EQ(degree(star, 5), 5U);
    EXPECT_EQ(degree(star, 4), 1U);
    EXPECT_EQ(grid(Kind::Switch, {1}).graph.nodes(), 1U);
}

// Each link joins NPUs that differ in its dimension alone, or an NPU and a switch; no pair of nodes
// is joined twice; network_size_of() counts what is built.
TEST(Builder, ProductsAreCartesian) {
    const std::vector<Kind> kinds{Kind::Ring, Kind::Mesh1D, Kind::FullyConnected, Kind::Switch};
    for (const Kind first : kinds) {
        for (const Kind second : kinds) {
            const NetworkDescription network = product({first, second, Kind::Ring}, {4, 3, 2});
            const Graph& graph = network.graph;
            std::set<std::pair<int, int>> pairs;
            for (std::size_t i = 0; i < graph.links(); ++i) {
                const Link& link = graph.link(LinkId(i));
                EXPECT_TRUE(pairs.emplace(link.from.value(), link.to.value()).second);
                for (std::size_t d = 0; d < 3; ++d) {
                    if (link.from.index() < 24 && link.to.index() < 24 &&
                        static_cast<std::int32_t>(d) != link.dimension) {
                        EXPECT_EQ(network.coordinate(link.from, d), network.coordinate(link.to, d));
                    }
                }
            }
            const NetworkSize size = network_size_of(network.dimensions);
            EXPECT_EQ(static_cast<std::size_t>(size.npus), graph.npus());
            EXPECT_EQ(static_cast<std::size_t>(size.npus + size.switches), graph.nodes());
            EXPECT_EQ(static_cast<std::size_t>(size.links), graph.links());
        }
    }
}

TEST(Builder, NamesNodesAndNetworks) {
    const NetworkDescription network = product({Kind::FullyConnected, Kind::Switch}, {8, 2});
    EXPECT_EQ(network.name, "FullyConnected x Switch");
    EXPECT_EQ(network.graph.name(NodeId(15)), "npu15");
    EXPECT_EQ(network.graph.name(NodeId(16)), "switch0");
    EXPECT_EQ(network.graph.name(NodeId(23)), "switch7");
    EXPECT_EQ(network.coordinate(NodeId(13), 0), 5);
    EXPECT_EQ(network.coordinate(NodeId(13), 1), 1);
}

// Consecutive ranks of a snake are neighbours: they differ by one in one coordinate.
TEST(Placement, SnakeStepsBetweenNeighbours) {
    for (const std::vector<std::int32_t>& sizes :
         {std::vector<std::int32_t>{7}, {4, 4}, {3, 5}, {5, 1, 3}, {3, 4, 2}, {2, 3, 3, 4}}) {
        const NetworkDescription mesh = grid(Kind::Mesh1D, sizes);
        const std::vector<NodeId> snake = snake_placement(mesh.dimensions);
        std::set<NodeId> seen(snake.begin(), snake.end());
        EXPECT_EQ(seen.size(), mesh.graph.npus());
        for (std::size_t rank = 1; rank < snake.size(); ++rank) {
            EXPECT_TRUE(mesh.graph.find_link(snake[rank - 1], snake[rank]).valid()) << rank;
        }
    }
}

}  // namespace
}  // namespace npunet::topology
