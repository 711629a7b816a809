#include "base/quantities.h"

#include <gtest/gtest.h>

#include <cmath>

namespace npunet {
namespace {

// time(b, r) = ceil(b x 10^12 / r): 4160 B at 50 GB/s are exactly 83.2 ns; one byte at 3 B/s takes
// 333 333 333 333.33 ps, rounded up.
TEST(TransferTime, RoundsUpToWholePicoseconds) {
    EXPECT_EQ(transfer_time(Bytes(4160), Rate(50'000'000'000)), Time::ps(83'200));
    EXPECT_EQ(transfer_time(Bytes(1), Rate(3)), Time::ps(333'333'333'334));
    EXPECT_EQ(transfer_time(Bytes(0), Rate(3)), Time::ps(0));
}

// The product b x 10^12 passes 2^63 at 9.3 MB: 64 GiB at 1 GB/s are 68.719476736 s.
TEST(TransferTime, IsExactBeyond64BitProducts) {
    EXPECT_EQ(transfer_time(Bytes(std::int64_t{64} << 30), Rate(1'000'000'000)),
              Time::ps(68'719'476'736'000));
}

TEST(TransferTime, ClampsInsteadOfOverflowing) {
    EXPECT_EQ(transfer_time(Bytes(std::int64_t{1} << 62), Rate(1)), Time::max());
}

// 2^63 - 1 ps is the end of the clock.
TEST(Time, SumsAndProductsEndAtTheEndOfTheClock) {
    EXPECT_EQ(later(Time::ns(2), Time::ns(3)), Time::ns(5));
    EXPECT_EQ(later(Time::max(), Time::ps(1)), Time::max());
    EXPECT_EQ(later(Time::ps(1), Time::max()), Time::max());
    EXPECT_EQ(later(Time::max() - Time::ps(1), Time::ps(1)), Time::max());
    const std::int64_t most = Time::max().ps();
    EXPECT_EQ(capped_product(3, 5), 15);
    EXPECT_EQ(capped_product(0, most), 0);
    EXPECT_EQ(capped_product(most, 0), 0);
    EXPECT_EQ(capped_product(7, most / 7), most / 7 * 7);
    EXPECT_EQ(capped_product(7, most / 7 + 1), most);
    EXPECT_EQ(capped_product(most, most), most);
}

// The cast of a double beyond 2^63 is undefined; 2^60 leaves room for sums.
TEST(CappedWhole, EndsAtTwoToThe60) {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    EXPECT_EQ(capped_whole(0), 0);
    EXPECT_EQ(capped_whole(2.9), 2);
    EXPECT_EQ(capped_whole(-2.9), -2);
    EXPECT_EQ(capped_whole(4503599627370497.0), 4503599627370497);
    for (const double large : {1152921504606846976.0, 1e19, 1e300, HUGE_VAL}) {
        EXPECT_EQ(capped_whole(large), most) << large;
        EXPECT_EQ(capped_whole(-large), -most) << large;
    }
    EXPECT_EQ(capped_whole(std::nan("")), 0);
}

// Parts floor(S (i+1)/n) - floor(S i/n) telescope to S and differ by at most one byte.
TEST(PartOf, PartsSumToTheWhole) {
    for (const std::int64_t total : {0, 1, 7, 1000003, 1 << 30}) {
        for (const std::int64_t parts : {1, 3, 7, 64}) {
            Bytes sum;
            for (std::int64_t i = 0; i < parts; ++i) {
                const Bytes part = part_of(Bytes(total), i, parts);
                EXPECT_GE(part.value(), total / parts);
                EXPECT_LE(part.value(), total / parts + 1);
                sum += part;
            }
            EXPECT_EQ(sum, Bytes(total));
        }
    }
}

}  // namespace
}  // namespace npunet
