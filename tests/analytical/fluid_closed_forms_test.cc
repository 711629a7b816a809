// The fluid network against closed forms, to the picosecond. S is the time of a packet on a link, a
// the latency of a link, m the packets of a message; all links are equal and packets are stored.

#include <gtest/gtest.h>

#include <vector>

#include "tests/analytical/fluid_runs.h"
#include "tests/packet/traffic.h"
#include "topology/network/scale_up.h"

namespace npunet::fluid_closed_forms_test {
namespace {

using packet_test::message;
using packet_test::Outcome;
using packet_test::Plan;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr Time packet = Time::ps(83'200);  // 4160 bytes
constexpr std::int64_t mtu = 4096;

topology::NetworkDescription line(DimensionKind kind, std::int32_t size) {
    return topology::make_network({topology::make_dimension(kind, size, rate, latency)});
}

Plan wanting_sent(Plan plan) {
    for (packet_test::PlannedMessage& each : plan) {
        each.wants_sent = true;
    }
    return plan;
}

// n NPUs behind a switch send m packets each to one more. The first ones reach its port at S + a;
// from then on it is busy, and divided evenly between equal messages, so that all are through it
// n m S later.
TEST(FluidClosedForms, EqualFlowsIntoOneLink) {
    for (std::int32_t n = 1; n <= 8; ++n) {
        for (const std::int64_t m : {1, 2, 7, 1000}) {
            Plan plan;
            for (std::int32_t i = 1; i <= n; ++i) {
                plan.push_back(message(i, 0, m * mtu));
            }
            for (const Outcome& each :
                 test::run_fluid(plan, line(DimensionKind::Switch, n + 1)).outcomes) {
                EXPECT_EQ(each.delivered, (1 + n * m) * packet + 2 * latency)
                    << n << " flows, " << m << " packets";
            }
        }
    }
}

// No two messages have a link in common: each takes (m + h - 1) S + h a over its h links, whatever
// the others do. By a switch h = 2; to the neighbour on a ring h = 1; with every NPU of a line
// sending to its mirror image in the other of two equal lines, h = 1 in the second dimension.
TEST(FluidClosedForms, PermutationsWithoutSharedLinks) {
    constexpr std::int32_t size = 6;
    for (const std::int64_t m : {1, 5, 300}) {
        for (std::int32_t shift = 1; shift < size; ++shift) {
            Plan by_switch;
            for (std::int32_t i = 0; i < size; ++i) {
                by_switch.push_back(message(i, (i + shift) % size, m * mtu));
            }
            for (const Outcome& each :
                 test::run_fluid(by_switch, line(DimensionKind::Switch, size)).outcomes) {
                EXPECT_EQ(each.delivered, (m + 1) * packet + 2 * latency);
            }
        }
        Plan neighbours;
        for (std::int32_t i = 0; i < size; ++i) {
            neighbours.push_back(message(i, (i + 1) % size, m * mtu));
        }
        for (const Outcome& each :
             test::run_fluid(neighbours, line(DimensionKind::Ring, size)).outcomes) {
            EXPECT_EQ(each.delivered, m * packet + latency);
        }
        // Of 4 x 4 NPUs in meshes, each of the first column sends to the last one of its row.
        Plan rows;
        for (std::int32_t i = 0; i < 4; ++i) {
            rows.push_back(message(4 * i, 4 * i + 3, m * mtu));
        }
        const topology::Dimension side =
            topology::make_dimension(DimensionKind::Mesh1D, 4, rate, latency);
        for (const Outcome& each :
             test::run_fluid(rows, topology::make_network({side, side})).outcomes) {
            EXPECT_EQ(each.delivered, (m + 2) * packet + 3 * latency);
        }
    }
}

// A parking lot: NPUs 0 to k - 1 of a line send m packets each to NPU k, over links 0 to k - 1.
//
// What NPU j > 0 sends and what comes to it from before share link j evenly from X = S + a on, when
// the latter's first packet is there, so NPU j's own message has left after 2 m S - X of the link's
// work, X of it alone. The link serves what comes in the order of its arrival. So where A(i, j) is
// the work of link j up to the end of message i,
//     A(j, j) = 2 m S - X,    A(i, j) = A(i, j - 1) + m S for 0 < i < j,    A(0, j) = (j + 1) m S:
// ahead of the end of message i are A(i, j - 1) that came, and all m S of the own message. The last
// link is never idle, so its work is time, and message i is delivered at
//     (k + 1 - i) m S - X + a    for i > 0,    k m S + a    for i = 0.
// For 0 < i < k - 1 up to a packet earlier: its last packet queues when it has arrived, a after it
// has left, where a stream comes in a + S after it leaves, so of what shares link j - 1 with it
// some of the last S comes to be behind it; half of that with two messages, on link 1. Full buffers
// do not change that: they only delay work of the links before, whose A is the same.
class FluidParkingLot : public testing::TestWithParam<std::int32_t> {
protected:
    static std::vector<Outcome> outcomes(std::int32_t k, std::int64_t m,
                                         std::optional<std::int64_t> room) {
        topology::NetworkDescription network = line(DimensionKind::Mesh1D, k + 1);
        network.packet.buffer = room ? Bytes(*room * 4160) : Bytes(std::int64_t{1} << 40);
        Plan plan;
        for (std::int32_t i = 0; i < k; ++i) {
            plan.push_back(message(i, k, m * mtu));
        }
        return test::run_fluid(wanting_sent(plan), network).outcomes;
    }

    static void expect_closed_form(const std::vector<Outcome>& outcomes, std::int64_t m) {
        const auto k = static_cast<std::int64_t>(outcomes.size());
        const Time before = packet + latency;
        EXPECT_EQ(outcomes[0].delivered, k * m * packet + latency);
        EXPECT_EQ(outcomes.back().delivered, 2 * m * packet - before + latency);
        for (std::int64_t i = 1; i + 1 < k; ++i) {
            const Time delivered = outcomes[static_cast<std::size_t>(i)].delivered;
            const Time late = (k + 1 - i) * m * packet - before + latency;
            EXPECT_LE(delivered, late) << "message " << i << " of " << k;
            EXPECT_GT(delivered, late - packet) << "message " << i << " of " << k;
        }
        if (k == 3) {
            EXPECT_EQ(outcomes[1].delivered,
                      3 * m * packet - before + latency - Time::ps(packet.ps() / 2));
        }
    }
};

// The first link is never held back: its message has left after m S, that of any other NPU after
// 2 m S - X.
TEST_P(FluidParkingLot, WithRoom) {
    for (const std::int64_t m : {50, 2000}) {
        const std::vector<Outcome> all = outcomes(GetParam(), m, std::nullopt);
        expect_closed_form(all, m);
        EXPECT_EQ(all[0].sent, m * packet);
        for (std::size_t i = 1; i < all.size(); ++i) {
            EXPECT_EQ(all[i].sent, 2 * m * packet - (packet + latency));
        }
    }
}

// Buffers of 40 packets, of which two latencies and a packet are credit under way.
TEST_P(FluidParkingLot, WithFullBuffers) {
    constexpr std::int64_t m = 2000;
    constexpr std::int64_t room = 40;
    const std::vector<Outcome> all = outcomes(GetParam(), m, room);
    expect_closed_form(all, m);
    // Held back: what has left its source and not arrived is what fits into the buffers on its
    // route, at the rate of the last link.
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        EXPECT_GE(all[i].sent, all[i].delivered - 2 * (GetParam() - 1) * room * packet) << i;
        EXPECT_GT(all[i].sent, m * packet + (m / 2) * packet) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Flows, FluidParkingLot, testing::Range(2, 9));

// Credits within servers, pauses and a transport between them: alone, a message of m packets takes
// (m - 1) S of the slowest link and S + a of every link, whichever kinds it has. From NPU 0: to 1
// within its server (s + 100 ns each), to 4 on its rail (S + a), to 5 over a relay.
TEST(FluidClosedForms, CreditsWithinServers) {
    topology::NetworkDescription network = topology::make_network(
        {topology::make_dimension(DimensionKind::Switch, 4, Rate(400'000'000'000), Time::ns(100)),
         topology::make_dimension(DimensionKind::Switch, 2, rate, latency)});
    network.packet.flow_control = topology::FlowControl::Pfc;
    network.packet.transport.kind = topology::TransportKind::GoBackN;
    network.scale_up = topology::make_scale_up(
        network, 1, topology::scale_up_parameters(network.packet), "", "scale_up");
    const Time inner = Time::ps(10'400);
    for (const std::int64_t m : {1, 4, 100}) {
        const auto alone = [&](int to) {
            return test::fluid_deliveries({message(0, to, m * mtu)}, network).front();
        };
        const Time within = 2 * (inner + Time::ns(100));
        const Time between = 2 * (packet + latency);
        EXPECT_EQ(alone(1), within + (m - 1) * inner);
        EXPECT_EQ(alone(4), between + (m - 1) * packet);
        EXPECT_EQ(alone(5), within + between + (m - 1) * packet);
    }
}

}  // namespace
}  // namespace npunet::fluid_closed_forms_test
