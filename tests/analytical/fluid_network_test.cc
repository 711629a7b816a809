// The fluid network against closed forms and properties.

#include "analytical/fluid/fluid_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/analytical/fluid_runs.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/packet/traffic.h"
#include "topology/network/idle_path.h"

namespace npunet::fluid_network_test {
namespace {

using packet_test::Plan;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr Time packet = Time::ps(83'200);  // 4160 bytes

topology::NetworkDescription line(DimensionKind kind, std::int32_t size) {
    return topology::make_network({topology::make_dimension(kind, size, rate, latency)});
}

packet_test::PlannedMessage message(std::int32_t from, std::int32_t to, std::int64_t bytes,
                                    Time start = Time()) {
    return {NodeId(from), NodeId(to), Bytes(bytes), start, -1, true};
}

// A message that shares no link takes what its packets take on an idle network, to the picosecond:
// any sizes, rates that rise and fall along the route, stored and cut through.
TEST(FluidNetwork, AMessageAloneTakesTheIdleTimeOfItsPackets) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        std::mt19937_64 random(seed);
        topology::NetworkDescription description = test::random_network(random);
        description.packet.mtu = Bytes(1 + static_cast<std::int64_t>(random() % 5000));
        description.packet.header = Bytes(static_cast<std::int64_t>(random() % 100));
        if (random() % 3 == 0) {
            description.packet.switching = topology::Switching::CutThrough;
        }
        const auto npus = static_cast<std::int32_t>(description.graph.npus());
        const auto from = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(npus));
        const auto step =
            1 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(npus - 1));
        const std::int32_t to = (from + step) % npus;
        const Bytes bytes(static_cast<std::int64_t>(random() % 100'000));
        const test::NaiveRun result =
            test::run_fluid({message(from, to, bytes.value())}, description);
        EXPECT_EQ(result.outcomes[0].delivered,
                  topology::idle_time(description, NodeId(from), NodeId(to), bytes,
                                      topology::IdlePath::Packets))
            << "seed " << seed;
        EXPECT_EQ(result.outcomes[0].first_byte_left, Time());
    }
}

// Where the next link is faster by less than the header's part of a packet, the header decides when
// a packet can go on, not that its last byte must have come in by the end.
TEST(FluidNetwork, AMessageAloneOverLinksOfNearlyOneRate) {
    for (const std::int64_t faster : {50'100'000'000, 50'400'000'000, 51'000'000'000}) {
        for (const bool rises : {true, false}) {
            const Rate first = rises ? rate : Rate(faster);
            const Rate second = rises ? Rate(faster) : rate;
            topology::NetworkDescription description = topology::make_network(
                {topology::make_dimension(DimensionKind::Mesh1D, 3, first, latency),
                 topology::make_dimension(DimensionKind::Mesh1D, 3, second, latency)});
            description.packet.switching = topology::Switching::CutThrough;
            for (const std::int64_t bytes : {100, 4096, 5000, 40'960}) {
                EXPECT_EQ(
                    test::run_fluid({message(0, 8, bytes)}, description).outcomes[0].delivered,
                    topology::idle_time(description, NodeId(0), NodeId(8), Bytes(bytes),
                                        topology::IdlePath::Packets))
                    << bytes << " bytes, " << faster;
            }
        }
    }
}

// From links a thousand million times as fast as the next one: shares stay numbers.
TEST(FluidNetwork, RatesMayBeFarApart) {
    const topology::NetworkDescription description = topology::make_network(
        {topology::make_dimension(DimensionKind::Switch, 8, Rate(1'000'000'000'000'000), latency),
         topology::make_dimension(DimensionKind::Switch, 2, Rate(1'000'000), latency)});
    Plan plan;
    for (std::int32_t from = 0; from < 7; ++from) {
        plan.push_back(message(from, 15, 40'960));
    }
    // The link from NPU 7 to the slow switch carries all of them, full packet by full packet.
    const Time slow = transfer_time(Bytes(4160), Rate(1'000'000));
    const Time fast = transfer_time(Bytes(4160), Rate(1'000'000'000'000'000));
    const test::NaiveRun result = test::run_fluid(plan, description);
    EXPECT_EQ(test::last_delivery(result), 2 * (fast + latency) + 71 * slow + 2 * latency);
    const test::NaiveRun alone = test::run_fluid({plan[0]}, description);
    EXPECT_EQ(alone.outcomes[0].delivered, 2 * (fast + latency) + 11 * slow + 2 * latency);
}

// m messages of n packets each that leave one NPU by one link: packets take turns, so that message
// i (from 0) is sent after (n - 1) m + i + 1 packets, and delivered a latency, another packet and
// another latency later behind a switch.
TEST(FluidNetwork, MessagesOfASourceTakeTurns) {
    constexpr std::int32_t count = 7;
    for (const std::int64_t packets : {1, 2, 100}) {
        Plan plan;
        for (std::int32_t i = 0; i < count; ++i) {
            plan.push_back(message(0, i + 1, packets * 4096));
        }
        const test::NaiveRun result = test::run_fluid(plan, line(DimensionKind::Switch, count + 1));
        for (std::int32_t i = 0; i < count; ++i) {
            const Time sent = ((packets - 1) * count + i + 1) * packet;
            const packet_test::Outcome& outcome = result.outcomes[static_cast<std::size_t>(i)];
            EXPECT_EQ(outcome.first_byte_left, i * packet);
            EXPECT_EQ(outcome.sent, sent);
            EXPECT_EQ(outcome.delivered, sent + packet + 2 * latency);
        }
    }
}

// Who joins while others are being sent is served in the round that it joins.
TEST(FluidNetwork, AMessageThatJoinsIsServedBeforeTheNextRound) {
    const Plan plan{message(0, 1, 2 * 4096), message(0, 2, 2 * 4096, packet)};
    const test::NaiveRun result = test::run_fluid(plan, line(DimensionKind::Switch, 3));
    EXPECT_EQ(result.outcomes[0].sent, 3 * packet);
    EXPECT_EQ(result.outcomes[1].first_byte_left, packet);
    EXPECT_EQ(result.outcomes[1].sent, 4 * packet);
}

// n messages of k packets to one NPU behind a switch: its port is busy from when the first packets
// are there to the end.
TEST(FluidNetwork, MessagesToOneNpuShareItsPort) {
    for (std::int32_t senders = 2; senders <= 8; ++senders) {
        for (const std::int64_t packets : {1, 3, 200}) {
            Plan plan;
            for (std::int32_t i = 1; i <= senders; ++i) {
                plan.push_back(message(i, 0, packets * 4096));
            }
            const test::NaiveRun result =
                test::run_fluid(plan, line(DimensionKind::Switch, senders + 1));
            EXPECT_EQ(test::last_delivery(result), (1 + senders * packets) * packet + 2 * latency)
                << senders << " senders, " << packets << " packets";
        }
    }
}

// m messages of one packet come by a link of eight times the rate, S' = S / 8 a packet, to one of
// which the node's own message takes a turn as well: it is busy from when the first one is there.
// As a stream a packet would go on coming while it is sent.
TEST(FluidNetwork, PacketsThatComeFasterThanTheyLeaveQueueAsAWhole) {
    const topology::NetworkDescription description = topology::make_network(
        {topology::make_dimension(DimensionKind::FullyConnected, 4, Rate(400'000'000'000), latency),
         topology::make_dimension(DimensionKind::FullyConnected, 2, rate, latency)});
    const Time first = Time::ps(packet.ps() / 8) + latency;
    for (std::int32_t messages = 1; messages <= 9; ++messages) {
        Plan plan{message(1, 5, 4096, first)};
        for (std::int32_t i = 0; i < messages; ++i) {
            plan.push_back(message(0, 5, 4096));
        }
        const test::NaiveRun result = test::run_fluid(plan, description);
        EXPECT_EQ(test::last_delivery(result), first + (messages + 1) * packet + latency)
            << messages << " messages";
    }
}

// Every message arrives, and every link carries what crosses it; the order in which events are
// inserted decides nothing.
TEST(FluidNetwork, CarriesWhatIsSentInAnyOrderOfInsertion) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        std::mt19937_64 random(seed);
        topology::NetworkDescription description = test::random_network(random);
        if (random() % 2 == 0) {
            description.packet.buffer = Bytes(4160 * (1 + static_cast<std::int64_t>(random() % 8)));
        }
        const Plan plan = packet_test::make_plan(
            test::open_patterns[seed % 4], static_cast<std::int32_t>(description.graph.npus()),
            40'000, description.packet.mtu.value(), random);
        const test::NaiveRun result = test::run_fluid(plan, description);
        std::vector<Bytes> expected(description.graph.links());
        for (const packet_test::PlannedMessage& each : plan) {
            for (const topology::Hop& hop : description.route(each.source, each.destination)) {
                expected[hop.link.index()] += each.bytes;
            }
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(result.links[i].payload, expected[i]) << "seed " << seed << ", link " << i;
        }
        const test::NaiveRun shuffled = test::run_fluid(plan, description, seed);
        for (std::size_t i = 0; i < plan.size(); ++i) {
            EXPECT_EQ(result.outcomes[i].delivered, shuffled.outcomes[i].delivered)
                << "seed " << seed << ", message " << i;
        }
    }
}

}  // namespace
}  // namespace npunet::fluid_network_test
