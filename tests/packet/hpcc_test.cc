// HPCC against sequences worked out by hand: 10 GB/s, a round trip of 10 us, so a link carries
// 100 kB in a round trip; packets of 1000 bytes.

#include "packet/congestion/hpcc.h"

#include <gtest/gtest.h>

#include <vector>

#include "choice_with.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::hpcc_test {
namespace {

using packet::Acknowledgement;
using packet::FlowPath;
using packet::HopTelemetry;
using packet::Hpcc;
using topology::CongestionAlgorithm;
using topology::CongestionControlChoice;
using Parameter = topology::HpccParameter;

constexpr std::int64_t us = 1'000'000;
constexpr std::int64_t gbps10 = 10'000'000'000;

const FlowPath path{gbps10, gbps10, 10 * us, 2, 1000};

/// eta = 0.8, W_AI = 1000 bytes.
CongestionControlChoice round_numbers(OtherValues more = {}) {
    return choice_with(
        topology::standard_choice(CongestionAlgorithm::Hpcc),
        {{Parameter::eta, 0.8}, {Parameter::max_stage, 2}, {Parameter::window_ai, 0.01}}, more);
}

/// Acknowledgements, each a round trip after the one before, with `sent` bytes through the port
/// and `queue` bytes in it.
class Rounds {
public:
    explicit Rounds(Hpcc& hpcc) : hpcc_(hpcc) { next(0, 0); }

    /// The rate then.
    std::int64_t next(std::int64_t sent, std::int64_t queue, std::int64_t after = 10 * us) {
        now_ += after;
        sent_ += sent;
        acknowledge({{now_, sent_, queue, gbps10}});
        return hpcc_.rate(0);
    }
    void acknowledge(const std::vector<HopTelemetry>& telemetry) {
        number_ += 100;
        Acknowledgement news;
        news.now = now_;
        news.next = number_;
        news.sent = number_ + 99;
        news.telemetry = telemetry.data();
        news.hops = static_cast<std::uint32_t>(telemetry.size());
        hpcc_.acknowledged(news);
    }
    /// The last one for what was sent before the one before.
    std::int64_t same_round(std::int64_t sent) {
        now_ += 10 * us;
        sent_ += sent;
        const HopTelemetry hop{now_, sent_, 0, gbps10};
        Acknowledgement news;
        news.next = number_ + 99;
        news.sent = number_ + 149;
        news.telemetry = &hop;
        news.hops = 1;
        hpcc_.acknowledged(news);
        return hpcc_.rate(0);
    }

private:
    Hpcc& hpcc_;
    std::int64_t now_ = 0;
    std::int64_t sent_ = 0;
    std::uint64_t number_ = 0;
};

// A new queue pair may fill its own link for a round trip: 100 kB at 10 GB/s. Without telemetry
// nothing changes, and the first telemetry is only what the next one is compared with.
TEST(Hpcc, StartsWithABandwidthDelayProduct) {
    Hpcc hpcc(round_numbers(), path);
    EXPECT_EQ(hpcc.window(), 100'000);
    EXPECT_EQ(hpcc.rate(0), gbps10);
    hpcc.acknowledged(Acknowledgement());
    EXPECT_EQ(hpcc.window(), 100'000);
    const Rounds rounds(hpcc);
    EXPECT_EQ(hpcc.window(), 100'000);
    EXPECT_EQ(hpcc.utilization(), 1);
}

// The link is full and has 60 kB waiting before and after: u = 60 / 100 + 1 = 1.6 = 2 eta, all of U
// after a round trip: W = 100 kB / 2 + 1 kB. Then the queue is gone: min(60 kB, 0) = 0, u = 0.51,
// W = 51 kB + 1 kB.
TEST(Hpcc, ALinkAtTwiceTheTargetHalvesTheWindow) {
    Hpcc hpcc(round_numbers(), path);
    Rounds rounds(hpcc);
    rounds.next(100'000, 60'000);
    EXPECT_DOUBLE_EQ(hpcc.utilization(), 1.0) << "there was no queue before";
    EXPECT_EQ(hpcc.window(), 81'000) << "100 kB x 0.8 / 1 + 1 kB";
    rounds.next(100'000, 60'000);
    EXPECT_DOUBLE_EQ(hpcc.utilization(), 1.6);
    EXPECT_EQ(hpcc.window(), 42'000) << "81 kB / 2 + 1 kB, in whole packets";
    EXPECT_EQ(hpcc.rate(0), 4'150'000'000) << "41.5 kB in 10 us";
    rounds.next(51'000, 0);
    EXPECT_DOUBLE_EQ(hpcc.utilization(), 0.51);
    EXPECT_EQ(hpcc.rate(0), 4'250'000'000);
}

// Below eta the window grows by 1 kB a round trip, max_stage = 2 times; the third one multiplies:
// with u = 0.4 that is 0.8 / 0.4 = 2.
TEST(Hpcc, MultipliesAfterTheLastStage) {
    Hpcc hpcc(round_numbers(), path);
    Rounds rounds(hpcc);
    EXPECT_EQ(rounds.next(320'000, 0), 2'600'000'000) << "u = 3.2 quarters it, + 1 kB";
    EXPECT_EQ(rounds.next(40'000, 0), 2'700'000'000);
    EXPECT_EQ(rounds.next(40'000, 0), 2'800'000'000);
    EXPECT_EQ(rounds.next(40'000, 0), 5'700'000'000) << "28 kB x 2 + 1 kB";
    EXPECT_EQ(rounds.next(40'000, 0), 5'800'000'000) << "the stages start over";
}

// At the target itself the step is a multiplicative one, by 1, after which the stages begin anew:
// two additive ones follow.
TEST(Hpcc, MultipliesAtTheTarget) {
    Hpcc hpcc(round_numbers(), path);
    Rounds rounds(hpcc);
    rounds.next(320'000, 0);
    rounds.next(80'000, 0);
    EXPECT_EQ(rounds.next(80'000, 0), 2'800'000'000);
    EXPECT_EQ(rounds.next(40'000, 0), 2'900'000'000);
}

// Acknowledgements of one round trip all start from the same W_c: they react at once, but do not
// add up. u = 1.6 twice: 100 / 2 + 1 both times, not 51 / 2 + 1.
TEST(Hpcc, ReactsToEveryAcknowledgementFromOneReference) {
    Hpcc hpcc(round_numbers(), path);
    Rounds rounds(hpcc);
    EXPECT_EQ(rounds.next(80'000, 0), gbps10) << "u = eta: 100 kB + 1 kB, more than the link can";
    EXPECT_EQ(rounds.same_round(160'000), 5'100'000'000);
    EXPECT_EQ(rounds.same_round(160'000), 5'100'000'000);
    EXPECT_EQ(rounds.next(160'000, 0), 5'100'000'000) << "now W_c becomes 51 kB";
    EXPECT_EQ(rounds.next(160'000, 0), 2'650'000'000);
}

// U is a moving average over a round trip: after a quarter of one with u = 3, U = 3/4 + 3/4.
TEST(Hpcc, AveragesOverARoundTrip) {
    Hpcc hpcc(round_numbers(), path);
    Rounds rounds(hpcc);
    rounds.next(75'000, 0, 10 * us / 4);
    EXPECT_DOUBLE_EQ(hpcc.utilization(), 1.5);
    rounds.next(0, 0, 50 * us);
    EXPECT_EQ(hpcc.utilization(), 0) << "an interval counts a round trip at most";
    EXPECT_EQ(hpcc.rate(0) % 10, 3) << "100 kB x 0.8 / 1.5 + 1 kB + 1 kB, no division by 0";
}

// The fullest link counts, and a port that has not sent since tells nothing. On another path there
// is nothing to compare with.
TEST(Hpcc, LooksAtTheFullestLink) {
    Hpcc hpcc(round_numbers(), path);
    Rounds rounds(hpcc);
    rounds.acknowledge({{20 * us, 0, 0, gbps10}, {20 * us, 0, 0, 2 * gbps10}});
    EXPECT_EQ(hpcc.utilization(), 1);
    EXPECT_EQ(hpcc.window(), 100'000);
    rounds.acknowledge({{30 * us, 20'000, 0, gbps10}, {30 * us, 120'000, 0, 2 * gbps10}});
    EXPECT_DOUBLE_EQ(hpcc.utilization(), 0.6) << "20 / 100 and 120 / 200";
    rounds.acknowledge({{30 * us, 20'000, 0, gbps10}, {40 * us, 160'000, 0, 2 * gbps10}});
    EXPECT_DOUBLE_EQ(hpcc.utilization(), 0.2);
}

// Ten hops of telemetry, and it still is small.
TEST(Hpcc, IsSmall) {
    EXPECT_LE(sizeof(Hpcc), 160U);
}

}  // namespace
}  // namespace npunet::packet_test::hpcc_test
