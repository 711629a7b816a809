// Where the congestion control algorithms lead: how several queue pairs share one bottleneck
// (bottleneck.h), and what holds for all of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "bottleneck.h"
#include "packet/congestion/dcqcn.h"
#include "packet/congestion/dctcp.h"
#include "packet/congestion/hpcc.h"
#include "packet/congestion/swift.h"
#include "packet/congestion/timely.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::congestion_sharing_test {
namespace {

using packet::Acknowledgement;
using packet::HopTelemetry;
using topology::CongestionAlgorithm;
using topology::CongestionControlChoice;

constexpr std::int64_t us = 1'000'000;

std::vector<CongestionAlgorithm> of_senders() {
    return {CongestionAlgorithm::Dcqcn, CongestionAlgorithm::Hpcc, CongestionAlgorithm::Timely,
            CongestionAlgorithm::Swift, CongestionAlgorithm::Dctcp};
}

class Alone : public ::testing::TestWithParam<CongestionAlgorithm> {};
class Together : public ::testing::TestWithParam<CongestionAlgorithm> {};

std::string name_of_case(const ::testing::TestParamInfo<CongestionAlgorithm>& info) {
    return topology::name_of(info.param);
}

// One flow whose link is as fast as the bottleneck fills it and leaves no queue: HPCC up to its
// target: W = W eta / U + W_AI with W_AI = 0.00625 of what W = U is, U = 0.95 + 0.00625; the others
// wholly.
TEST_P(Alone, OneFlowFillsTheLink) {
    const Sharing result = one_flow().run(topology::standard_choice(GetParam()));
    const double expected = GetParam() == CongestionAlgorithm::Hpcc ? 0.95625 : 1.0;
    EXPECT_NEAR(result.utilisation, expected, 0.003);
    EXPECT_EQ(result.most_queue, 0);
}

// A link of twice the bottleneck's rate is held back to it.
TEST_P(Alone, OneFlowKeepsToTheBottleneck) {
    const Sharing result = one_fast_flow().run(topology::standard_choice(GetParam()));
    EXPECT_GE(result.utilisation, 0.94);
    EXPECT_LE(result.most_queue, 400'000);
}

// Flows that start one after the other have equal shares in the end, and leave little unused.
TEST_P(Together, TwoFlowsShareEvenly) {
    const Sharing result = two_flows().run(topology::standard_choice(GetParam()));
    EXPECT_GE(result.utilisation, 0.9);
    for (const double rate : result.rates) {
        EXPECT_NEAR(rate, result.utilisation / 2, 0.1 * result.utilisation / 2);
    }
}

TEST_P(Together, EightFlowsShareEvenly) {
    const Sharing result = eight_flows().run(topology::standard_choice(GetParam()));
    EXPECT_GE(result.utilisation, 0.9);
    EXPECT_GE(result.fairness(), 0.98);
    EXPECT_LE(result.most_queue, 400'000);
}

// The same news give the same answers, bit by bit, and the answers do not depend on how often they
// are asked for.
TEST_P(Together, AnswersAreAFunctionOfTheNews) {
    const CongestionControlChoice choice = topology::standard_choice(GetParam());
    const packet::FlowPath path = Bottleneck().path();
    const auto once = packet::make_congestion_control(choice, path);
    const auto again = packet::make_congestion_control(choice, path);
    std::mt19937 random(1);
    std::int64_t now = 0;
    HopTelemetry hop;
    hop.rate = path.slowest;
    std::uint64_t next = 0;
    for (int step = 0; step < 20'000; ++step) {
        now += static_cast<std::int64_t>(random() % 400'000);
        hop = {now, hop.sent + static_cast<std::int64_t>(random() % 20'000),
               static_cast<std::int64_t>(random() % 200'000), path.slowest};
        Acknowledgement news;
        news.now = now;
        news.bytes = path.packet;
        news.marked = random() % 4 == 0 ? path.packet : 0;
        news.round_trip = path.round_trip + static_cast<std::int64_t>(random() % 10'000'000);
        news.next = ++next;
        news.sent = next + 30;
        news.telemetry = &hop;
        news.hops = 1;
        const auto kind = random() % 100;
        const bool timeout = random() % 4 == 0;
        for (const auto& control : {once.get(), again.get()}) {
            control->packet_sent(now, path.packet);
            control->acknowledged(news);
            if (kind == 0) {
                control->notified(now);
            } else if (kind == 1) {
                control->lost(now, timeout);
            }
        }
        static_cast<void>(again->rate(now));
        static_cast<void>(again->rate(now + 100));
        ASSERT_GE(once->window(), path.packet);
        if (step % 100 == 0) {
            ASSERT_EQ(once->rate(now + 200), again->rate(now + 200)) << step;
            ASSERT_EQ(once->window(), again->window()) << step;
            ASSERT_GE(once->rate(now + 200), 1);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(CongestionControl, Alone, ::testing::ValuesIn(of_senders()), name_of_case);
INSTANTIATE_TEST_SUITE_P(CongestionControl, Together, ::testing::ValuesIn(of_senders()),
                         name_of_case);

// A fabric has many queue pairs: the state of one is small, besides 24 bytes a hop for HPCC.
TEST(CongestionControl, StateIsSmall) {
    EXPECT_LE(std::max({sizeof(packet::Dcqcn), sizeof(packet::Hpcc), sizeof(packet::Timely),
                        sizeof(packet::Swift), sizeof(packet::Dctcp)}),
              160U);
}

// None and the receiver's credits have no sender's side; telemetry, marks and CNPs are asked for by
// those that use them.
TEST(CongestionControl, IsMadeAsChosen) {
    const packet::FlowPath path = Bottleneck().path();
    for (const CongestionAlgorithm algorithm :
         {CongestionAlgorithm::None, CongestionAlgorithm::ReceiverCredit}) {
        const CongestionControlChoice choice = topology::standard_choice(algorithm);
        EXPECT_EQ(packet::make_congestion_control(choice, path), nullptr);
        EXPECT_EQ(topology::needs_of(choice).notification_interval, 0);
    }
    for (const CongestionAlgorithm algorithm : of_senders()) {
        const CongestionControlChoice choice = topology::standard_choice(algorithm);
        EXPECT_NE(packet::make_congestion_control(choice, path), nullptr);
        const topology::CongestionNeeds needs = topology::needs_of(choice);
        EXPECT_EQ(needs.telemetry, algorithm == CongestionAlgorithm::Hpcc);
        EXPECT_EQ(needs.echo, algorithm == CongestionAlgorithm::Dctcp);
        EXPECT_EQ(needs.notification_interval,
                  algorithm == CongestionAlgorithm::Dcqcn ? 50 * us : 0);
    }
}

}  // namespace
}  // namespace npunet::packet_test::congestion_sharing_test
