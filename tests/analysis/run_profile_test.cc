// What ranks make together: pipelines, clocks, stragglers and speeds, by hand.
#include "analysis/run_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/clock_offsets.h"
#include "made_ranks.h"
#include "profiles/parallel_groups_reader.h"

namespace npunet::analysis {
namespace {

profiles::ParallelGroupsFile pipeline_of_two() {
    std::istringstream text(
        "World Size: 2\nUNIQUE PP GROUPS:\n----------\nPP Group 1: [0, 1]\n\n"
        "FULL MODEL RANK GROUPS\n----------\n----------\nGroup 0: [0, 1]\n\n"
        "Total model replicas (DP): 1\n");
    return profiles::read_parallel_groups(text, "groups");
}

// Two stages over 100 ns that work 60 and 30 ns of it: the bubble is 1 - 90 / 200.
TEST(RunProfile, BubblesAreWhatIsNotBusy) {
    const auto groups = pipeline_of_two();
    const RunProfile run =
        measure_run({made_rank(1, {{1040, 1070}}), made_rank(0, {{1000, 1030}, {1070, 1100}})},
                    &groups, TimeAlignment::Global);
    ASSERT_EQ(run.pipelines.size(), 1U);
    const PipelineGroup& group = run.pipelines[0];
    EXPECT_EQ(group.length_ns, 100);
    EXPECT_DOUBLE_EQ(group.bubble, 1 - 90.0 / 200);
    ASSERT_EQ(group.stages.size(), 2U);
    EXPECT_EQ(group.stages[1].span, (TimeSpan{40, 70}));
    ASSERT_EQ(run.models.size(), 1U);
    EXPECT_EQ(run.models[0].critical_stage, 0);
    EXPECT_EQ(run.models[0].stage_busy_ns, (std::vector<std::int64_t>{60, 30}));
}

// With a zero of each rank's own, the group is as long as its longest rank.
TEST(RunProfile, IndividualAlignmentComparesNoClocks) {
    const auto groups = pipeline_of_two();
    const RunProfile run = measure_run({made_rank(0, {{1000, 1100}}), made_rank(1, {{5000, 5040}})},
                                       &groups, TimeAlignment::Individual);
    EXPECT_EQ(run.pipelines[0].length_ns, 100);
    EXPECT_TRUE(run.stragglers.empty());
}

// A rank whose clock is 500 ahead ends its collectives 500 later by it; a third rank that shares
// none with the others stays unknown.
TEST(RunProfile, EndsOfCollectivesCorrectClocks) {
    RankProfile a = made_rank(0, {{0, 1000}});
    RankProfile b = made_rank(1, {{500, 1500}});
    for (const std::int64_t at : {100, 300, 600}) {
        a.collectives.push_back(made_run("all_reduce", {0, 1}, {at, at + 50}));
        b.collectives.push_back(made_run("all_reduce", {0, 1}, {at + 530, at + 550}));
    }
    const auto groups = pipeline_of_two();
    const RunProfile run =
        measure_run({a, b, made_rank(2, {{0, 10}})}, &groups, TimeAlignment::Corrected);
    ASSERT_EQ(run.clocks.size(), 3U);
    EXPECT_TRUE(run.clocks[1].known);
    EXPECT_EQ(run.clocks[1].offset_ns, 500);
    EXPECT_EQ(run.clocks[1].spread_ns, 0);
    EXPECT_EQ(run.clocks[1].collectives, 3U);
    EXPECT_FALSE(run.clocks[2].known);
    EXPECT_EQ(run.pipelines[0].length_ns, 1000);
    // By the corrected clocks rank 1 arrives 30 later each time.
    ASSERT_FALSE(run.stragglers.empty());
    EXPECT_EQ(run.stragglers[0].rank, 1);
    EXPECT_EQ(run.stragglers[0].last, 3U);
    EXPECT_EQ(run.stragglers[0].late_ns, 90);
    EXPECT_THAT(run.notes, testing::Contains(testing::HasSubstr("could not be corrected")));
}

// Offsets add up along the tree of links: 0 to 1 by one group, 1 to 2 by another.
TEST(RunProfile, ClocksAreCorrectedThroughOthers) {
    RankProfile a = made_rank(0, {});
    RankProfile b = made_rank(1, {});
    RankProfile c = made_rank(2, {});
    a.collectives = {made_run("all_reduce", {0, 1}, {0, 100})};
    b.collectives = {made_run("all_reduce", {0, 1}, {0, 110}),
                     made_run("all_reduce", {1, 2}, {0, 200})};
    c.collectives = {made_run("all_reduce", {1, 2}, {0, 180})};
    const std::vector<const RankProfile*> ranks = {&a, &b, &c};
    const auto offsets = clock_offsets(ranks, match_collectives(ranks));
    EXPECT_EQ(offsets[0].offset_ns, 0);
    EXPECT_EQ(offsets[1].offset_ns, 10);
    EXPECT_EQ(offsets[2].offset_ns, 10 - 20);
}

// An all-reduce of 8000 bytes over 4 ranks whose last rank takes 2000 ns moves 2 x 3/4 x 8000 /
// 2000 = 6 bytes a nanosecond over each link; waits do not count.
TEST(RunProfile, BandwidthIsThatOfTheLastToArrive) {
    std::vector<RankProfile> ranks;
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        RankProfile one = made_rank(rank, {});
        one.collectives = {made_run("all_reduce", {0, 1, 2, 3}, {1000 * rank, 5000}, 8000),
                           made_run("all_gather", {0, 1, 2, 3}, {6000 + 100 * rank, 7300}, 4000)};
        ranks.push_back(std::move(one));
    }
    const RunProfile run = measure_run(ranks, nullptr, TimeAlignment::Global);
    ASSERT_EQ(run.speeds.size(), 2U);
    EXPECT_EQ(run.speeds[1].type, "all_reduce");
    EXPECT_EQ(run.speeds[1].transfer_ns, 2000);
    EXPECT_DOUBLE_EQ(run.speeds[1].bus_GBps, 6);
    EXPECT_TRUE(run.speeds[1].all_ranks);
    EXPECT_DOUBLE_EQ(run.speeds[0].bus_GBps, 4000.0 / 1000 * 3 / 4);
    // Without one rank the bandwidth is a lower bound.
    ranks.pop_back();
    EXPECT_FALSE(measure_run(ranks, nullptr, TimeAlignment::Global).speeds[1].all_ranks);
}

TEST(RunProfile, RanksWithFewerCollectivesAreMatchedFromTheEnd) {
    RankProfile a = made_rank(0, {});
    RankProfile b = made_rank(1, {});
    a.collectives = {made_run("all_reduce", {0, 1}, {0, 1}),
                     made_run("all_reduce", {0, 1}, {5, 6})};
    b.collectives = {made_run("all_reduce", {0, 1}, {5, 6})};
    const std::vector<const RankProfile*> ranks = {&a, &b};
    const auto matched = match_collectives(ranks);
    ASSERT_EQ(matched.size(), 2U);
    EXPECT_EQ(matched[0].parts.size(), 1U);
    ASSERT_EQ(matched[1].parts.size(), 2U);
    EXPECT_EQ(matched[1].parts[0].run, 1U);
    EXPECT_EQ(matched[1].parts[1].run, 0U);
}

TEST(RunProfile, SaysWhatIsMissing) {
    const auto groups = pipeline_of_two();
    const RunProfile run = measure_run({made_rank(0, {{0, 5}}, 2)}, &groups, TimeAlignment::Global);
    EXPECT_EQ(run.pipelines[0].missing, std::vector<std::int32_t>{1});
    EXPECT_TRUE(run.pipelines[0].stages.empty());
    EXPECT_EQ(run.models[0].critical_stage, -1);
    EXPECT_THAT(run.notes, testing::Contains(testing::HasSubstr("1 of 2 ranks have no profile")));
    RankProfile other = made_rank(1, {{0, 5}});
    other.micro_batches.push_back({});
    EXPECT_THAT(measure_run({made_rank(0, {{0, 5}}), other}, &groups, TimeAlignment::Global).notes,
                testing::Contains(testing::HasSubstr("unequal numbers of micro-batches")));
    EXPECT_THAT(
        measure_run({made_rank(0, {}), made_rank(1, {})}, nullptr, TimeAlignment::Global).notes,
        testing::Contains(testing::HasSubstr("no pipeline groups are known")));
}

}  // namespace
}  // namespace npunet::analysis
