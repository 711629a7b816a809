// TraceViz's figures: their layout against its own vectors, and what is drawn where.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "report/profile/reference_figures.h"
#include "report/profile/reference_layout.h"
#include "report/profile/reference_tables.h"
#include "tests/support/shared_data.h"

namespace npunet::report::reference_figures_test {
namespace {

using analysis::KernelTable;
using analysis::TimeSpan;
using Json = nlohmann::json;

/// The order of all nine in the vectors.
const std::vector<KernelTable> all_tables = {KernelTable::OptimizerComputation,
                                             KernelTable::DataParallelCommunication,
                                             KernelTable::PipelineCommunication,
                                             KernelTable::ForwardComputation,
                                             KernelTable::BackwardComputation,
                                             KernelTable::BackwardComputationRecompute,
                                             KernelTable::BackwardCommunicationRecompute,
                                             KernelTable::ForwardCommunication,
                                             KernelTable::BackwardCommunication};

class ReferenceVectors : public ::testing::Test {
protected:
    void SetUp() override {
        NPUNET_SKIP_WITHOUT_SHARED_DATA();
        std::ifstream stream(NPUNET_SHARED_DIR "/data/profiler/visual_vectors.json");
        vectors_ = Json::parse(stream);
    }

    Json vectors_;
};

TEST_F(ReferenceVectors, HeightsAndLevels) {
    ASSERT_EQ(vectors_["heights"].size(), 9U);
    for (const auto& [count, expected] : vectors_["heights"].items()) {
        const std::vector<KernelTable> tables(all_tables.begin(),
                                              all_tables.begin() + std::stoi(count));
        const std::vector<BarShape> shapes = bar_shapes(tables);
        ASSERT_EQ(shapes.size(), expected["height_map"].size());
        for (const BarShape& shape : shapes) {
            const std::string name(name_of(shape.table));
            EXPECT_NEAR(shape.height, expected["height_map"].at(name).get<double>(), 1e-12) << name;
            EXPECT_EQ(shape.level, expected["zorder_map"].at(name).get<int>()) << name;
        }
    }
}

TEST_F(ReferenceVectors, LegendColumnsAndRows) {
    ASSERT_EQ(vectors_["legend_cols_rows"].size(), 9U);
    for (const auto& [count, expected] : vectors_["legend_cols_rows"].items()) {
        const LegendGrid grid = legend_grid(std::stoul(count));
        EXPECT_EQ(grid.columns, expected[0].get<std::size_t>()) << count;
        EXPECT_EQ(grid.rows, expected[1].get<std::size_t>()) << count;
    }
}

// The segments are those of a forward step in [0, 0.3) and [0.5, 0.9), a backward one in
// [0.2, 0.6), in parts of the axis.
TEST_F(ReferenceVectors, Segments) {
    const std::vector<RowSegment> segments =
        row_segments({{KernelTable::ForwardComputation, {0, 300}},
                      {KernelTable::BackwardComputation, {200, 600}},
                      {KernelTable::ForwardComputation, {500, 900}}},
                     all_tables);
    const Json& expected = vectors_["segments_example"];
    ASSERT_EQ(segments.size(), expected.size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
        EXPECT_DOUBLE_EQ(static_cast<double>(segments[i].span.start) / 1000,
                         expected[i]["start_norm"].get<double>());
        EXPECT_DOUBLE_EQ(static_cast<double>(segments[i].span.end) / 1000,
                         expected[i]["end_norm"].get<double>());
        std::vector<std::string> names;
        for (const KernelTable table : segments[i].tables) {
            names.emplace_back(name_of(table));
        }
        EXPECT_EQ(names, expected[i]["active_categories"].get<std::vector<std::string>>());
        EXPECT_EQ(segments[i].tables.size() > 1, expected[i]["is_overlap"].get<bool>());
    }
}

TEST_F(ReferenceVectors, Colours) {
    ASSERT_EQ(vectors_["colors"].size(), 12U);
    for (const auto& [name, code] : vectors_["colors"].items()) {
        EXPECT_EQ(reference_colour(name), code.get<std::string>()) << name;
    }
    const Colour colour = colour_of_code("#33FF00");
    EXPECT_DOUBLE_EQ(colour.red, 0.2);
    EXPECT_DOUBLE_EQ(colour.green, 1);
    EXPECT_DOUBLE_EQ(colour.blue, 0);
}

TEST_F(ReferenceVectors, Durations) {
    ASSERT_EQ(vectors_["format_duration"].size(), 7U);
    for (const auto& [nanoseconds, text] : vectors_["format_duration"].items()) {
        EXPECT_EQ(reference_duration(std::stoll(nanoseconds)), text.get<std::string>());
    }
}

// Every cell of a legend is used once, and columns are filled from above.
TEST(ReferenceLayout, LegendCells) {
    for (std::size_t entries = 1; entries <= 23; ++entries) {
        const LegendGrid grid = legend_grid(entries);
        std::set<std::pair<std::size_t, std::size_t>> used;
        for (std::size_t i = 0; i < entries; ++i) {
            const LegendCell cell = legend_cell(i, entries);
            EXPECT_LT(cell.column, grid.columns);
            EXPECT_LT(cell.row, grid.rows);
            EXPECT_TRUE(used.emplace(cell.column, cell.row).second);
            EXPECT_TRUE(cell.row == 0 || used.contains({cell.column, cell.row - 1}));
        }
    }
    EXPECT_EQ(legend_cell(1, 6).row, 1U);
    EXPECT_EQ(legend_cell(2, 6).column, 1U);
}

// A table has point i of a row iff one of its bars has it, by the segments and by the runs.
TEST(ReferenceLayout, SegmentsAreCountedPoints) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<RowBar> bars;
        std::map<KernelTable, std::set<std::int64_t>> expected;
        for (std::size_t i = random() % 12; i > 0; --i) {
            const KernelTable table = tables_of_rank_figure()[random() % 6];
            const std::int64_t start = static_cast<std::int64_t>(random() % 80);
            const std::int64_t end = start + static_cast<std::int64_t>(random() % 20);
            bars.push_back({table, {start, end}});
            for (std::int64_t at = start; at < end; ++at) {
                expected[table].insert(at);
            }
        }
        const std::vector<RowSegment> segments = row_segments(bars, tables_of_rank_figure());
        std::int64_t before = 0;
        std::map<KernelTable, std::set<std::int64_t>> found;
        for (const RowSegment& segment : segments) {
            EXPECT_GE(segment.span.start, before);
            EXPECT_LT(segment.span.start, segment.span.end);
            before = segment.span.end;
            for (const KernelTable table : segment.tables) {
                for (std::int64_t at = segment.span.start; at < segment.span.end; ++at) {
                    found[table].insert(at);
                }
            }
        }
        EXPECT_EQ(found, expected);
        for (const auto& [table, points] : expected) {
            std::set<std::int64_t> of_runs;
            for (const TimeSpan& run : runs_of(segments, table)) {
                EXPECT_FALSE(of_runs.contains(run.start - 1)) << "runs that touch";
                for (std::int64_t at = run.start; at < run.end; ++at) {
                    of_runs.insert(at);
                }
            }
            EXPECT_EQ(of_runs, points);
        }
    }
}

TEST(ReferenceLayout, TablesThatAreNotAskedForAreNotThere) {
    EXPECT_TRUE(
        row_segments({{KernelTable::PipelineCommunication, {0, 10}}}, tables_of_group_figure())
            .empty());
}

/// A filled rectangle of an SVG.
struct Box {
    double left, top, right, bottom;
};

/// The boxes of a colour, in the order they are drawn.
std::vector<Box> boxes_of(const std::string& svg, const std::string& code) {
    const Colour colour = colour_of_code(code);
    std::vector<Box> boxes;
    std::size_t at = 0;
    while ((at = svg.find("<path", at)) != std::string::npos) {
        const std::string tag = svg.substr(at, svg.find("/>", at) - at);
        at += tag.size();
        double red = -1;
        double green = -1;
        double blue = -1;
        // Before cairo 1.18 in an attribute "style".
        const std::size_t fill = std::min(tag.find("fill:rgb("), tag.find("fill=\"rgb("));
        const std::size_t path = tag.find(" d=\"");
        Box box{};
        double x = 0;
        double y = 0;
        if (fill != std::string::npos && path != std::string::npos &&
            std::sscanf(tag.c_str() + tag.find("rgb(", fill), "rgb(%lf%%,%lf%%,%lf%%)", &red,
                        &green, &blue) == 3 &&
            std::abs(red - 100 * colour.red) < 0.01 &&
            std::abs(green - 100 * colour.green) < 0.01 &&
            std::abs(blue - 100 * colour.blue) < 0.01 &&
            std::sscanf(tag.c_str() + path, " d=\"M %lf %lf L %lf %lf L %lf %lf", &box.left,
                        &box.top, &box.right, &y, &x, &box.bottom) == 6) {
            boxes.push_back(box);
        }
    }
    return boxes;
}

// The plot begins at 125 and is 1000 wide, the row is 150 high from 62 on, so its middle is at 137.
// Of three tables the heights are 0.35, 0.55 and 0.75 of it.
TEST(ReferenceFigures, BarsLieWhereTheyShould) {
    const std::string svg =
        reference_timeline({{"Rank 7 Overlapping Timeline",
                             {{7,
                               {{KernelTable::ForwardComputation, {0, 4'000'000}},
                                {KernelTable::BackwardComputation, {4'000'000, 10'000'000}},
                                {KernelTable::OptimizerComputation, {5'000'000, 5'000'500}},
                                {KernelTable::ForwardCommunication, {1, 2}}}}},
                             10'000'000}},
                           tables_of_rank_figure())
            .svg;
    const std::vector<Box> forward = boxes_of(svg, "#82AAE7");
    ASSERT_EQ(forward.size(), 2U) << "a bar and the legend";
    EXPECT_NEAR(forward[0].left, 125, 0.01);
    EXPECT_NEAR(forward[0].right, 525, 0.01);
    EXPECT_NEAR(forward[0].top, 137 - 150 * 0.55 / 2, 0.01);
    EXPECT_NEAR(forward[0].bottom, 137 + 150 * 0.55 / 2, 0.01);
    const std::vector<Box> backward = boxes_of(svg, "#F7A6BF");
    ASSERT_EQ(backward.size(), 2U);
    EXPECT_NEAR(backward[0].left, 525, 0.01);
    EXPECT_NEAR(backward[0].right, 1125, 0.01);
    EXPECT_NEAR(backward[0].bottom - backward[0].top, 150 * 0.75, 0.01);
    // A point is a 72nd of an inch; it lies above the backward step, that is behind it in the file.
    const std::vector<Box> optimizer = boxes_of(svg, "#095624");
    ASSERT_EQ(optimizer.size(), 2U);
    EXPECT_NEAR((optimizer[0].left + optimizer[0].right) / 2, 625.025, 0.01);
    EXPECT_NEAR(optimizer[0].right - optimizer[0].left, 100.0 / 72, 0.01);
    EXPECT_NEAR(optimizer[0].bottom - optimizer[0].top, 150 * 0.35, 0.01);
    EXPECT_LT(svg.find("rgb(96.8"), svg.find("rgb(3.5"));
    EXPECT_TRUE(boxes_of(svg, "#A6CCE3").empty()) << "not in the order";
}

// Rows are 150 high with 30 between them, so their middles are 165 apart; a row without bars stays.
TEST(ReferenceFigures, EveryRankHasARow) {
    const ReferenceRow busy{0, {{KernelTable::ForwardComputation, {0, 500}}}};
    ReferenceRow last = busy;
    last.rank = 8;
    const std::string svg =
        reference_timeline({{"", {busy, {4, {}}, last}, 1000}}, tables_of_group_figure()).svg;
    const std::vector<Box> boxes = boxes_of(svg, "#82AAE7");
    ASSERT_EQ(boxes.size(), 3U);
    EXPECT_NEAR(boxes[1].top - boxes[0].top, 2 * 170, 0.01);
    EXPECT_FALSE(reference_timeline({{"", {{0, {}}}, 0}}, tables_of_rank_figure()).png.empty());
}

// 40 % computation alone, 20 % both, 30 % communication alone and 10 % idle of the wall clock.
TEST(ReferenceFigures, OverlapBarsAreStacked) {
    const std::string svg =
        reference_overlap(0, {{true, 0, 1, 0, 1'000'000, 500'000, 600'000, 200'000}}).svg;
    const std::vector<Box> computation = boxes_of(svg, "#82AAE7");
    const std::vector<Box> both = boxes_of(svg, "#B28FCE");
    const std::vector<Box> communication = boxes_of(svg, "#76E5DF");
    ASSERT_EQ(computation.size(), 2U) << "a bar and the legend";
    ASSERT_EQ(both.size(), 2U);
    ASSERT_EQ(communication.size(), 2U);
    const double whole = (computation[0].bottom - computation[0].top) / 0.4;
    EXPECT_NEAR(both[0].bottom, computation[0].top, 0.01);
    EXPECT_NEAR(both[0].bottom - both[0].top, 0.2 * whole, 0.01);
    EXPECT_NEAR(communication[0].bottom, both[0].top, 0.01);
    EXPECT_NEAR(communication[0].bottom - communication[0].top, 0.3 * whole, 0.01);
}

// Without tensor parallelism there is no communication in a step: its bars are computation alone.
TEST(ReferenceFigures, APassWithoutCommunicationIsDrawn) {
    const std::string svg = reference_overlap(0, {{true, 0, 1, 0, 100, 0, 100, 0}}).svg;
    EXPECT_EQ(boxes_of(svg, "#82AAE7").size(), 2U);
    EXPECT_EQ(boxes_of(svg, "#76E5DF").size(), 1U) << "the legend";
    EXPECT_FALSE(reference_overlap(0, {}).png.empty());
}

}  // namespace
}  // namespace npunet::report::reference_figures_test
