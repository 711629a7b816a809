#include "topology/network/deadlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "networks.h"
#include "topology/routing/shortest_paths.h"

namespace npunet::topology {
namespace {

using Kind = DimensionKind;

/// Free of deadlock with the channels that the network asks for, and not with fewer.
void expect_least_channels(const NetworkDescription& network) {
    EXPECT_TRUE(channel_dependencies(network).find_cycle().empty());
    EXPECT_EQ(cycle_with_one_channel(network).empty(), network.virtual_channels_needed() == 1);
}

/// All lists of one to `most` sizes from 2 to 7 with at most 100 NPUs.
std::vector<std::vector<std::int32_t>> size_lists(std::size_t most) {
    std::vector<std::vector<std::int32_t>> lists{{}};
    for (std::size_t done = 0; done < lists.size(); ++done) {
        std::int32_t npus = 1;
        for (const std::int32_t size : lists[done]) {
            npus *= size;
        }
        for (std::int32_t size = 2; size <= 7 && lists[done].size() < most; ++size) {
            if (npus * size <= 100) {
                lists.push_back(lists[done]);
                lists.back().push_back(size);
            }
        }
    }
    lists.erase(lists.begin());
    return lists;
}

// The finder itself: 0 -> 1 -> 2 has no cycle, with 2 -> 1 it has {1, 2}.
TEST(ChannelDependencies, FindsACycleWhereThereIsOne) {
    const auto hop = [](int link, int channel) {
        return Hop{LinkId(link), static_cast<std::uint8_t>(channel)};
    };
    ChannelDependencies dependencies(3, 2);
    dependencies.add_route({hop(0, 0), hop(1, 1), hop(2, 0)});
    EXPECT_TRUE(dependencies.find_cycle().empty());
    dependencies.add(hop(2, 0), hop(1, 0));
    EXPECT_TRUE(dependencies.find_cycle().empty());
    dependencies.add(hop(2, 0), hop(1, 1));
    EXPECT_THAT(dependencies.find_cycle(), testing::ElementsAre(hop(1, 1), hop(2, 0)));
}

TEST(Deadlock, MeshesNeedOneChannel) {
    for (const auto& sizes : size_lists(3)) {
        const NetworkDescription mesh = grid(Kind::Mesh1D, sizes);
        EXPECT_EQ(mesh.virtual_channels_needed(), 1);
        expect_least_channels(mesh);
    }
}

// A ring of n: routes in + direction have up to floor(n / 2) hops. From n = 4 on that is two, so
// each of the n links waits for the next: a cycle. For n <= 3 every route is one hop.
TEST(Deadlock, ToriNeedTwoChannelsFromRingsOfFourOn) {
    for (const auto& sizes : size_lists(3)) {
        const NetworkDescription torus = grid(Kind::Ring, sizes);
        const bool long_ring = *std::max_element(sizes.begin(), sizes.end()) > 3;
        EXPECT_EQ(torus.virtual_channels_needed(), long_ring ? 2 : 1);
        expect_least_channels(torus);
    }
}

TEST(Deadlock, ProductsNeedWhatTheirRingsNeed) {
    const std::vector<Kind> kinds{Kind::Ring, Kind::Mesh1D, Kind::FullyConnected, Kind::Switch};
    for (const Kind first : kinds) {
        for (const Kind second : kinds) {
            for (const Kind third : kinds) {
                expect_least_channels(product({first, second, third}, {4, 3, 2}));
                expect_least_channels(product({first, second, third}, {2, 5, 4}));
            }
        }
    }
}

// Breadth first with ties to the lowest link: on networks without long rings these are the
// dimension-order routes, because the links of lower dimensions have the lower numbers.
TEST(ShortestPath, AgreesWithDimensionOrderWhereItIsAccepted) {
    const std::vector<Kind> kinds{Kind::Ring, Kind::Mesh1D, Kind::FullyConnected, Kind::Switch};
    for (const Kind first : kinds) {
        for (const Kind second : kinds) {
            NetworkDescription network = product({first, second, Kind::Mesh1D}, {3, 3, 4});
            const NetworkDescription original = network;
            ASSERT_TRUE(shortest_path_cycle(network.graph).empty());
            network.router = std::make_shared<ShortestPathRouter>();
            EXPECT_EQ(network.virtual_channels_needed(), 1);
            EXPECT_TRUE(channel_dependencies(network).find_cycle().empty());
            for (std::size_t from = 0; from < network.graph.npus(); ++from) {
                for (std::size_t to = 0; to < network.graph.npus(); ++to) {
                    ASSERT_EQ(network.route(NodeId(from), NodeId(to)),
                              original.route(NodeId(from), NodeId(to)));
                }
            }
        }
    }
}

TEST(ShortestPath, FindsTheCycleOfALongRing) {
    for (std::int32_t size = 2; size <= 7; ++size) {
        const NetworkDescription ring = grid(Kind::Ring, {size});
        EXPECT_EQ(shortest_path_cycle(ring.graph).empty(), size < 4) << size;
    }
    const Graph graph = grid(Kind::Ring, {4}).graph;
    EXPECT_EQ(describe_cycle(graph, shortest_path_cycle(graph)),
              "npu0 -> npu1 -> npu2 -> npu3 -> npu0");
    const Graph large = grid(Kind::Ring, {40}).graph;
    EXPECT_THAT(describe_cycle(large, shortest_path_cycle(large)),
                testing::EndsWith("npu11 -> ... -> npu0"));
}

// The routes of all pairs, gathered per destination in shortest_path_cycle(), depend on each other
// as the routes themselves do.
TEST(ShortestPath, ChecksTheRoutesThatItTakes) {
    for (const auto& sizes : size_lists(2)) {
        NetworkDescription torus = grid(Kind::Ring, sizes);
        const bool accepted = shortest_path_cycle(torus.graph).empty();
        torus.router = std::make_shared<ShortestPathRouter>();
        EXPECT_EQ(channel_dependencies(torus).find_cycle().empty(), accepted);
    }
}

}  // namespace
}  // namespace npunet::topology
