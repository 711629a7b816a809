#include "cli/console/time_left.h"

#include <gtest/gtest.h>

namespace npunet::cli::time_left_test {
namespace {

TEST(TimeLeft, IsThatOfTheSpeedOfTheLastThird) {
    TimeLeft left;
    EXPECT_FALSE(left.seconds().has_value());
    left.at(0, 0);
    EXPECT_FALSE(left.seconds().has_value());
    for (int second = 1; second <= 60; ++second) {
        left.at(second, 0.01 * second);
        EXPECT_NEAR(left.seconds().value_or(-1), 100 - second, 1e-6);
    }
    // Ten times slower from there on: known when that is a third of the time, after 90 s.
    for (int second = 61; second <= 100; ++second) {
        left.at(second, 0.6 + 0.001 * (second - 60));
    }
    EXPECT_NEAR(left.seconds().value_or(-1), 360, 1e-6);
}

TEST(TimeLeft, BeginsAgainWithTheTask) {
    TimeLeft left;
    left.at(0, 0);
    left.at(10, 0.9);
    left.at(11, 0);
    EXPECT_FALSE(left.seconds().has_value());
    left.at(13, 0.5);
    EXPECT_DOUBLE_EQ(left.seconds().value_or(-1), 2);
}

TEST(TimeLeft, WithoutProgressForAThirdIsThatOfTheWholeTime) {
    TimeLeft left;
    left.at(0, 0);
    left.at(10, 0.5);
    left.at(40, 0.5);
    EXPECT_DOUBLE_EQ(left.seconds().value_or(-1), 40);
}

TEST(TimeLeft, OfManySamplesIsTheSame) {
    TimeLeft left;
    for (int i = 0; i <= 100'000; ++i) {
        left.at(0.001 * i, 0.000005 * i);
    }
    EXPECT_NEAR(left.seconds().value_or(-1), 100, 1e-6);
}

}  // namespace
}  // namespace npunet::cli::time_left_test
