// Two runs compared: means of unions, differences, and the common axis.
#include "analysis/timeline_comparison.h"

#include <gtest/gtest.h>

namespace npunet::analysis {
namespace {

void add(RunTimeline& timeline, std::int32_t rank, Category category, Phase phase,
         Dimension dimension, std::int64_t start_ns, std::int64_t end_ns) {
    Interval row;
    row.rank = Rank(rank);
    row.category = category;
    row.phase = phase;
    row.dimension = dimension;
    row.name = timeline.names.number_of("op");
    row.start = Time::ns(start_ns);
    row.end = Time::ns(end_ns);
    timeline.intervals.add(row);
}

/// Two ranks: each computes from `begin` for 100 ns and communicates in two overlapping pieces,
/// 60 to 60 + `comm` and 70 to 70 + `comm` ns after it.
RunTimeline run(std::int64_t begin, std::int64_t comm) {
    RunTimeline timeline;
    for (std::int32_t rank = 0; rank < 2; ++rank) {
        add(timeline, rank, Category::Computation, Phase::Forward, Dimension::Other, begin,
            begin + 100);
        add(timeline, rank, Category::Communication, Phase::Forward, Dimension::Tensor, begin + 60,
            begin + 60 + comm);
        add(timeline, rank, Category::Communication, Phase::Forward, Dimension::Tensor, begin + 70,
            begin + 70 + comm);
    }
    timeline.finish();
    return timeline;
}

// Communication is a union: 60 to 70 + comm is comm + 10 long, of which what is before 100 hides.
TEST(TimelineComparison, TellsWhereTimeDiffers) {
    const TimelineComparison found = compare_timelines(run(0, 50), run(0, 80));
    EXPECT_EQ(found.ranks, 2U);
    ASSERT_EQ(found.rows.size(), 2U);
    EXPECT_EQ(found.rows[0].category, Category::Communication);
    EXPECT_EQ(found.rows[0].dimension, Dimension::Tensor);
    EXPECT_EQ(found.rows[0].phase, Phase::Forward);
    EXPECT_EQ(found.rows[0].time[0], Time::ns(60));
    EXPECT_EQ(found.rows[0].time[1], Time::ns(90));
    EXPECT_EQ(found.rows[0].intervals[0], 4U);
    EXPECT_EQ(found.rows[1].time[0], Time::ns(100));
    EXPECT_EQ(found.rows[1].time[1], Time::ns(100));
    EXPECT_EQ(found.totals[0].length, Time::ns(120));
    EXPECT_EQ(found.totals[0].computation, Time::ns(100));
    EXPECT_EQ(found.totals[0].exposed_communication, Time::ns(20));
    EXPECT_EQ(found.totals[0].idle, Time());
    EXPECT_EQ(found.totals[1].exposed_communication, Time::ns(50));
    EXPECT_TRUE(found.notes.empty());
}

// Six of eight ranks compute for 2^61 ps: 6 x 2^61 ps is beyond the clock, which ends at 2^63; the
// mean over the ranks, 3/4 of 2^61, is not.
TEST(TimelineComparison, MeansOfSumsBeyondTheClock) {
    constexpr std::int64_t length_ns = (std::int64_t{1} << 61) / 4000 * 4;
    RunTimeline timeline;
    for (std::int32_t rank = 0; rank < 8; ++rank) {
        add(timeline, rank, Category::Computation, Phase::Forward, Dimension::Other, 0,
            rank < 6 ? length_ns : 0);
    }
    timeline.finish();
    const TimelineComparison found = compare_timelines(timeline, timeline);
    EXPECT_EQ(found.rows.front().time[0], Time::ns(length_ns * 3 / 4));
    EXPECT_EQ(found.totals[1].computation, Time::ns(length_ns * 3 / 4));
    EXPECT_EQ(found.totals[1].idle, Time::ps(length_ns * 1000 / 4));
}

// Parts sum to the length: a rank that is idle for 30 of 130 ns, another for none.
TEST(TimelineComparison, PartsSumToTheLength) {
    RunTimeline timeline = run(0, 60);
    add(timeline, 1, Category::Memory, Phase::Other, Dimension::Other, 120, 160);
    timeline.finish();
    const TimelineComparison found = compare_timelines(timeline, run(5, 5));
    for (const RunTotals& totals : found.totals) {
        EXPECT_EQ(totals.computation + totals.exposed_communication + totals.other + totals.idle,
                  totals.length);
    }
    EXPECT_EQ(found.totals[0].other, Time::ns(15));  // 130 to 160, of one rank of two
    EXPECT_EQ(found.totals[0].idle, Time::ns(15));   // the same of the other one
    EXPECT_EQ(found.totals[1].idle, Time::ns(5));    // before it begins
}

// The run whose first forward pass comes first is delayed.
TEST(TimelineComparison, AlignsTheFirstForwardPasses) {
    RunTimeline a = run(40, 50);
    RunTimeline b = run(10, 50);
    add(b, 0, Category::Host, Phase::Other, Dimension::Other, 0, 5);
    b.finish();
    align(a, b);
    EXPECT_EQ(a.intervals.start(0), Time::ns(40));
    EXPECT_EQ(b.intervals.start(0), Time::ns(30));  // on the host
    EXPECT_EQ(b.intervals.start(1), Time::ns(40));
    EXPECT_EQ(b.length, a.length);
}

// Without forward passes the first intervals count; an empty run stays as it is.
TEST(TimelineComparison, AlignsFirstIntervalsOtherwise) {
    RunTimeline a = run(40, 50);
    RunTimeline b;
    add(b, 0, Category::Computation, Phase::Other, Dimension::Other, 3, 9);
    b.finish();
    align(b, a);
    EXPECT_EQ(b.intervals.start(0), Time::ns(40));
    RunTimeline empty;
    align(a, empty);
    EXPECT_EQ(a.intervals.start(0), Time::ns(40));
}

// Ranks of one run alone are not compared, and said.
TEST(TimelineComparison, ComparesCommonRanks) {
    RunTimeline more = run(0, 50);
    add(more, 7, Category::Computation, Phase::Forward, Dimension::Other, 0, 1000);
    more.finish();
    const TimelineComparison found = compare_timelines(run(0, 50), more);
    EXPECT_EQ(found.ranks, 2U);
    ASSERT_EQ(found.rows.size(), 2U);
    EXPECT_EQ(found.rows[0].time[0], found.rows[0].time[1]);
    ASSERT_EQ(found.notes.size(), 1U);
    EXPECT_EQ(found.notes[0], "1 rank of the second run, from 7 on, is not compared");
    EXPECT_EQ(compare_timelines(run(0, 50), RunTimeline()).ranks, 0U);
}

}  // namespace
}  // namespace npunet::analysis
