// Swift against sequences worked out by hand: an idle round trip of 10 us, packets of 1000 bytes, a
// bandwidth-delay product of 100 packets.

#include "packet/congestion/swift.h"

#include <gtest/gtest.h>

#include "choice_with.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::swift_test {
namespace {

using packet::Acknowledgement;
using packet::CongestionControl;
using packet::FlowPath;
using packet::Swift;
using topology::CongestionAlgorithm;
using topology::CongestionControlChoice;
using Parameter = topology::SwiftParameter;

constexpr std::int64_t us = 1'000'000;

const FlowPath path{10'000'000'000, 10'000'000'000, 10 * us, 4, 1000};

/// A target of 20 us without scaling, ai = 1, beta = 0.8, max_mdf = 0.5.
CongestionControlChoice plain(OtherValues more = {}) {
    return choice_with(topology::paper_choice(CongestionAlgorithm::Swift),
                       {{Parameter::base_target, 20.0 * us},
                        {Parameter::hop_scaling, 0},
                        {Parameter::fs_range, 0}},
                       more);
}

/// The window in packets, then.
double acknowledge(Swift& swift, std::int64_t now, std::int64_t round_trip,
                   std::int64_t bytes = 1000) {
    Acknowledgement news;
    news.now = now;
    news.bytes = bytes;
    news.round_trip = round_trip;
    swift.acknowledged(news);
    return swift.packets();
}

// A window of w packets that are all acknowledged in time grows by about ai = 1 packet: 100 + 100 /
// 100 when it comes at once.
TEST(Swift, GrowsByAPacketARoundTrip) {
    Swift swift(plain(), path);
    EXPECT_EQ(swift.packets(), 100);
    EXPECT_EQ(swift.window(), 100'000);
    EXPECT_EQ(swift.rate(0), CongestionControl::no_pacing);
    EXPECT_EQ(acknowledge(swift, 0, 19 * us, 100'000), 101);
    EXPECT_EQ(acknowledge(swift, 0, 19 * us, 1000), 101 + 1.0 / 101);
}

// t = 25 us: 1 - 0.8 (25 - 20) / 25 = 0.84. t = 1 ms: 1 - 0.8 x 0.98 is less than 1 - max_mdf =
// 0.5. In between nothing happens for a round trip.
TEST(Swift, DecreasesOnceARoundTripByAtMostTheLargestFactor) {
    Swift swift(plain(), path);
    EXPECT_DOUBLE_EQ(acknowledge(swift, 100 * us, 25 * us), 84);
    EXPECT_DOUBLE_EQ(acknowledge(swift, 125 * us - 1, 25 * us), 84);
    EXPECT_DOUBLE_EQ(acknowledge(swift, 125 * us, 25 * us), 84 * 0.84);
    EXPECT_DOUBLE_EQ(acknowledge(swift, 2000 * us, 1000 * us), 84 * 0.84 * 0.5);
    const double before = swift.packets();
    EXPECT_EQ(acknowledge(swift, 9000 * us, 20 * us), before) << "at the target, 1 - 0";
    EXPECT_DOUBLE_EQ(acknowledge(swift, 9001 * us, 25 * us), before * 0.84)
        << "that was no decrease";
}

// From 4 packets, 2, 1, then 1/2: one packet in flight, a packet each t / w = 2 t = 100 us: 10
// MB/s. Below a packet each acknowledged one adds ai.
TEST(Swift, PacesBelowAPacket) {
    Swift swift(plain({{Parameter::initial_window, 0.04}}), path);
    EXPECT_EQ(swift.packets(), 4);
    for (int i = 1; i <= 3; ++i) {
        acknowledge(swift, i * 1000 * us, 1000 * us);
    }
    EXPECT_EQ(swift.packets(), 0.5);
    EXPECT_EQ(swift.window(), 1000);
    EXPECT_EQ(swift.rate(0), 500'000) << "1000 bytes in 2 x 1000 us";
    EXPECT_EQ(acknowledge(swift, 3001 * us, 10 * us), 1.5);
    EXPECT_EQ(swift.window(), 1500);
    EXPECT_EQ(swift.rate(0), CongestionControl::no_pacing);
}

// base_target + 4 hops x 2 us = 28 us, and flow scaling with fs_range = 90 us between 1/4 packet
// and 100 packets: a = 90 / (2 - 0.1) us, b = -a / 10. At 100 packets it adds 0, at 4 a (1/2 -
// 1/10) = 18.947... us, at 1/4 and below 90 us.
TEST(Swift, ScalesTheTargetWithHopsAndWindow) {
    CongestionControlChoice choice = plain();
    choice.values[Parameter::hop_scaling] = 2.0 * us;
    choice.values[Parameter::fs_range] = 90.0 * us;
    choice.values[Parameter::fs_min_window] = 0.25;
    const auto target_of = [&](double packets) {
        choice.values[Parameter::initial_window] = packets / 100;
        return Swift(choice, path).target_delay();
    };
    EXPECT_DOUBLE_EQ(target_of(100), 28.0 * us);
    EXPECT_DOUBLE_EQ(target_of(200), 28.0 * us);
    EXPECT_NEAR(target_of(4), 28.0 * us + 90.0 * us / 1.9 * 0.4, 1);
    EXPECT_NEAR(target_of(0.25), 118.0 * us, 1);
    EXPECT_NEAR(target_of(0.1), 118.0 * us, 1);
}

// By default: 1.25 idle round trips, and up to 1 more below 300 packets.
TEST(Swift, ScalesTheTargetWithThePath) {
    CongestionControlChoice choice = topology::standard_choice(CongestionAlgorithm::Swift);
    choice.values[Parameter::initial_window] = 3;
    EXPECT_DOUBLE_EQ(Swift(choice, path).target_delay(), 12.5 * us);
    choice.values[Parameter::initial_window] = 0;
    EXPECT_DOUBLE_EQ(Swift(choice, path).target_delay(), 22.5 * us);
}

// A loss takes max_mdf, once a round trip. Five timeouts without an acknowledgement in between
// leave the least window.
TEST(Swift, TakesLossesForCongestion) {
    Swift swift(plain(), path);
    swift.lost(100 * us, false);
    EXPECT_EQ(swift.packets(), 50);
    swift.lost(101 * us, false);
    EXPECT_EQ(swift.packets(), 50);
    for (int i = 2; i <= 5; ++i) {
        swift.lost(i * 100 * us, true);
    }
    EXPECT_EQ(swift.packets(), 50.0 / 16);
    acknowledge(swift, 501 * us, 20 * us);  // at the target
    swift.lost(600 * us, true);
    EXPECT_EQ(swift.packets(), 50.0 / 32) << "the first one in a row again";
    for (int i = 7; i <= 10; ++i) {
        swift.lost(i * 100 * us, true);
    }
    EXPECT_EQ(swift.packets(), 0.001);
}

// Between min_window and max_window = 4 bandwidth-delay products.
TEST(Swift, KeepsToItsBounds) {
    Swift swift(plain(), path);
    for (int i = 0; i < 1000; ++i) {
        acknowledge(swift, 0, 10 * us, 100'000);
    }
    EXPECT_EQ(swift.packets(), 400);
    for (int i = 1; i < 100; ++i) {
        acknowledge(swift, i * 1000 * us, 1000 * us);
    }
    EXPECT_EQ(swift.packets(), 0.001);
    EXPECT_EQ(swift.rate(0), 1000) << "a byte in 1000 us";
}

}  // namespace
}  // namespace npunet::packet_test::swift_test
