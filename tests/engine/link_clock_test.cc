// When transfers end on links that are slowed down and go down, worked out by hand.

#include "engine/network/link_clock.h"

#include <gtest/gtest.h>

#include "tests/support/machines.h"

namespace npunet::engine::link_clock_test {
namespace {

constexpr LinkId link(0);

Time seconds(std::int64_t count) {
    return Time::ns(count * 1'000'000'000);
}

/// A ring whose first link has this rate and is down between the two times, in seconds.
topology::NetworkDescription ring(std::int64_t bytes_per_second, Time down_from = Time::max(),
                                  Time down_until = Time::max()) {
    topology::NetworkDescription network =
        test::ring_machine(4, Rate(bytes_per_second), Time()).network;
    if (down_from < Time::max()) {
        topology::LinkFault fault;
        fault.link = link;
        fault.at = down_from;
        fault.until = down_until;
        fault.bandwidth.billionths = 0;
        network.faults.links = {fault};
    }
    return network;
}

// Ends are rounded up to picoseconds: a byte at 3 bytes a second takes a third of 10^12.
TEST(LinkClock, RoundsUp) {
    const auto three = ring(3, seconds(100), seconds(110));
    EXPECT_EQ(LinkClock(three).end(link, Time(), Bytes(1)), Time::ps(333'333'333'334));
    EXPECT_EQ(LinkClock(three).end(link, Time(), Bytes(3)), seconds(1));
}

// The slowest link that there is: a byte a second, down from 10 to 20 s.
TEST(LinkClock, AByteASecondIsARate) {
    const auto network = ring(1, seconds(10), seconds(20));
    const LinkClock clock(network);
    EXPECT_EQ(clock.end(link, Time(), Bytes(7)), seconds(7));
    EXPECT_EQ(clock.end(link, Time(), Bytes(12)), seconds(22));
    EXPECT_EQ(clock.up_at(link, seconds(3)), seconds(3));
    EXPECT_EQ(clock.up_at(link, seconds(13)), seconds(20));
    EXPECT_EQ(clock.down_at(link, seconds(3)), seconds(10));
    EXPECT_EQ(clock.down_at(link, seconds(20)), Time::max());
    EXPECT_EQ(clock.up_between(link, seconds(4), seconds(23)), seconds(6 + 3));
    EXPECT_EQ(clock.highest_rate(link), 1);
}

TEST(LinkClock, ALinkThatIsNeverUpHasNoRate) {
    const auto network = ring(5, Time());
    EXPECT_EQ(LinkClock(network).highest_rate(link), 0);
}

}  // namespace
}  // namespace npunet::engine::link_clock_test
