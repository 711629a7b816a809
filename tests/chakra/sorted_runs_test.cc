// Records that were added in any number of runs come back as from a sorted list; nodes that wait or
// may begin are the same on disk as in memory.

#include "chakra/feeder/sorted_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "chakra/feeder/ready_nodes.h"
#include "chakra/feeder/waiting_nodes.h"
#include "test_files.h"

namespace npunet::chakra::sorted_runs_test {
namespace {

class SortedRunsTest : public ::testing::Test {
protected:
    std::mt19937_64 random_{11};
    test::TemporaryFolder folder_;

    /// Records with few keys and distinct ids, so that keys go on over blocks and runs.
    std::vector<SpilledRecord> records(std::size_t count, std::uint64_t keys) {
        std::vector<SpilledRecord> made(count);
        for (SpilledRecord& record : made) {
            record = {random_() % keys, next_id_++, random_()};
        }
        std::shuffle(made.begin(), made.end(), random_);
        return made;
    }

    std::uint64_t next_id_ = 0;
};

bool equal(const SpilledRecord& a, const SpilledRecord& b) {
    return a.key == b.key && a.id == b.id && a.value == b.value;
}

// 300 runs are 16 levels of 16 and more: two levels of merging.
TEST_F(SortedRunsTest, FirstComesFirst) {
    SortedRuns runs(folder_.path());
    std::vector<SpilledRecord> all;
    EXPECT_FALSE(runs.first().has_value());
    for (int run = 0; run < 300; ++run) {
        const auto more = records(random_() % 60, 1000);
        all.insert(all.end(), more.begin(), more.end());
        runs.add(more);
        ASSERT_EQ(runs.size(), all.size());
    }
    std::sort(all.begin(), all.end());
    for (const SpilledRecord& record : all) {
        const auto first = runs.first();
        ASSERT_TRUE(first && equal(*first, record));
        runs.drop_first();
    }
    EXPECT_EQ(runs.size(), 0U);
    EXPECT_FALSE(runs.first().has_value());
}

TEST_F(SortedRunsTest, AddingAndDroppingTakeTurns) {
    for (const std::size_t of_a_run : {1, 511, 512, 513, 2000}) {
        SortedRuns runs(folder_.path());
        std::set<SpilledRecord> all;
        for (int turn = 0; turn < 400; ++turn) {
            if (random_() % 2 == 0) {
                const auto more = records(turn % 20 == 0 ? of_a_run : 1 + random_() % 5, 1U << 30U);
                all.insert(more.begin(), more.end());
                runs.add(more);
            }
            for (std::size_t count = random_() % 12; count > 0 && !all.empty(); --count) {
                const auto first = runs.first();
                ASSERT_TRUE(first && equal(*first, *all.begin()));
                runs.drop_first();
                all.erase(all.begin());
            }
            ASSERT_EQ(runs.size(), all.size());
        }
    }
}

// Keys that are in many runs and blocks, taken at once or in pieces, with additions in between.
TEST_F(SortedRunsTest, TakesAllOfAKey) {
    constexpr std::uint64_t keys = 40;
    for (const std::size_t piece : {1, 100, 513, 1'000'000}) {
        SortedRuns runs(folder_.path());
        std::map<std::uint64_t, std::vector<SpilledRecord>> all;  // by key
        std::uint64_t size = 0;
        const auto add = [&](std::uint64_t lowest_key, std::size_t count) {
            auto more = records(count, keys - lowest_key);
            for (SpilledRecord& record : more) {
                record.key += lowest_key;
                all[record.key].push_back(record);
            }
            size += more.size();
            runs.add(std::move(more));
        };
        for (std::uint64_t key = 0; key < keys; ++key) {
            for (int run = 0; run < 20; ++run) {
                add(key, random_() % (piece == 1 ? 10 : 200));
            }
            std::vector<SpilledRecord> taken;
            std::size_t before = 0;
            do {
                before = taken.size();
                runs.take(key, taken.empty() ? 0 : taken.back().id + 1, piece, taken);
                if (key + 1 < keys && random_() % 8 == 0) {
                    add(key + 1, 3);
                }
            } while (taken.size() == before + piece);
            auto& expected = all[key];
            std::sort(expected.begin(), expected.end());
            ASSERT_TRUE(
                std::equal(taken.begin(), taken.end(), expected.begin(), expected.end(), equal));
            size -= taken.size();
            ASSERT_EQ(runs.size(), size);
        }
        EXPECT_EQ(size, 0U);
    }
}

TEST_F(SortedRunsTest, ReadyNodesComeLowestFirst) {
    for (const std::size_t in_memory : {1, 2, 10, 100'000}) {
        ReadyNodes ready(in_memory, folder_.path());
        std::map<std::uint64_t, std::uint64_t> all;
        for (int turn = 0; turn < 5000; ++turn) {
            if (random_() % 100 < (turn < 3000 ? 70U : 30U)) {
                const std::uint64_t id = random_() >> random_() % 64;
                if (all.emplace(id, static_cast<std::uint64_t>(turn)).second) {
                    ready.add({id, static_cast<std::uint64_t>(turn)});
                }
            } else if (!all.empty()) {
                ASSERT_EQ(ready.lowest(), all.begin()->first);
                const auto lowest = ready.take_lowest();
                ASSERT_EQ(lowest.id, all.begin()->first);
                ASSERT_EQ(lowest.offset, all.begin()->second);
                all.erase(all.begin());
            }
            ASSERT_EQ(ready.empty(), all.empty());
        }
    }
}

// `use` adds nodes that wait for others while those of one are taken.
TEST_F(SortedRunsTest, WaitingNodesAreTakenOnce) {
    for (const std::size_t in_memory : {1, 2, 100, 1'000'000}) {
        WaitingNodes waiting(in_memory, folder_.path());
        std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> all;  // id to offset
        const auto add = [&](std::uint64_t dep, std::uint64_t id) {
            const std::uint64_t offset = random_() >> 1U;
            all[dep][id] = offset;
            waiting.add(dep, {id, offset, id % 2 == 0});
        };
        for (std::uint64_t id = 0; id < 6000; ++id) {
            add(1000 + (id % 4 == 0 ? 0 : random_() % 30), id);
        }
        for (std::uint64_t dep = 1000; dep < 1060; ++dep) {
            auto expected = std::move(all[dep]);
            all.erase(dep);
            waiting.take(dep, [&](const WaitingNodes::Waiter& waiter) {
                ASSERT_EQ(expected.count(waiter.id), 1U);
                EXPECT_EQ(expected[waiter.id], waiter.offset);
                EXPECT_EQ(waiter.only, waiter.id % 2 == 0);
                expected.erase(waiter.id);
                if (dep < 1030 && waiter.id % 3 == 0) {
                    add(dep + 30, waiter.id);
                }
            });
            EXPECT_TRUE(expected.empty());
        }
        EXPECT_TRUE(waiting.empty());
    }
}

}  // namespace
}  // namespace npunet::chakra::sorted_runs_test
