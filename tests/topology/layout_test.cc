// Where nodes are drawn: grids of dimensions, circles of one, levels of switches.
#include "topology/network/layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "topology/builders/builder.h"
#include "topology/network/network_description.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology::layout_test {
namespace {

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

NetworkDescription product(const std::vector<std::pair<DimensionKind, std::int32_t>>& dimensions) {
    std::vector<Dimension> list;
    for (const auto& [kind, size] : dimensions) {
        list.push_back(make_dimension(kind, size, rate, latency));
    }
    return make_network(list);
}

std::set<std::pair<float, float>> places(const std::vector<NodeSpot>& spots) {
    std::set<std::pair<float, float>> list;
    for (const NodeSpot& spot : spots) {
        EXPECT_GE(spot.x, 0);
        EXPECT_GE(spot.y, 0);
        list.emplace(spot.x, spot.y);
    }
    return list;
}

// NPU x + 4 y of a mesh of 4 x 3 stands at (x, y).
TEST(Layout, MeshesAreGrids) {
    const std::vector<NodeSpot> spots =
        layout_of(product({{DimensionKind::Mesh1D, 4}, {DimensionKind::Mesh1D, 3}}));
    ASSERT_EQ(spots.size(), 12U);
    for (std::size_t i = 0; i < spots.size(); ++i) {
        EXPECT_EQ(spots[i].x, static_cast<float>(i % 4));
        EXPECT_EQ(spots[i].y, static_cast<float>(i / 4));
    }
}

// Three planes of 2 x 2, the first one the lowest: NPUs that differ in the third dimension stand
// upright above each other, those of a plane at a slant, and no link but one that closes a ring
// passes a third NPU.
TEST(Layout, ThreeDimensionsArePlanes) {
    const std::vector<NodeSpot> spots = layout_of(
        product({{DimensionKind::Ring, 2}, {DimensionKind::Ring, 2}, {DimensionKind::Ring, 3}}));
    ASSERT_EQ(spots.size(), 12U);
    EXPECT_EQ(places(spots).size(), 12U);
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(spots[i].x, spots[i + 4].x);
        EXPECT_FLOAT_EQ(spots[i].y - spots[i + 4].y, 0.45F + 0.8F);
    }
    EXPECT_EQ(spots[1].x - spots[0].x, 1);
    EXPECT_FLOAT_EQ(spots[2].x - spots[0].x, 0.5F);
    EXPECT_FLOAT_EQ(spots[0].y - spots[2].y, 0.45F);
}

// The fourth dimension repeats the second, the third the first.
TEST(Layout, FourDimensionsAreGridsOfGrids) {
    const std::vector<NodeSpot> spots = grid_layout({2, 2, 3, 2});
    ASSERT_EQ(spots.size(), 24U);
    EXPECT_EQ(places(spots).size(), 24U);
    EXPECT_EQ(spots[4].x, 3);
    EXPECT_EQ(spots[4].y, 0);
    EXPECT_EQ(spots[12].x, 0);
    EXPECT_EQ(spots[12].y, 3);
}

// Neighbours of a ring of 8 are a step apart, all equally far from the middle.
TEST(Layout, ARingIsACircle) {
    const std::vector<NodeSpot> spots = layout_of(product({{DimensionKind::Ring, 8}}));
    ASSERT_EQ(spots.size(), 8U);
    const float middle_x = (spots[0].x + spots[4].x) / 2;
    const float middle_y = (spots[0].y + spots[4].y) / 2;
    for (std::size_t i = 0; i < 8; ++i) {
        const NodeSpot& a = spots[i];
        const NodeSpot& b = spots[(i + 1) % 8];
        EXPECT_NEAR(std::hypot(a.x - b.x, a.y - b.y), 1, 1e-5);
        // Sides of 1 have their ends 1 / (2 sin(pi / 8)) from the middle.
        EXPECT_NEAR(std::hypot(a.x - middle_x, a.y - middle_y), 1.306563, 1e-5);
    }
}

// Eight leaves of eight NPUs, four spines: three levels, from the bottom upwards, no two nodes at
// one place.
TEST(Layout, SwitchesStandInLevels) {
    const NetworkDescription network = read_network(
        fmt::format("{}/configs/networks/leaf-spine-64.yml", NPUNET_SOURCE_DIR), GigaByte::Decimal);
    const std::vector<NodeSpot> spots = layout_of(network);
    ASSERT_EQ(spots.size(), network.graph.nodes());
    EXPECT_EQ(places(spots).size(), spots.size());
    std::set<float> npus;
    std::set<float> others;
    for (std::size_t i = 0; i < spots.size(); ++i) {
        (i < network.graph.npus() ? npus : others).insert(spots[i].y);
    }
    EXPECT_EQ(npus.size(), 1U);
    EXPECT_EQ(others.size(), 2U);
    EXPECT_GT(*npus.begin(), *others.rbegin());
}

TEST(Layout, OfASingleNpuIsAPlace) {
    EXPECT_EQ(layout_of(product({{DimensionKind::Ring, 1}})).size(), 1U);
    EXPECT_TRUE(layout_of(NetworkDescription()).empty());
}

}  // namespace
}  // namespace npunet::topology::layout_test
