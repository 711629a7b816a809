// The fluid network against closed forms, to the picosecond. S is the time of a packet on a link, a
// the latency of a link, m the packets of a message; all links are equal and packets are stored.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "analytical/fluid/turns.h"
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
// from then on it is busy for n m S. Its inputs take turns, so the i-th message has sent its last
// packet when all have sent m - 1 and i of them their last one.
TEST(FluidClosedForms, EqualFlowsIntoOneLink) {
    for (std::int32_t n = 1; n <= 8; ++n) {
        for (const std::int64_t m : {1, 2, 7, 1000}) {
            Plan plan;
            for (std::int32_t i = 1; i <= n; ++i) {
                plan.push_back(message(i, 0, m * mtu));
            }
            const std::vector<Outcome> outcomes =
                test::run_fluid(plan, line(DimensionKind::Switch, n + 1)).outcomes;
            for (std::int32_t i = 1; i <= n; ++i) {
                EXPECT_EQ(outcomes[static_cast<std::size_t>(i - 1)].delivered,
                          (1 + n * (m - 1) + i) * packet + 2 * latency)
                    << "flow " << i << " of " << n << ", " << m << " packets";
            }
        }
    }
}

// Two NPUs behind a switch send m packets each to a third one, the second one a time d later. The
// first one has begun p = ceil(d / S) packets, at least one, when the second one's first is there;
// then they take turns, the second one first. So its last packet leaves p packets before the work
// of both is done. In one queue the second one's stream is d behind, rather than p packets.
TEST(FluidClosedForms, OneFlowIntoALinkAfterTheOther) {
    for (const auto flow_control : {topology::FlowControl::Credit, topology::FlowControl::None}) {
        for (const std::int64_t m : {9, 400}) {
            for (const std::int64_t percent : {0, 1, 25, 99, 101, 150, 199}) {
                topology::NetworkDescription network = line(DimensionKind::Switch, 3);
                network.packet.flow_control = flow_control;
                const Time behind = Time::ps(percent * packet.ps() / 100);
                const std::int64_t begun = std::max<std::int64_t>((percent + 99) / 100, 1);
                const std::vector<Outcome> outcomes =
                    test::run_fluid({message(1, 0, m * mtu), message(2, 0, m * mtu, behind)},
                                    network)
                        .outcomes;
                const Time begin = packet + 2 * latency;
                const auto differs = [&](Time delivered, std::int64_t packets) {
                    return std::abs((delivered - begin - packets * packet).ps());
                };
                const bool one_queue = flow_control == topology::FlowControl::None;
                const Time early =
                    one_queue && percent > 0 ? behind - (begun - 1) * packet : Time();
                EXPECT_LE(differs(outcomes[0].delivered + early, 2 * m - begun), 1)
                    << m << " packets, " << percent << " %";
                EXPECT_LE(differs(outcomes[1].delivered, 2 * m), 1)
                    << m << " packets, " << percent << " %";
            }
        }
    }
}

// Of the inputs of a link.
TEST(FluidTurns, InOrderOfTheirStreams) {
    using analytical::Turn;
    using analytical::Work;
    const auto turn = [](std::uint32_t key, Work sent, Work served) {
        Turn result;
        result.key = key;
        result.share = 5;
        result.size = 256;
        result.sent = sent;
        result.served = served;
        return result;
    };
    const auto keys = [](const std::vector<Turn>& turns) {
        std::vector<std::uint32_t> result;
        for (const Turn& each : turns) {
            result.push_back(each.key);
        }
        return result;
    };
    // The farther one is first; within a 256th of a packet that which was served less.
    std::vector<Turn> turns{turn(1, 10, 0), turn(2, 200, 600), turn(3, 11, 300), turn(4, 8, 0)};
    EXPECT_FALSE(analytical::order_turns(turns, 0, turns.size()));
    EXPECT_EQ(keys(turns), (std::vector<std::uint32_t>{2, 1, 3, 4}));
    // Nothing but the numbers decides.
    turns = {turn(2, 10, 5), turn(1, 10, 5)};
    EXPECT_TRUE(analytical::order_turns(turns, 0, turns.size()));
    EXPECT_EQ(keys(turns), (std::vector<std::uint32_t>{1, 2}));
    turns[0].major = 1;
    EXPECT_FALSE(analytical::order_turns(turns, 0, turns.size()));
    EXPECT_EQ(keys(turns), (std::vector<std::uint32_t>{2, 1}));
    // Those that a full buffer holds back have none; class by class.
    turns = {turn(1, 0, 0), turn(2, 0, 0), turn(3, 0, 0)};
    turns[1].share = 4;
    turns[2].share = 1;
    turns[2].traffic_class = 1;
    analytical::keep_fair_turns(turns);
    EXPECT_EQ(keys(turns), (std::vector<std::uint32_t>{1, 3}));
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
// What NPU j > 0 sends and what comes to it from before share link j from X = S + a on, when the
// latter's first packet is there. Of NPU j's own message p packets have begun by then, and behind
// them they take turns, so that its last one leaves when the link has served 2 m - p packets. The
// link serves what comes in the order of its arrival. So where A(i, j) is the work of link j up to
// the end of message i, in packets,
//     A(j, j) = 2 m - p,    A(i, j) = A(i, j - 1) + m for 0 < i < j,    A(0, j) = (j + 1) m:
// ahead of the end of message i are A(i, j - 1) that came, and all m of the own message. The last
// link is never idle, so its work is time, and message i is delivered at
//     ((k + 1 - i) m - p) S + a    for i > 0,    k m S + a    for i = 0:
// for 0 < i < k - 1 up to a packet later, as streams know where a packet is only on the link that
// it is on. Full buffers do not change that: they only delay work of the links before, whose A is
// the same.
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
        // Times of the turns on the way are rounded.
        EXPECT_NEAR(static_cast<double>((outcomes[0].delivered - latency).ps()),
                    static_cast<double>((k * m * packet).ps()), 1.0);
        EXPECT_EQ(outcomes.back().delivered, (2 * m - before) * packet + latency);
        for (std::int64_t i = 1; i + 1 < k; ++i) {
            const Time delivered = outcomes[static_cast<std::size_t>(i)].delivered;
            const Time exact = ((k + 1 - i) * m - before) * packet + latency;
            EXPECT_GT(delivered, exact - Time::ps(packet.ps() / 32))
                << "message " << i << " of " << k;
            EXPECT_LT(delivered, exact + packet) << "message " << i << " of " << k;
        }
    }

    /// Packets that have begun when the first of other NPUs are there: 583.2 / 83.2, rounded up.
    static constexpr std::int64_t before = 8;
};

// The first link is never held back: its message has left after m S, that of any other NPU after
// (2 m - p) S.
TEST_P(FluidParkingLot, WithRoom) {
    for (const std::int64_t m : {50, 2000}) {
        const std::vector<Outcome> all = outcomes(GetParam(), m, std::nullopt);
        expect_closed_form(all, m);
        EXPECT_EQ(all[0].sent, m * packet);
        for (std::size_t i = 1; i < all.size(); ++i) {
            EXPECT_EQ(all[i].sent, (2 * m - before) * packet);
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
