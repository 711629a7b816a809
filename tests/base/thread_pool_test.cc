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

TEST(ThreadPool, RoundsSeeWhatTheRoundBeforeHasWritten) {
    for (const std::size_t members : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
        ThreadPool pool(members);
        ASSERT_EQ(pool.members(), members);
        for (const std::size_t steps : {members, std::size_t{1}, std::size_t{17}}) {
            std::vector<std::uint64_t> before(steps, 0);
            std::vector<std::uint64_t> after(steps, 0);
            std::vector<int> times(steps, 0);
            std::uint64_t expected = 0;
            for (int round = 0; round < 1000; ++round) {
                pool.run(steps, [&](std::size_t step) {
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

TEST(ThreadPool, GoesOnWithTheMembersThatTheMachineGrants) {
    for (const std::size_t granted : {0, 2}) {
        std::vector<int> rounds(17, 0);
        std::size_t members = 0;
        {
            const test::FewThreads machine(granted);
            if (!machine.possible()) {
                GTEST_SKIP() << "threads cannot be limited";
            }
            ThreadPool pool(16);
            members = pool.members();
            for (int round = 0; round < 5; ++round) {
                pool.run(17, [&](std::size_t step) { ++rounds[step]; });
            }
        }
        EXPECT_GE(members, 1U);
        EXPECT_LT(members, 16U);
        EXPECT_EQ(rounds, std::vector<int>(17, 5));
    }
}

// Longer than members stay awake.
TEST(ThreadPool, WakesThoseThatSleep) {
    ThreadPool pool(3);
    std::vector<int> rounds(3, 0);
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        pool.run(3, [&](std::size_t step) { ++rounds[step]; });
    }
    EXPECT_EQ(rounds, std::vector<int>(3, 5));
}

TEST(ThreadPool, ThrowsTheFailureOfTheLowestStepAndGoesOn) {
    ThreadPool pool(4);
    std::vector<int> rounds(4, 0);
    for (int round = 0; round < 3; ++round) {
        try {
            pool.run(4, [&](std::size_t step) {
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
    pool.run(4, [&](std::size_t step) { ++rounds[step]; });
    EXPECT_EQ(rounds, std::vector<int>(4, 4));
}

// Members that begin, or look for a round, when the pool is at its end: none waits for another.
TEST(ThreadPool, EndsWhateverItsMembersAreAt) {
    std::atomic<int> steps = 0;
    for (int pools = 0; pools < 3000; ++pools) {
        ThreadPool pool(2 + static_cast<std::size_t>(pools) % 6);
        for (int round = 0; round < pools % 4; ++round) {
            pool.run(3, [&](std::size_t) { ++steps; });
        }
    }
    EXPECT_EQ(steps, 3000 / 4 * (0 + 1 + 2 + 3) * 3);
}

// Steps that last longer than the caller looks for their end.
TEST(ThreadPool, TheCallerSleepsUntilLongStepsHaveEnded) {
    ThreadPool pool(3);
    std::vector<int> rounds(3, 0);
    for (int round = 0; round < 3; ++round) {
        pool.run(3, [&](std::size_t step) {
            std::this_thread::sleep_for(std::chrono::milliseconds(step == 0 ? 1 : 60));
            ++rounds[step];
        });
    }
    EXPECT_EQ(rounds, std::vector<int>(3, 3));
}

TEST(ThreadPool, StartedWorkIsWaitedForAtTheEnd) {
    std::atomic<int> begun = 0;
    std::atomic<int> ended = 0;
    std::atomic<bool> may_end = false;
    {
        ThreadPool pool(4);
        pool.start([&] {
            ++begun;
            while (!may_end) {
                std::this_thread::yield();
            }
            ++ended;
        });
        while (begun == 0) {
            std::this_thread::yield();
        }
        EXPECT_EQ(ended, 0);
        may_end = true;
    }
    EXPECT_GE(ended, 1);
    EXPECT_EQ(ended, begun);
}

// A loop: every number is visited once, and the failure of the lowest number is the one thrown.
TEST(Parallel, CallsEveryNumberOnce) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
        std::vector<int> visits(count, 0);
        for_each_in_parallel(count, [&visits](std::size_t i) { ++visits[i]; });
        EXPECT_EQ(visits, std::vector<int>(count, 1));
    }
}

TEST(Parallel, OneThreadIsTheCallers) {
    std::vector<std::size_t> order;
    const auto caller = std::this_thread::get_id();
    for_each_in_parallel(
        100,
        [&](std::size_t i) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            order.push_back(i);
        },
        1);
    std::vector<std::size_t> expected(100);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    EXPECT_EQ(order, expected);
}

TEST(Parallel, GoesOnWithTheThreadsThatTheMachineGrants) {
    for (const std::size_t granted : {0, 2}) {
        std::vector<int> visits(1000, 0);
        {
            const test::FewThreads machine(granted);
            if (!machine.possible()) {
                GTEST_SKIP() << "threads cannot be limited";
            }
            for_each_in_parallel(
                visits.size(), [&visits](std::size_t i) { ++visits[i]; }, 16);
        }
        EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
    }
}

TEST(Parallel, ThrowsTheFailureOfTheLowestNumberThatFailed) {
    std::vector<int> visits(1000, 0);
    try {
        for_each_in_parallel(visits.size(), [&visits](std::size_t i) {
            ++visits[i];
            if (i == 0) {
                throw std::runtime_error("number " + std::to_string(i));
            }
            if (i == 999) {
                throw std::runtime_error("the last one");
            }
        });
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "number 0");
    }
    for (const int count : visits) {
        EXPECT_LE(count, 1);
    }
}

}  // namespace
}  // namespace npunet
