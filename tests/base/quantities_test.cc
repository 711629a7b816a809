#include "base/quantities.h"

#include <gtest/gtest.h>

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
