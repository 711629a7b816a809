#include "engine/clock/instant_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace npunet::engine::instant_queue_test {
namespace {

TEST(InstantQueue, GivesTheEarliestFirst) {
    InstantQueue instants;
    EXPECT_TRUE(instants.empty());
    EXPECT_EQ(instants.next(), Time::max());
    EXPECT_EQ(instants.join(Time::ns(5), 0), 0u);
    EXPECT_EQ(instants.join(Time::ns(3), 1), 1u);
    EXPECT_EQ(instants.join(Time::ns(5), 2), 0u) << "known by the number 0";
    EXPECT_EQ(instants.join(Time::ns(100'000'000'000), 3), 3u) << "far ahead";
    EXPECT_EQ(instants.next(), Time::ns(3));
    EXPECT_EQ(instants.pop(), 1u);
    EXPECT_EQ(instants.next(), Time::ns(5));
    EXPECT_EQ(instants.pop(), 0u);
    EXPECT_EQ(instants.next(), Time::ns(100'000'000'000));
    EXPECT_EQ(instants.pop(), 3u);
    EXPECT_TRUE(instants.empty());
    EXPECT_EQ(instants.next(), Time::max());
}

// Just as far ahead as the buckets reach, whatever their length: powers of two from the beginning
// of a bucket.
TEST(InstantQueue, OrdersPowersOfTwo) {
    InstantQueue instants;
    instants.join(Time::ps(0), 0);
    instants.join(Time::ps(1), 1);
    EXPECT_EQ(instants.pop(), 0u);
    for (std::uint32_t power = 40; power >= 1; --power) {
        EXPECT_EQ(instants.join(Time::ps(std::int64_t{1} << power), 1 + power), 1 + power);
    }
    for (std::uint32_t number = 1; number <= 41; ++number) {
        EXPECT_EQ(instants.pop(), number);
    }
}

TEST(InstantQueue, ForgetsWhenItIsCleared) {
    InstantQueue instants;
    const Time near = Time::ns(1);
    const Time far = Time::ns(1'000'000'000);
    instants.join(near, 0);
    instants.join(far, 1);
    instants.clear();
    EXPECT_TRUE(instants.empty());
    EXPECT_EQ(instants.join(far, 2), 2u);
    EXPECT_EQ(instants.join(near, 3), 3u);
    EXPECT_EQ(instants.pop(), 3u);
    EXPECT_EQ(instants.pop(), 2u);
}

/// Every instant that was added and not yet popped, each with the numbers under which it is known:
/// the plain version of the queue.
class Plain {
public:
    explicit Plain(InstantQueue& instants) : instants_(instants) {}

    void join(Time at) {
        const std::uint32_t number = next_number_++;
        const std::uint32_t known = instants_.join(at, number);
        if (known == number) {
            numbers_.emplace(at, number);
            return;
        }
        ++known_;
        const auto [first, last] = numbers_.equal_range(at);
        bool is_there = false;
        for (auto each = first; each != last; ++each) {
            is_there = is_there || each->second == known;
        }
        EXPECT_TRUE(is_there) << "another instant's number " << known << " at " << at.ps();
    }

    /// The time of what was popped.
    Time pop() {
        const Time at = instants_.next();
        EXPECT_EQ(at, numbers_.begin()->first);
        const std::uint32_t number = instants_.pop();
        const auto [first, last] = numbers_.equal_range(at);
        for (auto each = first; each != last; ++each) {
            if (each->second == number) {
                numbers_.erase(each);
                return at;
            }
        }
        ADD_FAILURE() << "number " << number << " is not of " << at.ps() << " ps";
        return at;
    }

    void clear() {
        instants_.clear();
        numbers_.clear();
    }

    [[nodiscard]] std::size_t size() const { return numbers_.size(); }
    [[nodiscard]] std::size_t known() const { return known_; }
    [[nodiscard]] const std::multimap<Time, std::uint32_t>& numbers() const { return numbers_; }

private:
    InstantQueue& instants_;
    std::multimap<Time, std::uint32_t> numbers_;
    std::uint32_t next_number_ = 0;
    std::size_t known_ = 0;  ///< times that were known when they were added
};

/// How far ahead instants are added: a mixture of scales.
struct Load {
    std::string name;
    std::vector<std::int64_t> reaches;  ///< ps; one of them is the limit of each instant
    std::int64_t grid;                  ///< ps: times are multiples of it
    std::size_t pending;
};

const Load loads[] = {
    {"few", {1'000'000}, 1, 5},
    {"a network's packets and its timers", {80'000, 600'000, 55'000'000}, 1, 1500},
    {"some just beyond the buckets", {1'000'000, 1'000'000, 1'000'000, 4'000'000}, 1, 200},
    {"regular", {600'000}, 40'000, 300},
    {"one bucket is crowded", {40, 4'000'000'000'000}, 1, 2000},
    {"from picoseconds to days",
     {1, 1'000, 1'000'000, 1'000'000'000, 9'000'000'000'000'000},
     1,
     400},
    {"more than there are buckets", {10'000'000'000}, 1, 100'000},
};

// What comes out is the earliest that is in, known instants keep their numbers, and none is lost,
// while lengths and number of the buckets follow the load, from one to the next and back.
TEST(InstantQueue, EqualsAnOrderedMap) {
    InstantQueue instants;
    Plain plain(instants);
    std::mt19937_64 random(7);
    Time now;
    for (int round = 0; round < 3; ++round) {
        for (const Load& load : loads) {
            SCOPED_TRACE(load.name);
            const std::size_t known = plain.known();
            const auto add = [&] {
                const std::int64_t reach = load.reaches[random() % load.reaches.size()];
                const auto ahead =
                    static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(reach));
                const std::int64_t at = now.ps() + ahead;
                plain.join(Time::ps(load.grid == 1 ? at : at / load.grid * load.grid + load.grid));
            };
            for (std::size_t i = 0; i < 2 * load.pending && plain.size() < load.pending; ++i) {
                add();
            }
            for (int step = 0; step < 30'000; ++step) {
                now = plain.pop();
                for (auto more = random() % 3; more > 0 && plain.size() < 2 * load.pending;
                     --more) {
                    add();
                }
                if (plain.size() == 0) {
                    add();
                }
                ASSERT_FALSE(::testing::Test::HasFailure());
            }
            EXPECT_TRUE(load.grid == 1 || plain.known() > known + 1000);
            std::multimap<Time, std::uint32_t> listed;
            instants.for_each([&](Time at, std::uint32_t number) { listed.emplace(at, number); });
            EXPECT_EQ(listed.size(), plain.numbers().size());
            for (const auto& [at, number] : plain.numbers()) {
                const auto [first, last] = listed.equal_range(at);
                EXPECT_TRUE(std::any_of(first, last,
                                        [&](const auto& each) { return each.second == number; }));
            }
            if (load.name == "few" || now > Time::ns(1'000'000'000)) {
                plain.clear();
                EXPECT_TRUE(instants.empty());
            }
        }
        while (plain.size() > 0) {
            now = plain.pop();
        }
        EXPECT_TRUE(instants.empty());
    }
}

}  // namespace
}  // namespace npunet::engine::instant_queue_test
