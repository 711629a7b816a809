// Every step is done once a round, rounds follow one another, and what one round has written the
// next one reads: with n steps, x = 0 at first and x[i] = 1 + the sum of all x of the round before,
// every x is 1 + n + n^2 + ... + n^(r-1) after r rounds, modulo 2^64.

#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/base/few_threads.h"

namespace npunet {
namespace {

TEST(ThreadCrew, RoundsSeeWhatTheRoundBeforeHasWritten) {
    for (const std::size_t members : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
        ThreadPool crew(members);
        ASSERT_EQ(crew.members(), members);
        for (const std::size_t steps : {members, std::size_t{1}, std::size_t{17}}) {
            std::vector<std::uint64_t> before(steps, 0);
            std::vector<std::uint64_t> after(steps, 0);
            std::vector<int> times(steps, 0);
            std::uint64_t expected = 0;
            for (int round = 0; round < 1000; ++round) {
                crew.run(steps, [&](std::size_t step) {
                    after[step] = std::accumulate(before.begin(), before.end(), std::uint64_t{1});
                    ++times[step];
                });
                expected = steps * expected + 1;
                ASSERT_EQ(after, std::vector<std::uint64_t>(steps, expected)) << round;
                before.swap(after);
            }
            EXPECT_EQ(times, std::vector<int>(steps, 1000));
        }
    }
}

TEST(ThreadCrew, GoesOnWithTheMembersThatTheMachineGrants) {
    for (const std::size_t granted : {0, 2}) {
        std::vector<int> rounds(17, 0);
        std::size_t members = 0;
        {
            const test::FewThreads machine(granted);
            if (!machine.possible()) {
                GTEST_SKIP() << "threads cannot be limited";
            }
            ThreadPool crew(16);
            members = crew.members();
            for (int round = 0; round < 5; ++round) {
                crew.run(17, [&](std::size_t step) { ++rounds[step]; });
            }
        }
        EXPECT_GE(members, 1U);
        EXPECT_LT(members, 16U);
        EXPECT_EQ(rounds, std::vector<int>(17, 5));
    }
}

// Longer than members stay awake.
TEST(ThreadCrew, WakesThoseThatSleep) {
    ThreadPool crew(3);
    std::vector<int> rounds(3, 0);
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        crew.run(3, [&](std::size_t step) { ++rounds[step]; });
    }
    EXPECT_EQ(rounds, std::vector<int>(3, 5));
}

TEST(ThreadCrew, ThrowsTheFailureOfTheLowestStepAndGoesOn) {
    ThreadPool crew(4);
    std::vector<int> rounds(4, 0);
    for (int round = 0; round < 3; ++round) {
        try {
            crew.run(4, [&](std::size_t step) {
                ++rounds[step];
                if (step >= 2) {
                    throw std::runtime_error("step " + std::to_string(step));
                }
            });
            FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "step 2");
        }
    }
    EXPECT_EQ(rounds, std::vector<int>(4, 3));
    crew.run(4, [&](std::size_t step) { ++rounds[step]; });
    EXPECT_EQ(rounds, std::vector<int>(4, 4));
}

// Members that begin, or look for a round, when the crew is at its end: none waits for another.
TEST(ThreadCrew, EndsWhateverItsMembersAreAt) {
    std::atomic<int> steps = 0;
    for (int crews = 0; crews < 3000; ++crews) {
        ThreadPool crew(2 + static_cast<std::size_t>(crews) % 6);
        for (int round = 0; round < crews % 4; ++round) {
            crew.run(3, [&](std::size_t) { ++steps; });
        }
    }
    EXPECT_EQ(steps, 3000 / 4 * (0 + 1 + 2 + 3) * 3);
}

}  // namespace
}  // namespace npunet
