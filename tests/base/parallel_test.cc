// Every number is visited once, and the failure of the lowest number is the one that is told.

#include "base/parallel.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/base/few_threads.h"

namespace npunet {
namespace {

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
