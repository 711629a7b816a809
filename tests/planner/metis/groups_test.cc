// Device groups: non-decreasing sequences of powers of two with a given sum, against an enumeration
// of all sequences; and their arrangements, against permutations.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "planner/metis/group_arrangements.h"

namespace npunet::planner::metis::groups_test {
namespace {

/// Wider than what the search has, which GCC 12 cannot compare without a false warning.
using Logs = std::vector<int>;

Logs widened(const std::vector<std::uint8_t>& logs) {
    return {logs.begin(), logs.end()};
}

std::int64_t sum_of(const Logs& logs) {
    std::int64_t sum = 0;
    for (const int log : logs) {
        sum += std::int64_t{1} << log;
    }
    return sum;
}

/// All sequences of `stages` logarithms up to 5, counted like a number with so many digits.
std::vector<Logs> naive_sequences(std::int64_t devices, std::size_t stages, std::int64_t least) {
    std::vector<Logs> result;
    Logs logs(stages, 0);
    for (;;) {
        const bool large = std::all_of(logs.begin(), logs.end(),
                                       [&](int log) { return std::int64_t{1} << log >= least; });
        if (large && std::is_sorted(logs.begin(), logs.end()) && sum_of(logs) == devices) {
            result.push_back(logs);
        }
        std::size_t digit = stages;
        while (digit > 0 && logs[digit - 1] == 5) {
            logs[--digit] = 0;
        }
        if (digit == 0) {
            return result;
        }
        ++logs[digit - 1];
    }
}

TEST(GroupSequences, AreAllNonDecreasingSequences) {
    for (std::int64_t devices = 1; devices <= 32; ++devices) {
        for (std::size_t stages = 1; stages <= 5; ++stages) {
            for (std::int64_t variance = 0; variance <= 2; ++variance) {
                const auto count = static_cast<std::int64_t>(stages);
                const std::int64_t least = least_group(devices, count, variance);
                GroupSequences sequences(devices, count, least);
                std::vector<Logs> found;
                while (sequences.next()) {
                    found.push_back(widened(sequences.logs()));
                }
                EXPECT_EQ(found, naive_sequences(devices, stages, least))
                    << devices << " " << stages << " " << variance;
                EXPECT_FALSE(sequences.next());
            }
        }
    }
}

// max(8 // 3, 3 // 8) = 2, and twice that.
TEST(GroupSequences, LeastGroup) {
    EXPECT_EQ(least_group(8, 3, 1), 2);
    EXPECT_EQ(least_group(8, 3, 2), 4);
    EXPECT_EQ(least_group(4, 9, 1), 2);
    EXPECT_EQ(least_group(8, 3, 0), 0);
}

// One too many: six ones and a two. The leading ones count as seven, so that three pairs are tied.
TEST(TiedGroups, ByHand) {
    EXPECT_EQ(tied_groups({0, 0, 0, 0, 0, 0, 1}, 6),
              (std::vector<Tied>{{0, 0}, {0, 0}, {0, 0}, {1}}));
    EXPECT_EQ(tied_groups({0, 0, 1}, 3), (std::vector<Tied>{{0}, {0}, {1}}));
    // One pair is enough for a length of 2.
    EXPECT_EQ(tied_groups({0, 0, 1}, 2), (std::vector<Tied>{{0, 0}, {1}}));
    // After the ones are tied, the pair of them weighs as much as the two.
    EXPECT_EQ(tied_groups({0, 0, 1}, 1), (std::vector<Tied>{{0, 0, 1}}));
    // Nothing of the smallest size is left to tie.
    EXPECT_EQ(tied_groups({0, 1, 2, 3}, 1), (std::vector<Tied>{{0}, {1}, {2}, {3}}));
}

TEST(TiedGroups, KeepEveryGroup) {
    for (std::int64_t longest = 1; longest <= 9; ++longest) {
        const std::vector<std::uint8_t> logs{0, 0, 0, 0, 1, 1, 2, 2, 3};
        Logs found;
        for (const Tied& tied : tied_groups(logs, longest)) {
            found.insert(found.end(), tied.begin(), tied.end());
        }
        EXPECT_EQ(found, widened(logs)) << longest;
    }
}

TEST(GroupArrangements, ArePermutationsOfTheSequences) {
    for (const std::int64_t longest : {2, 3, 100}) {
        Arguments arguments;
        arguments.min_group_scale_variance = 0;
        arguments.max_permute_len = longest;
        for (std::int64_t stages = 1; stages <= 6; ++stages) {
            GroupArrangements arrangements(16, stages, arguments);
            std::set<Logs> found;
            std::set<Logs> sorted;
            std::vector<std::uint8_t> next;
            std::uint64_t count = 0;
            while (arrangements.next(next)) {
                Logs logs = widened(next);
                EXPECT_EQ(sum_of(logs), 16);
                found.insert(logs);
                std::sort(logs.begin(), logs.end());
                sorted.insert(logs);
                ++count;
            }
            EXPECT_EQ(arrangement_count(16, stages, arguments, 1'000'000), count);
            const auto sequences = naive_sequences(16, static_cast<std::size_t>(stages), 0);
            EXPECT_EQ(sorted, std::set<Logs>(sequences.begin(), sequences.end()));
            if (longest == 100) {
                std::set<Logs> all;
                for (Logs sequence : sequences) {
                    do {
                        all.insert(sequence);
                    } while (std::next_permutation(sequence.begin(), sequence.end()));
                }
                EXPECT_EQ(found, all);
                EXPECT_EQ(found.size(), count);
            }
        }
    }
}

TEST(GroupArrangements, CountIsCutOff) {
    Arguments arguments;
    arguments.min_group_scale_variance = 0;
    arguments.max_permute_len = 100;
    EXPECT_EQ(arrangement_count(64, 20, arguments, 10), 11U);
}

}  // namespace
}  // namespace npunet::planner::metis::groups_test
