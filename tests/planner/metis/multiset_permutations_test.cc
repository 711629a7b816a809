// The prefix shifts of a multiset are its permutations, each once, the first the non-increasing one
// and every other one the one before with one item moved to the front.
#include "planner/metis/multiset_permutations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace npunet::planner::metis {
namespace {

using Items = std::vector<int>;

std::vector<Items> shifted(const Items& items) {
    MultisetPermutations shifts(items);
    std::vector<Items> result;
    do {
        result.emplace_back();
        shifts.for_each([&](int value) { result.back().push_back(value); });
    } while (shifts.next());
    return result;
}

std::set<Items> permutations(Items items) {
    std::set<Items> result;
    std::sort(items.begin(), items.end());
    do {
        result.insert(items);
    } while (std::next_permutation(items.begin(), items.end()));
    return result;
}

bool moves_one_to_the_front(const Items& before, const Items& after) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        Items moved = before;
        std::rotate(moved.begin(), moved.begin() + static_cast<std::ptrdiff_t>(i),
                    moved.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        if (moved == after) {
            return true;
        }
    }
    return false;
}

TEST(MultisetPermutations, ArePermutations) {
    for (const Items& items :
         {Items{7}, Items{1, 2}, Items{3, 3}, Items{1, 1, 2}, Items{1, 2, 2, 3}, Items{0, 1, 2, 3},
          Items{2, 2, 2, 2}, Items{1, 1, 1, 2, 2, 3}, Items{0, 1, 2, 3, 4, 5, 6}}) {
        const auto found = shifted(items);
        const auto expected = permutations(items);
        EXPECT_EQ(found.size(), expected.size());
        EXPECT_EQ(std::set<Items>(found.begin(), found.end()), expected);
        EXPECT_TRUE(std::is_sorted(found.front().begin(), found.front().end(), std::greater<>()));
        for (std::size_t i = 1; i < found.size(); ++i) {
            EXPECT_TRUE(moves_one_to_the_front(found[i - 1], found[i]));
        }
    }
}

// By hand after the paper's algorithm.
TEST(MultisetPermutations, OrderOfASmallMultiset) {
    EXPECT_EQ(shifted({1, 2, 1}), (std::vector<Items>{{2, 1, 1}, {1, 2, 1}, {1, 1, 2}}));
}

}  // namespace
}  // namespace npunet::planner::metis
