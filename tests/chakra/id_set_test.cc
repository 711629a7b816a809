// An IdSet says of every id what std::set says.

#include "chakra/feeder/id_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace npunet::chakra {
namespace {

constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();

class IdSetTest : public ::testing::Test {
protected:
    void insert(std::uint64_t id) {
        ASSERT_EQ(ids_.insert(id), expected_.insert(id).second) << id;
        ASSERT_EQ(ids_.size(), expected_.size());
    }
    /// Asks for each id that is there, for its neighbours, and for some at random.
    void expect_equal() {
        for (const std::uint64_t id : expected_) {
            for (const std::uint64_t near :
                 {id - 1, id, id + 1, id + 65536, id ^ (std::uint64_t{1} << 63U)}) {
                ASSERT_EQ(ids_.contains(near), expected_.count(near) != 0) << near;
            }
        }
        for (int i = 0; i < 1000; ++i) {
            const std::uint64_t id = random_() >> random_() % 64;
            ASSERT_EQ(ids_.contains(id), expected_.count(id) != 0) << id;
        }
    }

    std::mt19937_64 random_{3};
    IdSet ids_;
    std::set<std::uint64_t> expected_;
};

TEST_F(IdSetTest, Empty) {
    expect_equal();
    EXPECT_FALSE(ids_.contains(0));
    EXPECT_FALSE(ids_.contains(highest));
}

TEST_F(IdSetTest, Ends) {
    for (const std::uint64_t id : {highest, std::uint64_t{0}, highest, std::uint64_t{65535},
                                   std::uint64_t{65536}, highest - 65535, highest - 65536}) {
        insert(id);
    }
    expect_equal();
}

TEST_F(IdSetTest, Scattered) {
    for (int i = 0; i < 20'000; ++i) {
        insert(random_() >> random_() % 64);
    }
    expect_equal();
}

// Parts as lists, as bits (from 4096 ids on), and full (65536): each in any order, and again.
TEST_F(IdSetTest, DenseParts) {
    for (const std::size_t count : {4095, 4096, 4097, 65535, 65536}) {
        const std::uint64_t first = std::uint64_t{count} << 20U;
        std::vector<std::uint64_t> part(65536);
        std::iota(part.begin(), part.end(), first);
        std::shuffle(part.begin(), part.end(), random_);
        part.resize(count);
        for (const std::uint64_t id : part) {
            insert(id);
        }
        expect_equal();
        for (std::size_t i = 0; i < part.size(); i += 100) {
            insert(part[i]);
        }
        insert(first + 65536);
        expect_equal();
    }
}

TEST_F(IdSetTest, AscendingOverParts) {
    for (std::uint64_t id = 65'000; id < 200'000; ++id) {
        insert(id);
    }
    expect_equal();
    for (std::uint64_t id = 0; id < 300'000; id += 997) {
        insert(id);
    }
    expect_equal();
}

TEST_F(IdSetTest, PartsTakeTurns) {
    for (int i = 0; i < 100'000; ++i) {
        insert(random_() % 4 << 16U | random_() % 8192);
    }
    expect_equal();
}

}  // namespace
}  // namespace npunet::chakra
