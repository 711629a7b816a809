#include "study/sweep/point_selection.h"

#include <gtest/gtest.h>

#include <map>

namespace npunet::study {
namespace {

TEST(Sampling, AscendingDifferentAndWithinRange) {
    for (std::uint64_t count = 0; count <= 12; ++count) {
        const auto sample = sample_of(10, count, count);
        ASSERT_EQ(sample.size(), std::min<std::uint64_t>(count, 10));
        for (std::size_t i = 0; i < sample.size(); ++i) {
            EXPECT_LT(sample[i], 10U);
            EXPECT_TRUE(i == 0 || sample[i - 1] < sample[i]);
        }
    }
}

// The numbers below follow from the standard's definition of mt19937_64 (its 10000th output with
// the default seed is 9981545732273789042) and from Floyd's method, whatever compiler made this.
TEST(Sampling, TheSameEverywhere) {
    std::mt19937_64 generator;
    generator.discard(9999);
    ASSERT_EQ(generator(), 9981545732273789042ULL);
    EXPECT_EQ(sample_of(56, 5, 0), sample_of(56, 5, 0));
    EXPECT_NE(sample_of(56, 5, 0), sample_of(56, 5, 1));
    std::mt19937_64 zero(0);
    // 2947667278772165694 is the first output of seed 0; below 52 it draws 2947667278772165694
    // % 52.
    EXPECT_EQ(draw_below(zero, 52), 2947667278772165694ULL % 52);
}

// Each of the C(5, 2) = 10 subsets comes with probability 1/10: of 20000 draws 2000, with a
// standard deviation of sqrt(20000 x 0.1 x 0.9) = 42.4. Six of them are allowed.
TEST(Sampling, EverySubsetIsEquallyLikely) {
    std::map<std::vector<std::uint64_t>, int> counts;
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
        ++counts[sample_of(5, 2, seed)];
    }
    EXPECT_EQ(counts.size(), 10U);
    for (const auto& [subset, count] : counts) {
        EXPECT_NEAR(count, 2000, 255);
    }
}

}  // namespace
}  // namespace npunet::study
