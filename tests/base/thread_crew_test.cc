// Every member does its step once a round, rounds follow one another, and what one round has
// written the next one reads: after r rounds of x[i] = sum of all x of the round before + 1, with n
// members and x = 0 at first, every x is (n^r - 1) / (n - 1), which is small enough modulo 2^64 to
// compare.

#include "base/thread_crew.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace npunet {
namespace {

TEST(ThreadCrew, RoundsSeeWhatTheRoundBeforeHasWritten) {
    for (const std::size_t members : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
        ThreadCrew crew(members);
        ASSERT_EQ(crew.members(), members);
        std::vector<std::uint64_t> before(members, 0);
        std::vector<std::uint64_t> after(members, 0);
        std::uint64_t expected = 0;
        for (int round = 0; round < 3000; ++round) {
            crew.run([&](std::size_t member) {
                after[member] = std::accumulate(before.begin(), before.end(), std::uint64_t{1});
            });
            expected = members * expected + 1;
            ASSERT_EQ(after, std::vector<std::uint64_t>(members, expected)) << round;
            before.swap(after);
        }
    }
}

// Longer than members stay awake.
TEST(ThreadCrew, WakesThoseThatSleep) {
    ThreadCrew crew(3);
    std::vector<int> rounds(3, 0);
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        crew.run([&](std::size_t member) { ++rounds[member]; });
    }
    EXPECT_EQ(rounds, std::vector<int>(3, 5));
}

TEST(ThreadCrew, ThrowsTheFailureOfTheLowestMemberAndGoesOn) {
    ThreadCrew crew(4);
    std::vector<int> rounds(4, 0);
    for (int round = 0; round < 3; ++round) {
        try {
            crew.run([&](std::size_t member) {
                ++rounds[member];
                if (member >= 2) {
                    throw std::runtime_error("member " + std::to_string(member));
                }
            });
            FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "member 2");
        }
    }
    EXPECT_EQ(rounds, std::vector<int>(4, 3));
    crew.run([&](std::size_t member) { ++rounds[member]; });
    EXPECT_EQ(rounds, std::vector<int>(4, 4));
}

}  // namespace
}  // namespace npunet
