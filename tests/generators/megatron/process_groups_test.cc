// Process groups against what Megatron-LM's documentation and its definition say.
#include "generators/megatron/groups/process_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/errors.h"
#include "tests/generators/megatron/parallel_groups_cases.h"

namespace npunet::generators::megatron::process_groups_test {
namespace {

std::vector<std::int32_t> values(const std::vector<Rank>& ranks) {
    std::vector<std::int32_t> numbers;
    for (const Rank rank : ranks) {
        numbers.push_back(rank.value());
    }
    return numbers;
}

// 16 ranks of tp 2, pp 4: the example that Megatron-LM's parallel_state.py explains.
TEST(ProcessGroupsOf, SixteenRanks) {
    const ProcessGroups groups(sizes(2, 1, 2, 4));
    EXPECT_EQ(values(groups.of(GroupRole::Tensor, Rank(5))), (std::vector{4, 5}));
    EXPECT_EQ(values(groups.of(GroupRole::Data, Rank(0))), (std::vector{0, 2}));
    EXPECT_EQ(values(groups.of(GroupRole::Pipeline, Rank(5))), (std::vector{1, 5, 9, 13}));
    EXPECT_EQ(values(groups.of(GroupRole::Model, Rank(0))),
              (std::vector{0, 1, 4, 5, 8, 9, 12, 13}));
    EXPECT_EQ(values(groups.of(GroupRole::Embedding, Rank(3))), (std::vector{3, 15}));
    EXPECT_TRUE(groups.of(GroupRole::Embedding, Rank(7)).empty());
    EXPECT_EQ(values(groups.of(GroupRole::PositionEmbedding, Rank(3))), (std::vector{3}));
}

// Each role but those of the ends of pipelines divides the ranks: every rank is in one group,
// groups are ascending and listed by their first rank.
TEST(ProcessGroupsOf, EveryRoleDividesTheRanks) {
    const ProcessGroups groups(sizes(2, 2, 4, 2, 4, 1));
    for (std::size_t role = 0; role < group_roles; ++role) {
        const auto which = static_cast<GroupRole>(role);
        if (which == GroupRole::Embedding || which == GroupRole::PositionEmbedding) {
            continue;
        }
        std::set<Rank> seen;
        Rank before(-1);
        for (const std::vector<Rank>& members : groups.all(which)) {
            EXPECT_TRUE(before < members.front()) << name_of(which);
            before = members.front();
            EXPECT_TRUE(std::is_sorted(members.begin(), members.end())) << name_of(which);
            EXPECT_EQ(members.size(), group_size(groups.parallelism(), which)) << name_of(which);
            for (const Rank rank : members) {
                EXPECT_TRUE(seen.insert(rank).second) << name_of(which);
                EXPECT_EQ(groups.of(which, rank), members);
            }
        }
        EXPECT_EQ(seen.size(), 32U) << name_of(which);
    }
    EXPECT_EQ(values(groups.of(GroupRole::ExpertData, Rank(1))), (std::vector{1, 5, 9, 13}));
    EXPECT_EQ(groups.stage(Rank(17)), 1);
    EXPECT_EQ(groups.tensor_place(Rank(17)), 1);
}

TEST(ProcessGroupsOf, ImpossiblePlansAreRefused) {
    EXPECT_THROW(ProcessGroups(sizes(0, 1, 1, 1)), InputError);
    EXPECT_THROW(ProcessGroups(sizes(1 << 20, 1 << 20, 1 << 20, 1 << 20)), InputError);
    EXPECT_THROW(ProcessGroups(sizes(2, 1, 2, 1, 3)), InputError);
    EXPECT_THROW(ProcessGroups(sizes(1, 1, 4, 2, 8)), InputError);
    // dp 4 before pp, but edp 2: the experts' stages would be 4 ranks apart instead of 4 x 2 / ...
    Parallelism crossed = sizes(1, 1, 4, 2, 2);
    crossed.rank_order = {GridAxis::Tensor, GridAxis::Data, GridAxis::Pipeline, GridAxis::Context,
                          GridAxis::Expert};
    EXPECT_THROW(ProcessGroups{crossed}, InputError);
}

}  // namespace

}  // namespace npunet::generators::megatron::process_groups_test
