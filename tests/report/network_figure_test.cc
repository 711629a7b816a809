// Figures of networks: tiers, planes and grids, with every node or its group, and texts that are
// read: on the sheet, and none on another.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "report/figures/network_figure.h"
#include "tests/report/recording_canvas.h"
#include "topology/yaml/network_reader.h"

namespace npunet::report::network_figure_test {
namespace {

using topology::NetworkDescription;

NetworkDescription network_of(const std::string& name) {
    const bool file = name.find(':') == std::string::npos;
    return topology::read_network(
        file ? fmt::format("{}/configs/networks/{}.yml", NPUNET_SOURCE_DIR, name) : name,
        topology::GigaByte::Decimal);
}

class EveryNetworkFigure : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryNetworkFigure, HasTextsThatAreRead) {
    const NetworkDescription network = network_of(GetParam());
    const RecordingCanvas canvas(network_sheet(network, {}));
    EXPECT_EQ(canvas.cut_text(), "");
    EXPECT_EQ(canvas.overlapping_texts(), "");
    EXPECT_GT(canvas.height(), 200);
    EXPECT_LT(canvas.height(), 1000);
}

TEST_P(EveryNetworkFigure, FitsItsSheet) {
    const NetworkDescription network = network_of(GetParam());
    const RecordingCanvas canvas(network_sheet(network, {}));
    for (const RecordingCanvas::Line& line : canvas.lines) {
        for (const Spot& spot : line.spots) {
            EXPECT_GE(spot.x, 0);
            EXPECT_LE(spot.x, canvas.width());
            EXPECT_GE(spot.y, 0);
            EXPECT_LE(spot.y, canvas.height());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryNetworkFigure,
                         ::testing::Values("leaf-spine-64", "fat-tree-128", "rail-128",
                                           "dragonfly-72", "nvswitch-8x2", "nvlink-8x2", "ring-8",
                                           "mesh-4x4", "torus-4x4", "torus-4x4x4", "tpu_512",
                                           "dgx_2k", "two-sites", "dgx-h100:1", "dgx-h100:8",
                                           "dgx-h100:32", "dgx-h100:128", "gb200-nvl72:576",
                                           "mi300x:16", "tpu-v4:16x8x8"));

// 64 NPUs, one disc each beside that of the legend, in 8 frames; 16 switches with their names;
// 8 x 8 links to NVSwitches and as many to rails, both directions in one line.
TEST(NetworkFigure, OfUpTo64NpusShowsEachNode) {
    const NetworkDescription network = network_of("dgx-h100:8");
    const RecordingCanvas canvas(network_sheet(network, {}));
    EXPECT_EQ(canvas.marks.size(), 64U + 2U);
    const std::vector<std::string> texts = canvas.texts();
    for (int server = 0; server < 8; ++server) {
        EXPECT_EQ(std::count_if(texts.begin(), texts.end(),
                                [&](const std::string& text) {
                                    return text.find(fmt::format(" {}", server)) !=
                                               std::string::npos &&
                                           text.size() < 14;
                                }),
                  1)
            << server;
    }
    const auto connections =
        std::count_if(canvas.lines.begin(), canvas.lines.end(), [](const auto& line) {
            return line.spots.size() == 2 && line.spots[0].y != line.spots[1].y;
        });
    EXPECT_EQ(connections, 128);
}

// Above, boxes say how many there are.
TEST(NetworkFigure, OfMoreCountsWhatItLeavesOut) {
    const NetworkDescription network = network_of("dgx-h100:128");
    const RecordingCanvas canvas(network_sheet(network, {}));
    const std::vector<std::string> texts = canvas.texts();
    EXPECT_EQ(std::count(texts.begin(), texts.end(), "8 NPUs"), 7);
    EXPECT_THAT(texts, testing::Contains("968 NPUs"));
    EXPECT_THAT(texts, testing::Contains("... 121 servers"));
    EXPECT_THAT(texts, testing::Contains("server 127"));
    EXPECT_THAT(texts, testing::Contains("1024"));
    EXPECT_EQ(canvas.marks.size(), 2U);
}

// A route lies over everything, in the legend too.
TEST(NetworkFigure, DrawsARoute) {
    const NetworkDescription network = network_of("leaf-spine-64");
    DrawnRoute route{"route from npu0 to npu63", {}};
    for (const topology::Hop& hop : network.route(NodeId(0), NodeId(63))) {
        route.links.push_back(hop.link);
    }
    const RecordingCanvas plain(network_sheet(network, {}));
    const RecordingCanvas canvas(network_sheet(network, route));
    EXPECT_THAT(canvas.texts(), testing::Contains(route.name));
    EXPECT_EQ(canvas.lines.size(), plain.lines.size() + route.links.size() + 1);
}

// 4 x 4 x 4: each NPU has 6 links; those that close rings, 2 x 3 x 16, are two stubs each, all
// others whole, so planes are connected.
TEST(NetworkFigure, PlanesOfATorusAreConnected) {
    const NetworkDescription network = network_of("torus-4x4x4");
    const RecordingCanvas canvas(network_sheet(network, {}));
    EXPECT_EQ(canvas.marks.size(), 64U + 1U);
    // The legend has a line for each dimension.
    EXPECT_EQ(canvas.lines.size(), 64U * 6 + 2 * 3 * 16 + 3);
    const auto upright =
        std::count_if(canvas.lines.begin(), canvas.lines.end(), [](const auto& line) {
            return std::abs(line.spots[0].x - line.spots[1].x) < 1e-6 &&
                   std::abs(line.spots[0].y - line.spots[1].y) > 100;
        });
    EXPECT_EQ(upright, 2 * 3 * 16);
}

// 16 x 8 x 8: 4 of each dimension, with dashes where the others are.
TEST(NetworkFigure, LeavesOutMiddlesOfLargeGrids) {
    const NetworkDescription network = network_of("tpu-v4:16x8x8");
    const RecordingCanvas canvas(network_sheet(network, {}));
    EXPECT_EQ(canvas.marks.size(), 64U + 1U);
    const auto dashed = std::count_if(canvas.lines.begin(), canvas.lines.end(),
                                      [](const auto& line) { return !line.pen.dashes.empty(); });
    EXPECT_EQ(dashed, 3 * 16 + 1);
    EXPECT_THAT(canvas.texts(), testing::Contains(testing::HasSubstr("4 of 16, 4 of 8, 4 of 8")));
}

}  // namespace
}  // namespace npunet::report::network_figure_test
