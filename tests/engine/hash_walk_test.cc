// The order of GNU's unordered containers without them: against the containers themselves where
// they are the standard library's, and against orders worked out by hand everywhere.

#include "engine/program/hash_walk.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace npunet::engine {
namespace {

std::vector<std::uint64_t> keys_of(const HashWalk& walk) {
    std::vector<std::uint64_t> keys;
    for (auto at = walk.first(); at != HashWalk::end; at = walk.next(at)) {
        keys.push_back(walk.key(at));
    }
    return keys;
}

// 13 buckets. 1, 2, 3 each go to the front; 14 shares the bucket of 1 and goes to the front of
// that, in the middle of the list; 1 goes, and 27 finds 14 in the bucket.
TEST(HashWalk, NewBucketsGoToTheFrontAndOthersIntoTheirBucket) {
    HashWalk walk;
    for (const std::uint64_t key : {1, 2, 3}) {
        EXPECT_TRUE(walk.insert(key, 0));
    }
    EXPECT_EQ(keys_of(walk), (std::vector<std::uint64_t>{3, 2, 1}));
    EXPECT_TRUE(walk.insert(14, 7));
    EXPECT_FALSE(walk.insert(14, 8));
    EXPECT_EQ(keys_of(walk), (std::vector<std::uint64_t>{3, 2, 14, 1}));
    EXPECT_EQ(walk.erase(14), 7U);
    walk.erase(1);
    EXPECT_FALSE(walk.contains(1));
    walk.insert(27, 0);
    walk.insert(14, 0);
    EXPECT_EQ(keys_of(walk), (std::vector<std::uint64_t>{14, 27, 3, 2}));
    EXPECT_EQ(walk.buckets(), 13U);
}

// The fourteenth element does not fit into 13 buckets: with 29 of them the elements are inserted
// anew from the front of the list 13, ..., 1, which turns it round; then 14 goes to the front.
TEST(HashWalk, GrowthTurnsTheListRound) {
    HashWalk walk;
    std::vector<std::uint64_t> expected{14};
    for (std::uint64_t key = 1; key <= 14; ++key) {
        walk.insert(key, 0);
        if (key < 14) {
            expected.push_back(key);
        }
    }
    EXPECT_EQ(walk.buckets(), 29U);
    EXPECT_EQ(keys_of(walk), expected);
}

#ifdef __GLIBCXX__

// Random traces of insertions and erasures, keys dense, sparse, or multiples of a bucket count; at
// times the containers are replaced by copies of themselves, as a program does that hands them on.
TEST(HashWalk, IsTheOrderOfTheStandardLibrary) {
    std::mt19937_64 random(17);
    for (int trace = 0; trace < 200; ++trace) {
        const std::uint64_t range = std::uint64_t{4} << (random() % 14);
        const std::uint64_t stride = trace % 5 == 0 ? 29 : trace % 7 == 0 ? 1'000'003 : 1;
        const std::uint64_t insertions = 2 + random() % 8;  // of ten steps
        HashWalk walk;
        std::unordered_set<std::uint64_t> set;
        std::unordered_map<std::uint64_t, int> map;
        for (int step = 0; step < 3000; ++step) {
            const std::uint64_t key = random() % range * stride;
            if (random() % 10 < insertions) {
                ASSERT_EQ(walk.insert(key, 0), set.insert(key).second);
                map[key] = step;
            } else if (set.erase(key) == 1) {
                map.erase(key);
                walk.erase(key);
            }
            if (random() % 500 == 0) {
                const std::unordered_set<std::uint64_t> copy = set;
                set = copy;
                const std::unordered_map<std::uint64_t, int> copied_map(map);
                map = copied_map;
                const HashWalk copied_walk = walk;
                walk = copied_walk;
            }
            if (step % 100 == 99) {
                const std::vector<std::uint64_t> keys = keys_of(walk);
                ASSERT_EQ(walk.size(), set.size());
                ASSERT_EQ(keys, std::vector<std::uint64_t>(set.begin(), set.end()));
                std::vector<std::uint64_t> keys_of_map;
                for (const auto& [map_key, value] : map) {
                    keys_of_map.push_back(map_key);
                }
                ASSERT_EQ(keys, keys_of_map);
            }
        }
        ASSERT_EQ(walk.buckets(), set.bucket_count());
    }
}

// 3 million elements go through 18 bucket counts.
TEST(HashWalk, GrowsAsTheStandardLibrary) {
    HashWalk walk;
    std::unordered_set<std::uint64_t> set;
    for (std::uint64_t key = 0; key < 3'000'000; ++key) {
        walk.insert(key * 7, 0);
        set.insert(key * 7);
        ASSERT_EQ(walk.buckets(), set.bucket_count());
    }
    EXPECT_EQ(keys_of(walk), std::vector<std::uint64_t>(set.begin(), set.end()));
}

// The whole growth, without the memory for it.
TEST(HashWalk, BucketCountsAreThoseOfTheStandardLibrary) {
    std::__detail::_Prime_rehash_policy policy;
    std::size_t buckets = policy._M_need_rehash(1, 0, 1).second;
    for (const std::size_t next : HashWalk::bucket_counts()) {
        if (next == 1) {
            continue;
        }
        EXPECT_EQ(buckets, next);
        buckets = policy._M_need_rehash(buckets, buckets, 1).second;
    }
}

#endif

}  // namespace
}  // namespace npunet::engine
