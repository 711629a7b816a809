#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/errors.h"
#include "base/flows/size_distribution.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::size_distribution_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SizeDistribution, AreSpreadEvenlyBetweenTheLinesOfTheFile) {
    EXPECT_THAT(names_of_sizes(), ElementsAre("hadoop", "storage", "web-search"));
    const SizeDistribution sizes = load_sizes("web-search", "--sizes");
    // Sum of (share of a line) x (middle of its sizes).
    const double mean = 0.15 * 5e3 + 0.05 * 15e3 + 0.1 * 25e3 + 0.1 * 40e3 + 0.13 * 65e3 +
                        0.07 * 140e3 + 0.1 * 600e3 + 0.1 * 1.5e6 + 0.1 * 3.5e6 + 0.07 * 7.5e6 +
                        0.03 * 20e6;
    EXPECT_NEAR(sizes.mean(), mean, 1e-6 * mean);
    EXPECT_EQ(sizes.at(0), 1);
    EXPECT_EQ(sizes.at(0.075), 5'000);
    EXPECT_EQ(sizes.at(0.65), 600'000);
    EXPECT_NEAR(static_cast<double>(sizes.at(0.99)), 10e6 + 20e6 * 2 / 3, 2);
    EXPECT_LE(sizes.at(std::nextafter(1.0, 0.0)), 30'000'000);
}

TEST(SizeDistribution, FilesThatDoNotAscendAreRefused) {
    const test::TemporaryFolder folder;
    const auto refusal_of = [&](const std::string& text) {
        const std::string file = folder.write("sizes.txt", text).string();
        return test::message_of<InputError>(
            [&] { static_cast<void>(load_sizes(file, "--sizes")); });
    };
    EXPECT_THAT(refusal_of("0 0\n# all\n100 x\n"), HasSubstr("line 3"));
    EXPECT_THAT(refusal_of("0 5\n100 100\n"), HasSubstr("0 % in the first line"));
    EXPECT_THAT(refusal_of("0 0\n100 50\n90 100\n"), HasSubstr("more than the 100 bytes before"));
    EXPECT_THAT(refusal_of("0 0\n100 50\n200 50\n"), HasSubstr("more than the 50 % before"));
    EXPECT_THAT(refusal_of("0 0\n100 50\n"), HasSubstr("lines up to 50 %"));
    EXPECT_THAT(refusal_of("0 0\n-1 100\n"), HasSubstr("-1 bytes"));
    EXPECT_THAT(refusal_of("0 0\nnan 100\n"), HasSubstr("line 2"));
    EXPECT_THAT(refusal_of(""), HasSubstr("no lines of numbers"));
    EXPECT_THAT(
        test::message_of<InputError>([] { static_cast<void>(load_sizes("websearch", "--sizes")); }),
        HasSubstr("web-search"));
}

}  // namespace
}  // namespace npunet::size_distribution_test
