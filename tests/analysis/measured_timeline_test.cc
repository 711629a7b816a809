// The rows of profiles in a run's timeline, from the example that comes along: rank 1's clock is
// 25 us ahead.
#include "analysis/measured_timeline.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "profiles/profile_reader.h"

namespace npunet::analysis {
namespace {

RunProfile example(TimeAlignment alignment) {
    std::vector<RankProfile> ranks;
    for (const char* name : {"rank_0000_iter_3.pt.trace.json", "rank_0001_iter_3.pt.trace.json"}) {
        const EventTable trace = profiles::read_profile(std::filesystem::path(NPUNET_SOURCE_DIR) /
                                                        "examples/profiles/iteration_3" / name);
        const KernelClasses classes = classify(trace, PatternTable(), nullptr);
        ranks.push_back(measure_rank(trace, classes));
        ranks.back().timeline = rank_timeline(trace, classes);
    }
    return measure_run(std::move(ranks), nullptr, alignment);
}

TEST(MeasuredTimeline, HasEveryKernelOnItsStream) {
    const RunProfile run = example(TimeAlignment::Corrected);
    const RunTimeline timeline = measured_timeline(run);
    EXPECT_EQ(timeline.source, RunSource::Measured);
    ASSERT_EQ(timeline.intervals.size(), 24U);
    // From the first kernel of rank 0, at 1030 us, to the end of the optimizer, at 3770 us.
    EXPECT_EQ(timeline.intervals.start(0), Time::ns(0));
    EXPECT_EQ(timeline.length, Time::ns(2'740'000));
    EXPECT_EQ(timeline.names[timeline.intervals.lane(0)], "stream 7");
    EXPECT_EQ(timeline.intervals.phase(0), Phase::Forward);
    EXPECT_EQ(timeline.intervals.micro_batch(0), 0);
}

// The parts of a collective carry one number and, with the clocks corrected, end together.
TEST(MeasuredTimeline, JoinsTheEndsOfCollectives) {
    const RunTimeline timeline = measured_timeline(example(TimeAlignment::Corrected));
    std::map<std::int32_t, std::vector<std::size_t>> parts;
    for (std::size_t row = 0; row < timeline.intervals.size(); ++row) {
        if (timeline.intervals.category(row) == Category::Communication) {
            EXPECT_GE(timeline.intervals.group(row), 0);
            parts[timeline.intervals.joint(row)].push_back(row);
        }
    }
    ASSERT_EQ(parts.size(), 3U);
    for (const auto& [joint, rows] : parts) {
        ASSERT_EQ(rows.size(), 2U);
        EXPECT_NE(timeline.intervals.rank(rows[0]), timeline.intervals.rank(rows[1]));
        EXPECT_EQ(timeline.intervals.end(rows[0]), timeline.intervals.end(rows[1]));
    }
    EXPECT_EQ(timeline.intervals.dimension(parts.begin()->second[0]), Dimension::Other);
}

TEST(MeasuredTimeline, KeepsTheAlignment) {
    // By the wall clock rank 1 is 25 us later; with zeros of their own both begin at 0.
    EXPECT_EQ(measured_timeline(example(TimeAlignment::Global)).length, Time::ns(2'765'000));
    const RunTimeline own = measured_timeline(example(TimeAlignment::Individual));
    EXPECT_EQ(own.intervals.start(own.rows_of(Rank(1)).first), Time::ns(0));
}

}  // namespace
}  // namespace npunet::analysis
