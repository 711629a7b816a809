#include "engine/npu/interval_union.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>

namespace npunet::engine::interval_union_test {
namespace {

using Instants = std::set<std::int64_t>;

std::vector<Interval> drawn(std::mt19937_64& random, std::size_t most) {
    std::vector<Interval> intervals(random() % (most + 1));
    for (Interval& interval : intervals) {
        const auto start = static_cast<std::int64_t>(random() % 60);
        // A few end before they begin, and are none.
        interval = {Time::ps(start), Time::ps(start + static_cast<std::int64_t>(random() % 9) - 1)};
    }
    return intervals;
}

/// Every picosecond that is covered.
Instants instants_of(const std::vector<Interval>& intervals) {
    Instants instants;
    for (const Interval& interval : intervals) {
        for (std::int64_t at = interval.start.ps(); at < interval.end.ps(); ++at) {
            instants.insert(at);
        }
    }
    return instants;
}

void expect_apart(const std::vector<Interval>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        EXPECT_LT(list[i].start, list[i].end);
        if (i > 0) {
            EXPECT_GT(list[i].start, list[i - 1].end);
        }
    }
}

// A union covers the instants of all intervals, and is as long as there are instants.
TEST(IntervalUnion, CoversWhatItsPartsCover) {
    std::mt19937_64 random(40);
    for (int round = 0; round < 2000; ++round) {
        std::vector<Interval> a = drawn(random, 8);
        std::vector<Interval> b = drawn(random, 8);
        const Instants of_a = instants_of(a);
        const Instants of_b = instants_of(b);
        unite(a);
        unite(b);
        expect_apart(a);
        EXPECT_EQ(instants_of(a), of_a);
        EXPECT_EQ(length_of(a), Time::ps(static_cast<std::int64_t>(of_a.size())));
        Instants of_both = of_a;
        of_both.insert(of_b.begin(), of_b.end());
        const std::vector<Interval> both = united(a, b);
        expect_apart(both);
        EXPECT_EQ(instants_of(both), of_both);
        EXPECT_EQ(length_of(united(b, a)), length_of(both));
    }
}

}  // namespace
}  // namespace npunet::engine::interval_union_test
