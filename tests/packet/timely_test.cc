// TIMELY against sequences worked out by hand: a link of 10 GB/s and an idle round trip of 20 us.

#include "packet/congestion/timely.h"

#include <gtest/gtest.h>

#include "choice_with.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::timely_test {
namespace {

using packet::Acknowledgement;
using packet::FlowPath;
using packet::Timely;
using topology::CongestionAlgorithm;
using topology::CongestionControlChoice;
using Parameter = topology::TimelyParameter;

constexpr std::int64_t us = 1'000'000;
constexpr std::int64_t line = 10'000'000'000;

const FlowPath path{line, line, 20 * us, 2, 4160};

/// alpha = 1/2, beta = 0.8, delta = 100 MB/s, T_low = 50 us, T_high = 500 us, an update each 4000
/// bytes.
CongestionControlChoice quick(OtherValues more = {}) {
    return choice_with(
        topology::paper_choice(CongestionAlgorithm::Timely),
        {{Parameter::ewma_weight, 0.5}, {Parameter::rate_ai, 1e8}, {Parameter::segment, 4000}},
        more);
}

/// The rate then.
std::int64_t acknowledge(Timely& timely, std::int64_t round_trip, std::int64_t bytes = 4000,
                         std::uint64_t next = 1, std::uint64_t sent = 10) {
    Acknowledgement news;
    news.bytes = bytes;
    news.round_trip = round_trip;
    news.next = next;
    news.sent = sent;
    timely.acknowledged(news);
    return timely.rate(0);
}

TEST(Timely, StartsAtTheRateOfTheLink) {
    Timely timely(quick(), path);
    EXPECT_EQ(timely.rate(0), line);
    EXPECT_EQ(timely.window(), packet::CongestionControl::no_window);
    EXPECT_EQ(acknowledge(timely, 20 * us), line) << "no faster than the link";
}

// t = 1000 us > T_high: R = 10 (1 - 0.8 (1 - 500 / 1000)) = 6 GB/s, and 6 x 0.6 = 3.6 GB/s.
TEST(Timely, DecreasesAboveTheHighThreshold) {
    Timely timely(quick(), path);
    EXPECT_EQ(acknowledge(timely, 1000 * us), 6'000'000'000);
    EXPECT_EQ(acknowledge(timely, 1000 * us), 3'600'000'000);
}

// Below T_low the rate grows by delta, whatever the gradient; exactly at T_low the gradient counts.
TEST(Timely, IncreasesBelowTheLowThreshold) {
    Timely timely(quick(), path);
    acknowledge(timely, 1000 * us);
    EXPECT_EQ(acknowledge(timely, 30 * us), 6'100'000'000);
    EXPECT_EQ(acknowledge(timely, 49 * us), 6'200'000'000);
    Timely other(quick(), path);
    acknowledge(other, 42 * us);
    acknowledge(other, 50 * us);
    EXPECT_EQ(other.rate(0), 8'400'000'000) << "10 (1 - 0.8 x (8 / 2) / 20)";
}

// Between the thresholds, with t = 100 us and then 108 us: d = 8 / 2 = 4 us, the gradient 4 / 20 =
// 0.2, and R = 6 (1 - 0.8 x 0.2) GB/s. With 104 us d = 4 / 2 - 4 / 2 = 0: the gradient is 0, which
// increases.
TEST(Timely, FollowsTheGradientInBetween) {
    Timely timely(quick(), path);
    EXPECT_EQ(acknowledge(timely, 100 * us), line) << "one round trip has no gradient";
    acknowledge(timely, 108 * us);
    EXPECT_DOUBLE_EQ(timely.normalized_gradient(), 0.2);
    EXPECT_EQ(timely.rate(0), 8'400'000'000);
    acknowledge(timely, 104 * us);
    EXPECT_DOUBLE_EQ(timely.normalized_gradient(), 0);
    EXPECT_EQ(timely.rate(0), 8'500'000'000);
}

// The fifth update in a row whose gradient is not above 0 increases by N = 5 delta. The first one
// counts: with the same round trip all along the gradient is 0.
TEST(Timely, IncreasesFasterAfterAWhile) {
    Timely timely(quick(), path);
    acknowledge(timely, 1000 * us);  // 6 GB/s; the 1st
    acknowledge(timely, 300 * us);   // 2nd
    acknowledge(timely, 200 * us);
    acknowledge(timely, 100 * us);  // 4th
    EXPECT_EQ(timely.rate(0), 6'300'000'000);
    EXPECT_EQ(acknowledge(timely, 90 * us), 6'800'000'000);
    acknowledge(timely, 400 * us);
    const std::int64_t lower = timely.rate(0);
    EXPECT_LT(lower, 6'800'000'000);
    EXPECT_EQ(acknowledge(timely, 60 * us), lower + 100'000'000) << "counted from the start";
}

// A steep gradient would make 1 - beta x gradient negative: the least rate is the end.
TEST(Timely, KeepsToTheLeastRate) {
    Timely timely(quick({{Parameter::min_rate, 2e9}}), path);
    acknowledge(timely, 60 * us);
    EXPECT_EQ(acknowledge(timely, 400 * us), 2'000'000'000);
}

// Half a segment waits for the other half.
TEST(Timely, UpdatesOncePerSegment) {
    Timely timely(quick(), path);
    EXPECT_EQ(acknowledge(timely, 1000 * us, 2000), line);
    EXPECT_EQ(acknowledge(timely, 1000 * us, 1900), line);
    EXPECT_EQ(acknowledge(timely, 1000 * us, 100), 6'000'000'000);
    EXPECT_EQ(acknowledge(timely, 1000 * us, 2000), 6'000'000'000) << "a new segment";
}

// By default once a round trip: after an update, not before what was sent then is acknowledged.
TEST(Timely, UpdatesOncePerRoundTrip) {
    Timely timely(quick({{Parameter::every_round_trip, 1}}), path);
    EXPECT_EQ(acknowledge(timely, 1000 * us, 4000, 1, 10), 6'000'000'000);
    EXPECT_EQ(acknowledge(timely, 1000 * us, 4000, 10, 20), 6'000'000'000);
    EXPECT_EQ(acknowledge(timely, 1000 * us, 4000, 11, 21), 3'600'000'000);
}

// The default thresholds are 1.5 and 4 idle round trips, 30 and 80 us; delta is 25 Mb/s for each
// 25 Gb/s of the link's 80: 80 Mb/s, 10 MB/s.
TEST(Timely, ScalesWithThePath) {
    Timely timely(choice_with(topology::standard_choice(CongestionAlgorithm::Timely), {}), path);
    EXPECT_EQ(acknowledge(timely, 80 * us), line);
    EXPECT_EQ(acknowledge(timely, 160 * us, 4000, 11), 6'000'000'000) << "1 - 0.8 (1 - 80 / 160)";
    EXPECT_EQ(acknowledge(timely, 29 * us, 4000, 11), 6'010'000'000);
}

}  // namespace
}  // namespace npunet::packet_test::timely_test
