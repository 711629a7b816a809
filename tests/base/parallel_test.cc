// Every number is visited once, and the failure of the lowest number is the one that is told.

#include "base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace npunet {
namespace {

TEST(Parallel, CallsEveryNumberOnce) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
        std::vector<int> visits(count, 0);
        for_each_in_parallel(count, [&visits](std::size_t i) { ++visits[i]; });
        EXPECT_EQ(visits, std::vector<int>(count, 1));
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
