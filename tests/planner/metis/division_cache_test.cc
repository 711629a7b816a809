// What was kept is found by the same bits, until it is cleared or another takes its place.
#include "planner/metis/division_cache.h"

#include <gtest/gtest.h>

#include <random>

namespace npunet::planner::metis {
namespace {

using Counts = std::vector<std::uint16_t>;

TEST(DivisionCache, AreFoundByTheirBits) {
    DivisionCache known;
    Counts counts;
    known.clear(2);
    EXPECT_FALSE(known.find({0.25, 0.75}, counts));
    known.keep({0.25, 0.75}, {1, 3});
    EXPECT_TRUE(known.find({0.25, 0.75}, counts));
    EXPECT_EQ(counts, (Counts{1, 3}));
    EXPECT_FALSE(known.find({0.75, 0.25}, counts));
    EXPECT_FALSE(known.find({0.25, 0.75 + 1e-16}, counts));
    known.clear(2);
    EXPECT_FALSE(known.find({0.25, 0.75}, counts));
}

// Whatever is found, with more than there is room for, is what was kept.
TEST(DivisionCache, NeverGiveAnothersCounts) {
    std::mt19937 random(3);
    DivisionCache known;
    for (const std::size_t stages : {5, 3, 8}) {
        known.clear(stages);
        int found = 0;
        for (int run = 0; run < 5000; ++run) {
            const auto number = static_cast<std::uint16_t>(random() % 500);
            std::vector<double> performance(stages, 1.0);
            performance[stages - 1] = number / 7.0;
            Counts counts;
            if (known.find(performance, counts)) {
                EXPECT_EQ(counts, Counts(stages, number));
                ++found;
            } else {
                known.keep(performance, Counts(stages, number));
            }
        }
        EXPECT_GT(found, 0);
    }
}

}  // namespace
}  // namespace npunet::planner::metis
