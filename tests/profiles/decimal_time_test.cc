// Microseconds times 1000, exact: the text of a number has all the digits that a double loses.
#include "profiles/decimal_time.h"

#include <gtest/gtest.h>

namespace npunet::profiles {
namespace {

TEST(DecimalTime, KeepsWhatADoubleLoses) {
    // 1712867402348628.001 us needs 61 bits as nanoseconds; a double has 53.
    EXPECT_EQ(nanoseconds_of("1712867402348628.001"), 1712867402348628001);
    EXPECT_EQ(nanoseconds_of("4458676983543.183"), 4458676983543183);
}

TEST(DecimalTime, FillsInAndRoundsDecimals) {
    EXPECT_EQ(nanoseconds_of("7"), 7000);
    EXPECT_EQ(nanoseconds_of("7.5"), 7500);
    EXPECT_EQ(nanoseconds_of("-0.25"), -250);
    EXPECT_EQ(nanoseconds_of("1.2344"), 1234);
    EXPECT_EQ(nanoseconds_of("1.2345"), 1235);
    EXPECT_EQ(nanoseconds_of("1.9999"), 2000);
    EXPECT_EQ(nanoseconds_of("1.25e3"), 1250000);
}

TEST(DecimalTime, RefusesWhatIsNoNumberOrTooLarge) {
    EXPECT_EQ(nanoseconds_of(""), std::nullopt);
    EXPECT_EQ(nanoseconds_of("."), std::nullopt);
    EXPECT_EQ(nanoseconds_of("1.2.3"), std::nullopt);
    EXPECT_EQ(nanoseconds_of("12:00"), std::nullopt);
    EXPECT_EQ(nanoseconds_of("99999999999999999999"), std::nullopt);
    EXPECT_EQ(nanoseconds_of("9300000000000000"), std::nullopt);
}

TEST(DecimalTime, WholeNumbersMayHaveAZeroFraction) {
    EXPECT_EQ(whole_number_of("68.0"), 68);
    EXPECT_EQ(whole_number_of("-1"), -1);
    EXPECT_EQ(whole_number_of("1.5"), std::nullopt);
    EXPECT_EQ(whole_number_of("stream 7"), std::nullopt);
}

}  // namespace
}  // namespace npunet::profiles
