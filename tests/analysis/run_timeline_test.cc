// The table of intervals: what goes in comes out, in the order that is promised.
#include "analysis/run_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace npunet::analysis {
namespace {

Interval row_of(std::int32_t rank, std::int64_t start, std::int64_t end, std::uint64_t id) {
    Interval row;
    row.rank = Rank(rank);
    row.start = Time::ps(start);
    row.end = Time::ps(end);
    row.id = id;
    return row;
}

TEST(RunTimeline, KeepsEveryColumn) {
    Interval row = row_of(3, 5, 9, 77);
    row.lane = 1;
    row.category = Category::Communication;
    row.phase = Phase::Recompute;
    row.dimension = Dimension::Context;
    row.micro_batch = 4;
    row.name = 2;
    row.bytes = Bytes(123);
    row.group = 6;
    row.peer = Rank(8);
    row.joint = 10;
    Intervals table;
    table.add(row_of(0, 0, 0, 0));
    table.add(row);
    const Interval back = table[1];
    EXPECT_EQ(back.rank, Rank(3));
    EXPECT_EQ(back.lane, 1U);
    EXPECT_EQ(back.category, Category::Communication);
    EXPECT_EQ(back.phase, Phase::Recompute);
    EXPECT_EQ(back.dimension, Dimension::Context);
    EXPECT_EQ(back.micro_batch, 4);
    EXPECT_EQ(back.name, 2U);
    EXPECT_EQ(back.start, Time::ps(5));
    EXPECT_EQ(back.end, Time::ps(9));
    EXPECT_EQ(back.bytes, Bytes(123));
    EXPECT_EQ(back.group, 6);
    EXPECT_EQ(back.peer, Rank(8));
    EXPECT_EQ(back.joint, 10);
    EXPECT_EQ(back.id, 77U);
    EXPECT_EQ(table.bytes(0), Interval::unknown_bytes);
    EXPECT_EQ(table.joint(0), Interval::none);
}

// Sorting is by (rank, start, -end), and stable; the rows of a rank are then one range, and the
// ranges of all ranks cover the table.
TEST(RunTimeline, SortsAsRowsSortedOneByOne) {
    std::mt19937 random(7);
    std::vector<Interval> rows;
    RunTimeline timeline;
    for (std::uint64_t id = 0; id < 2000; ++id) {
        const auto start = static_cast<std::int64_t>(random() % 50);
        const auto end = start + static_cast<std::int64_t>(random() % 5);
        rows.push_back(row_of(static_cast<std::int32_t>(random() % 7) * 2, start, end, id));
        timeline.intervals.add(rows.back());
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Interval& a, const Interval& b) {
        return std::tuple(a.rank, a.start, b.end) < std::tuple(b.rank, b.start, a.end);
    });
    timeline.finish();
    ASSERT_EQ(timeline.intervals.size(), rows.size());
    Time last;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(timeline.intervals.id(i), rows[i].id);
        last = std::max(last, rows[i].end);
    }
    EXPECT_EQ(timeline.length, last);
    EXPECT_EQ(timeline.ranks().size(), 7U);
    std::size_t from = 0;
    for (const Rank rank : timeline.ranks()) {
        const auto [first, second] = timeline.rows_of(rank);
        EXPECT_EQ(first, from);
        for (std::size_t row = first; row < second; ++row) {
            EXPECT_EQ(timeline.intervals.rank(row), rank);
        }
        from = second;
    }
    EXPECT_EQ(from, rows.size());
    const auto [first, second] = timeline.rows_of(Rank(3));
    EXPECT_EQ(first, second);
}

TEST(RunTimeline, CountsWhatJoins) {
    RunTimeline timeline;
    EXPECT_EQ(timeline.joints(), 0);
    Interval row = row_of(0, 0, 1, 0);
    timeline.intervals.add(row);
    EXPECT_EQ(timeline.joints(), 0);
    row.joint = 4;
    timeline.intervals.add(row);
    EXPECT_EQ(timeline.joints(), 5);
}

// The length is that of the run, which may pass the last interval.
TEST(RunTimeline, IsNotShorterThanItsIntervals) {
    RunTimeline timeline;
    timeline.intervals.add(row_of(0, 3, 8, 0));
    timeline.length = Time::ps(20);
    timeline.finish();
    EXPECT_EQ(timeline.length, Time::ps(20));
    timeline.intervals.move(Time::ps(30));
    timeline.finish();
    EXPECT_EQ(timeline.length, Time::ps(38));
    EXPECT_EQ(timeline.intervals.start(0), Time::ps(33));
}

}  // namespace
}  // namespace npunet::analysis
