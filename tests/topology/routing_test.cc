#include "topology/routing/product_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <queue>

#include "networks.h"

namespace npunet::topology {
namespace {

using testing::ElementsAre;
using Kind = DimensionKind;

/// Links from one NPU to all nodes, breadth first: -1 where there is no way.
std::vector<int> distances(const Graph& graph, NodeId from) {
    std::vector<int> distance(graph.nodes(), -1);
    std::queue<NodeId> open;
    distance[from.index()] = 0;
    for (open.push(from); !open.empty(); open.pop()) {
        for (const LinkId id : graph.links_from(open.front())) {
            const NodeId next = graph.link(id).to;
            if (distance[next.index()] < 0) {
                distance[next.index()] = distance[open.front().index()] + 1;
                open.push(next);
            }
        }
    }
    return distance;
}

/// Every route is a chain of existing links from source to destination, in ascending dimensions and
/// on existing channels, and as short as the shortest path.
void expect_sound_routes(const NetworkDescription& network) {
    const Graph& graph = network.graph;
    for (std::size_t a = 0; a < graph.npus(); ++a) {
        const std::vector<int> distance = distances(graph, NodeId(a));
        for (std::size_t b = 0; b < graph.npus(); ++b) {
            const std::vector<Hop> hops = network.route(NodeId(a), NodeId(b));
            ASSERT_EQ(static_cast<int>(hops.size()), distance[b]) << a << " to " << b;
            NodeId at(a);
            std::int32_t dimension = 0;
            for (const Hop& hop : hops) {
                ASSERT_LT(hop.link.index(), graph.links());
                const Link& link = graph.link(hop.link);
                ASSERT_EQ(link.from, at);
                ASSERT_GE(link.dimension, dimension);
                ASSERT_LT(hop.virtual_channel, network.virtual_channels_needed());
                at = link.to;
                dimension = link.dimension;
            }
            ASSERT_EQ(at, NodeId(b));
        }
    }
}

// XY: first along x, then along y. On 4 x 4, NPU i stands at (i mod 4, i div 4).
TEST(Routing, MeshGoesAlongXThenAlongY) {
    const NetworkDescription mesh = grid(Kind::Mesh1D, {4, 4});
    EXPECT_THAT(nodes_of(mesh, 1, 7), ElementsAre(1, 2, 3, 7));
    EXPECT_THAT(nodes_of(mesh, 14, 5), ElementsAre(14, 13, 9, 5));
    EXPECT_THAT(nodes_of(mesh, 6, 6), ElementsAre(6));
}

// Shorter way round; at distance 4 of 8 towards the larger coordinate.
TEST(Routing, RingGoesTheShorterWayAndUpOnTies) {
    const NetworkDescription ring = grid(Kind::Ring, {8});
    EXPECT_THAT(nodes_of(ring, 0, 3), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(nodes_of(ring, 0, 5), ElementsAre(0, 7, 6, 5));
    EXPECT_THAT(nodes_of(ring, 0, 4), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(nodes_of(ring, 6, 2), ElementsAre(6, 7, 0, 1, 2));
}

// Channel 0 up to the wrap link, 1 from it on, 0 again in the next dimension.
TEST(Routing, VirtualChannelChangesAtTheDateline) {
    const NetworkDescription torus = grid(Kind::Ring, {8, 8});
    EXPECT_THAT(channels_of(torus, 6, 2), ElementsAre(0, 1, 1, 1));
    EXPECT_THAT(channels_of(torus, 1, 6), ElementsAre(0, 1, 1));
    EXPECT_THAT(channels_of(torus, 0, 4), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(nodes_of(torus, 7, 17), ElementsAre(7, 0, 1, 9, 17));
    EXPECT_THAT(channels_of(torus, 7, 17), ElementsAre(1, 1, 0, 0));
}

// NPUs 0 .. 3 and 4 .. 7 hang on the switches of dimension 0: nodes 8 and 9. Dimension 1 is a
// clique.
TEST(Routing, SwitchIsPassedBetweenItsTwoLinks) {
    const NetworkDescription network = product({Kind::Switch, Kind::FullyConnected}, {4, 2});
    EXPECT_THAT(nodes_of(network, 1, 3), ElementsAre(1, 8, 3));
    EXPECT_THAT(nodes_of(network, 1, 7), ElementsAre(1, 8, 3, 7));
    EXPECT_THAT(nodes_of(network, 1, 5), ElementsAre(1, 5));
    EXPECT_EQ(network.graph.name(NodeId(9)), "switch1");
}

TEST(Routing, RoutesAreSoundOnSingleDimensions) {
    for (const Kind kind : {Kind::Ring, Kind::Mesh1D, Kind::FullyConnected, Kind::Switch}) {
        for (std::int32_t size = 1; size <= 9; ++size) {
            SCOPED_TRACE(std::string(name_of(kind)) + " of " + std::to_string(size));
            expect_sound_routes(grid(kind, {size}));
        }
    }
}

// Every product of two kinds and of three sizes, and some of three.
TEST(Routing, RoutesAreSoundOnProducts) {
    const std::vector<Kind> kinds{Kind::Ring, Kind::Mesh1D, Kind::FullyConnected, Kind::Switch};
    for (const Kind first : kinds) {
        for (const Kind second : kinds) {
            for (const auto& [width, height] :
                 {std::pair{4, 3}, std::pair{2, 5}, std::pair{1, 4}}) {
                SCOPED_TRACE(std::string(name_of(first)) + " x " + name_of(second));
                expect_sound_routes(product({first, second}, {width, height}));
                expect_sound_routes(product({first, second, Kind::Ring}, {width, height, 4}));
            }
        }
    }
}

}  // namespace
}  // namespace npunet::topology
