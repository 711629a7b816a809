// DCTCP against sequences worked out by hand: packets of 1000 bytes, a bandwidth-delay product of
// 100 packets.

#include "packet/congestion/dctcp.h"

#include <gtest/gtest.h>

#include "choice_with.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::dctcp_test {
namespace {

using packet::Acknowledgement;
using packet::Dctcp;
using packet::FlowPath;
using topology::CongestionAlgorithm;
using topology::CongestionControlChoice;
using Parameter = topology::DctcpParameter;

constexpr std::int64_t us = 1'000'000;

const FlowPath path{10'000'000'000, 10'000'000'000, 10 * us, 4, 1000};

/// g = 1/4, alpha = 0 at first, no slow start.
CongestionControlChoice plain(OtherValues more = {}) {
    return choice_with(
        topology::standard_choice(CongestionAlgorithm::Dctcp),
        {{Parameter::gain, 0.25}, {Parameter::initial_alpha, 0}, {Parameter::slow_start, 0}}, more);
}

/// A sender that always has `flight` packets on their way.
class Sender {
public:
    Sender(Dctcp& dctcp, std::uint64_t flight) : dctcp_(dctcp), flight_(flight) {}

    /// The window then.
    std::int64_t acknowledge(int packets, bool marked) {
        for (int i = 0; i < packets; ++i) {
            Acknowledgement news;
            news.bytes = 1000;
            news.marked = marked ? 1000 : 0;
            news.next = ++next_;
            news.sent = next_ + flight_;
            dctcp_.acknowledged(news);
        }
        return dctcp_.window();
    }

private:
    Dctcp& dctcp_;
    std::uint64_t flight_;
    std::uint64_t next_ = 0;
};

// n acknowledged bytes add packet x n / W: 100 kB + 1000 x 1000 / 100 000 = 100 010 bytes.
TEST(Dctcp, GrowsByAPacketARoundTrip) {
    Dctcp dctcp(plain(), path);
    EXPECT_EQ(dctcp.window(), 100'000);
    EXPECT_EQ(dctcp.rate(0), packet::CongestionControl::no_pacing);
    Sender sender(dctcp, 100);
    EXPECT_EQ(sender.acknowledge(1, false), 100'010);
    sender.acknowledge(99, false);
    EXPECT_NEAR(static_cast<double>(dctcp.window()), 101'000, 10);
}

// In slow start n bytes add n, up to the first mark, which cuts by alpha / 2 = 1/2; 4 + 96 packets
// make 100.
TEST(Dctcp, DoublesInSlowStart) {
    Dctcp dctcp(plain({{Parameter::slow_start, 1},
                       {Parameter::initial_window, 0.04},
                       {Parameter::initial_alpha, 1},
                       {Parameter::gain, 0.001}}),
                path);
    Sender sender(dctcp, 4);
    EXPECT_EQ(sender.acknowledge(4, false), 8'000);
    EXPECT_EQ(sender.acknowledge(92, false), 100'000);
    sender.acknowledge(1, true);
    EXPECT_NEAR(static_cast<double>(dctcp.window()), 50'000, 2'000) << "alpha is nearly 1";
    sender.acknowledge(4, false);
    const std::int64_t before = dctcp.window();
    sender.acknowledge(1, false);
    EXPECT_NEAR(static_cast<double>(dctcp.window() - before), 20, 2) << "slow start is over";
}

// The window of data in flight ends with every 10th acknowledgement. With 3 of 10 marked alpha
// tends to 0.3: the error shrinks by 1 - g = 3/4 a window.
TEST(Dctcp, AlphaTendsToTheMarkedFraction) {
    Dctcp dctcp(plain(), path);
    Sender sender(dctcp, 9);
    sender.acknowledge(1, false);
    EXPECT_EQ(dctcp.current_alpha(), 0);
    double expected = 0;
    for (int window = 0; window < 60; ++window) {
        sender.acknowledge(7, false);
        sender.acknowledge(3, true);
        expected = 0.75 * expected + 0.25 * 0.3;
        EXPECT_DOUBLE_EQ(dctcp.current_alpha(), expected) << window;
    }
    EXPECT_NEAR(dctcp.current_alpha(), 0.3, 1e-7);
}

// Everything is marked and alpha = 1: half a window, and no more until what was in flight then is
// acknowledged, 10 packets later; meanwhile W does not grow either.
TEST(Dctcp, CutsOnceAWindow) {
    Dctcp dctcp(plain({{Parameter::initial_alpha, 1}}), path);
    Sender sender(dctcp, 10);
    EXPECT_EQ(sender.acknowledge(1, true), 50'000);
    EXPECT_EQ(sender.acknowledge(10, true), 50'000);
    EXPECT_EQ(sender.acknowledge(1, true), 25'000);
    EXPECT_EQ(sender.acknowledge(10, false), 25'000);
    EXPECT_EQ(sender.acknowledge(1, false), 25'040) << "1000 x 1000 / 25 000";
}

// A loss halves W once a window. A timeout leaves the least window and slow start to half of W:
// from 50.5 to 1 packet, and by whole ones beyond 25.25.
TEST(Dctcp, TakesLossesAsTcpDoes) {
    Dctcp dctcp(plain({{Parameter::slow_start, 1}}), path);
    Sender sender(dctcp, 10);
    EXPECT_EQ(sender.acknowledge(1, false), 101'000);
    dctcp.lost(0, false);
    EXPECT_EQ(dctcp.window(), 50'500);
    dctcp.lost(1, false);
    EXPECT_EQ(dctcp.window(), 50'500);
    dctcp.lost(2, true);
    EXPECT_EQ(dctcp.window(), 1'000);
    EXPECT_EQ(sender.acknowledge(11, false), 12'000);
    EXPECT_EQ(sender.acknowledge(14, false), 26'000);
    EXPECT_EQ(sender.acknowledge(1, false), 26'038) << "1000 x 1000 / 26 000";
}

// Between one packet and max_window = 4 bandwidth-delay products.
TEST(Dctcp, KeepsToItsBounds) {
    Dctcp dctcp(plain({{Parameter::slow_start, 1}, {Parameter::initial_alpha, 1}}), path);
    Sender sender(dctcp, 0);
    EXPECT_EQ(sender.acknowledge(1000, false), 400'000);
    EXPECT_EQ(sender.acknowledge(1000, true), 1'000);
}

}  // namespace
}  // namespace npunet::packet_test::dctcp_test
