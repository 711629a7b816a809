// Figures of timelines: what they are drawn from, against brute force, and that they open.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>

#include "analysis/rank_groups.h"
#include "report/figures/gantt_figure.h"
#include "report/figures/link_map_figure.h"
#include "report/figures/overlap_figure.h"
#include "report/timeline/activity_grid.h"
#include "tests/report/sample_figures.h"
#include "tests/report/sample_timeline.h"

namespace npunet::report {
namespace {

using analysis::RunTimeline;

double luminance(const Colour& colour) {
    return 0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue;
}

// Whoever sees no colours tells activities of a band apart by lightness.
TEST(TimelineFigures, ActivitiesDifferInLightness) {
    for (std::size_t i = 0; i < activities; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const auto a = static_cast<Activity>(i);
            const auto b = static_cast<Activity>(k);
            EXPECT_NE(hex_of(colour_of(a)), hex_of(colour_of(b)));
            if (band_of(a) == band_of(b)) {
                EXPECT_GT(std::abs(luminance(colour_of(a)) - luminance(colour_of(b))), 0.008)
                    << name_of(a) << " " << name_of(b);
            }
        }
    }
}

TEST(TimelineFigures, RanksShareRowsEvenly) {
    std::vector<Rank> ranks;
    for (std::int32_t i = 0; i < 10; ++i) {
        ranks.emplace_back(i);
    }
    EXPECT_EQ(rows_of_ranks(ranks, 20).size(), 10U);
    const std::vector<std::vector<Rank>> rows = rows_of_ranks(ranks, 4);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].size(), 3U);
    EXPECT_EQ(rows[3].size(), 1U);
    EXPECT_TRUE(rows_of_ranks({}, 4).empty());
}

// A cell's busy share is the sum of its band's intervals over its time and ranks, and its activity
// the one with the largest sum: picosecond by picosecond.
TEST(TimelineFigures, CellsEqualABruteForce) {
    std::mt19937_64 random(11);
    RunTimeline timeline;
    const std::uint32_t name = timeline.names.number_of("op");
    constexpr std::int64_t length = 970;
    constexpr std::size_t columns = 13;
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        std::int64_t now = 0;
        while (now < length) {
            analysis::Interval row;
            row.rank = Rank(rank);
            row.name = name;
            row.category = static_cast<analysis::Category>(random() % analysis::categories);
            row.phase = static_cast<analysis::Phase>(random() % analysis::phases);
            row.dimension = static_cast<analysis::Dimension>(random() % analysis::dimensions);
            row.start = Time::ps(now);
            now = std::min(length, now + 1 + static_cast<std::int64_t>(random() % 60));
            row.end = Time::ps(now);
            timeline.intervals.add(row);
            now += static_cast<std::int64_t>(random() % 40);
        }
    }
    timeline.finish();
    const std::vector<std::vector<Rank>> rows{{Rank(0), Rank(1), Rank(2)}, {Rank(3)}};
    const ActivityGrid grid(timeline, rows, columns, Time::ps(length));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::array<std::array<std::int64_t, activities>, columns> sums{};
        std::array<std::int64_t, columns> widths{};
        for (std::int64_t at = 0; at < length; ++at) {
            const auto column = static_cast<std::size_t>(at) * columns / length;
            ++widths[column];
            for (std::size_t i = 0; i < timeline.intervals.size(); ++i) {
                const Rank rank = timeline.intervals.rank(i);
                if (std::count(rows[row].begin(), rows[row].end(), rank) > 0 &&
                    timeline.intervals.start(i) <= Time::ps(at) &&
                    Time::ps(at) < timeline.intervals.end(i)) {
                    ++sums[column][static_cast<std::size_t>(activity_of(timeline.intervals, i))];
                }
            }
        }
        for (std::size_t column = 0; column < columns; ++column) {
            for (std::size_t band = 0; band < bands; ++band) {
                std::int64_t busy = 0;
                std::int64_t most = 0;
                for (std::size_t i = 0; i < activities; ++i) {
                    if (band_of(static_cast<Activity>(i)) == band) {
                        busy += sums[column][i];
                        most = std::max(most, sums[column][i]);
                    }
                }
                const ActivityGrid::Cell& cell = grid.cell(row, band, column);
                EXPECT_EQ(cell.busy == 0, busy == 0);
                const double share = static_cast<double>(busy) /
                                     static_cast<double>(widths[column]) /
                                     static_cast<double>(rows[row].size());
                EXPECT_NEAR(cell.busy, std::max(busy > 0 ? 1.0 : 0.0, share * 15), 0.51);
                if (busy > 0) {
                    EXPECT_EQ(sums[column][static_cast<std::size_t>(cell.activity)], most);
                }
            }
        }
    }
}

// Two ranks: computation 0-60, communication 40-100 of micro-batch 0, forward: 40 alone, 20 both,
// 40 alone, 100 in all; the other rank computes for 20 only. Means are half the sums.
TEST(TimelineFigures, OverlapIsTheMeanOverRanks) {
    RunTimeline timeline;
    const std::uint32_t name = timeline.names.number_of("op");
    const auto add = [&](std::int32_t rank, analysis::Category category, std::int64_t from,
                         std::int64_t to) {
        analysis::Interval row;
        row.rank = Rank(rank);
        row.name = name;
        row.category = category;
        row.phase = analysis::Phase::Forward;
        row.micro_batch = 0;
        row.start = Time::ps(from);
        row.end = Time::ps(to);
        timeline.intervals.add(row);
    };
    add(0, analysis::Category::Computation, 0, 60);
    add(0, analysis::Category::Communication, 40, 100);
    add(1, analysis::Category::Computation, 0, 20);
    timeline.finish();
    const OverlapPlot plot{"", "", &timeline, timeline.ranks()};
    const std::vector<OverlapBar> bars = overlap_bars(plot, true);
    ASSERT_EQ(bars.size(), 1U);
    EXPECT_DOUBLE_EQ(bars[0].computation, (40 + 20) / 2.0);
    EXPECT_DOUBLE_EQ(bars[0].both, 20 / 2.0);
    EXPECT_DOUBLE_EQ(bars[0].communication, 40 / 2.0);
    EXPECT_DOUBLE_EQ(bars[0].wall, (100 + 20) / 2.0);
    EXPECT_TRUE(overlap_bars(plot, false).empty());
}

// 100 micro-batches in at most 48 bars: neighbours share one, all are in one.
TEST(TimelineFigures, ManyMicroBatchesShareBars) {
    const RunTimeline timeline = step_timeline({2, 1, 1, 100, 1, 0});
    const std::vector<OverlapBar> bars = overlap_bars({"", "", &timeline, timeline.ranks()}, false);
    ASSERT_EQ(bars.size(), 34U);
    EXPECT_EQ(bars[0].first, 0);
    EXPECT_EQ(bars[0].last, 2);
    EXPECT_EQ(bars[33].first, 99);
    EXPECT_EQ(bars[33].last, 99);
}

// Files do not grow beyond what can be seen, whatever the number of ranks; the same drawing gives
// the same bytes.
TEST(TimelineFigures, StaySmall) {
    for (const StepShape& shape : sample_shapes) {
        for (const auto& [name, figure] : sample_figures(shape)) {
            SCOPED_TRACE(name);
            EXPECT_EQ(figure.png.substr(1, 3), "PNG");
            EXPECT_LT(figure.png.size(), 2'000'000U);
            EXPECT_LT(figure.svg.size(), 12'000'000U);
            EXPECT_NE(figure.svg.find("</svg>"), std::string::npos);
        }
    }
    EXPECT_EQ(sample_figures(sample_shapes[0])[0].second.svg,
              sample_figures(sample_shapes[0])[0].second.svg);
}

TEST(TimelineFigures, OfNothingAreDrawn) {
    const RunTimeline empty;
    EXPECT_FALSE(gantt_figure({"Nothing", "", {{"", &empty, {}}}}).png.empty());
    EXPECT_FALSE(gantt_figure({"Nothing", "", {}}).png.empty());
    EXPECT_FALSE(overlap_figure({"Nothing", "", &empty, {}}).png.empty());
    EXPECT_FALSE(link_map_figure({"Nothing", "", &empty.load, Time()}).png.empty());
}

}  // namespace
}  // namespace npunet::report
