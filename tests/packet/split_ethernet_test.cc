// A network of Ethernet-like switches that is split is the network: every part with switches, queue
// pairs and events of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "network_run.h"
#include "random_parameters.h"
#include "split_network.h"
#include "tests/support/random_faults.h"
#include "topology/builders/builder.h"
#include "topology/parameters/congestion_control.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::packet_test::split_ethernet_test {
namespace {

using packet::PacketKind;
using packet::QueuePair;
using packet::QueuePairUse;
using topology::CongestionAlgorithm;
using topology::FlowControl;
using topology::NetworkDescription;
using topology::TransportKind;

constexpr std::array packet_kinds{
    PacketKind::Data,    PacketKind::Acknowledgement, PacketKind::GoBack,
    PacketKind::Trimmed, PacketKind::Notification,    PacketKind::Request,
    PacketKind::Grant,   PacketKind::Pause,           PacketKind::Resume};

/// What a queue pair has done, as text.
std::string described(const QueuePairUse& use) {
    std::string text;
    for (const std::int64_t figure :
         {use.started, use.ended, use.delivered, use.messages, use.packets, use.repeated,
          use.timeouts, use.marked, use.notified}) {
        text += ' ' + std::to_string(figure);
    }
    return text;
}

using PairUses = std::map<std::uint64_t, QueuePairUse>;

void join(PairUses& uses, const packet::PacketNetwork& machine) {
    for (const QueuePair& pair : dynamic_cast<const packet::EthernetNetwork&>(machine).pairs()) {
        uses[pair.key].join(pair.use);
    }
}

std::string described(const PairUses& uses) {
    std::string text;
    for (const auto& [key, use] : uses) {
        text += "pair " + std::to_string(key) + described(use) + '\n';
    }
    return text;
}

/// How much the runs of a comparison have put to the test.
struct Coverage {
    std::map<PacketKind, std::uint64_t> crossings;
    std::map<CongestionAlgorithm, int> algorithms;
    int runs = 0;
    int several_ways = 0;
    int reroutes = 0;
    int classes = 0;
    int cut_through = 0;
    int no_transport = 0;
    int stalled = 0;
};

void draw_parameters(NetworkDescription& network, std::mt19937_64& random) {
    topology::PacketParameters& packet = network.packet;
    draw_ethernet(network, random() % 3 != 0, random);
    if (packet.error_rate == 0 && random() % 2 == 0) {
        packet.switching = topology::Switching::CutThrough;
    }
    packet.ecn.per = Rate(0);
    switch (random() % 8) {
        case 0:
            take_transport_away(packet);
            break;
        case 1:
            packet.congestion_control = topology::standard_choice(CongestionAlgorithm::Dcqcn);
            packet.ecn.kmin = Bytes();
            break;
        case 2:
            packet.flow_control = FlowControl::None;
            packet.transport.kind = TransportKind::SelectiveRepeat;
            packet.congestion_control =
                topology::standard_choice(CongestionAlgorithm::ReceiverCredit);
            packet.congestion_control.values.back() = 1;
            packet.buffer = Bytes(8 * (packet.mtu + packet.header).value());
            packet.shared_buffer.alpha = 1;
            break;
        default:
            break;
    }
    if (packet.congestion_control.algorithm == CongestionAlgorithm::Dcqcn) {
        notify_every(network, 1);
    }
    // Where packets overtake each other on several ways, go-back-n may repeat for ever.
    if (network.multipath && packet.switching == topology::Switching::CutThrough &&
        packet.transport.kind == TransportKind::GoBackN) {
        packet.transport.kind = TransportKind::SelectiveRepeat;
    }
    if (random() % 4 == 0 && packet.transport.kind != TransportKind::None) {
        packet.transport.rto = Time::ns(2500);
    }
    packet.queue_histogram = random() % 2 == 0;
    if (random() % 2 == 0) {
        packet.classes = random_classes(random);
    }
}

/// Routes that need layers of virtual channels, of which there is one here, may deadlock with
/// pauses. A part does not see a cycle of links of several parts, and goes on for ever.
void avoid_deadlocks(NetworkDescription& network) {
    topology::PacketParameters& packet = network.packet;
    if (network.multipath && network.name == "Custom" && network.virtual_channels_needed() > 1 &&
        packet.transport.kind != TransportKind::None) {
        packet.flow_control = FlowControl::None;
    }
}

/// Some links go down, some of them when all messages are done, and copies are left.
void draw_outages(NetworkDescription& network, const Plan& plan, std::mt19937_64& random) {
    const Time finish = std::max(Time::ns(1000), EthernetRun(network, plan).finish());
    network.faults.links = test::random_outages(network.graph, 1 + static_cast<int>(random() % 6),
                                                finish + Time::ps(finish.ps() / 2), random);
}

/// Traffic for a network of draw_parameters(), and its outages.
Plan draw_plan(NetworkDescription& network, std::mt19937_64& random) {
    const topology::PacketParameters& packet = network.packet;
    Plan plan =
        make_plan(static_cast<Pattern>(random() % 5), static_cast<int>(network.graph.npus()),
                  packet.mtu.value() * static_cast<std::int64_t>(1 + random() % 12),
                  packet.mtu.value(), random);
    draw_classes(plan, packet.classes.count, random);
    // Without a transport, nothing sends again what links lose that go down.
    if (packet.transport.kind != TransportKind::None && random() % 2 == 0) {
        draw_outages(network, plan, random);
    }
    return plan;
}

/// One network with one routing, split at random.
void compare(const test::OfferedRouting& offer, unsigned seed, Coverage& coverage) {
    std::mt19937_64 random(seed);
    NetworkDescription network = test::random_network(offer, random);
    draw_parameters(network, random);
    avoid_deadlocks(network);
    const topology::PacketParameters& packet = network.packet;
    const Plan plan = draw_plan(network, random);
    const EthernetRun whole(network, plan);
    ASSERT_EQ(whole.deadlock, "");
    const bool stalled = is_stalled(whole.outcomes());
    PairUses of_whole;
    join(of_whole, whole.machine);
    const std::string expected = whole.transcript_with_stalls(described(of_whole));
    for (int round = 0; round < 2; ++round) {
        SplitNetwork split(network, random_parts(network.graph, 4, random), random());
        if (stalled) {
            split.let_stall();
        }
        std::vector<Outcome> outcomes(plan.size());
        run_plan(split, plan, outcomes);
        PairUses pairs;
        for (std::uint32_t part = 0; part < split.parts(); ++part) {
            join(pairs, split.machine(part));
        }
        ASSERT_EQ(transcript_with_stalls(outcomes, split.link_use(), split.packet_hops(),
                                         described(pairs)),
                  expected);
        for (const PacketKind kind : packet_kinds) {
            coverage.crossings[kind] += split.crossings(static_cast<std::uint8_t>(kind));
        }
    }
    ++coverage.algorithms[packet.congestion_control.algorithm];
    ++coverage.runs;
    coverage.several_ways += network.multipath ? 1 : 0;
    coverage.reroutes += network.faults.take_links_down() ? 1 : 0;
    coverage.classes += packet.classes.count > 1 ? 1 : 0;
    coverage.cut_through += packet.switching == topology::Switching::CutThrough ? 1 : 0;
    coverage.no_transport += packet.transport.kind == TransportKind::None ? 1 : 0;
    coverage.stalled += stalled ? 1 : 0;
}

// Networks of every kind with every routing, pauses and drops, every transport and congestion
// control, both switchings, traffic classes, errors, outages for a time and for good; split node by
// node at random into up to four parts, so that packets come back to parts they have left: each
// message's times, each link's figures and each queue pair's, those of its two ends together, are
// those of the whole.
class SplitEthernetRuns : public testing::TestWithParam<unsigned> {};

TEST_P(SplitEthernetRuns, EqualsTheWhole) {
    Coverage coverage;
    unsigned first = 10'000 * GetParam();
    for (const test::OfferedRouting& offer : test::offered_routings) {
        first += 100;
        for (unsigned seed = first; seed < first + 10; ++seed) {
            SCOPED_TRACE("kind " + std::to_string(offer.kind) + ", " + offer.routing + ", seed " +
                         std::to_string(seed));
            compare(offer, seed, coverage);
            if (testing::Test::HasFatalFailure()) {
                return;
            }
        }
    }
    for (const PacketKind kind : packet_kinds) {
        EXPECT_GT(coverage.crossings[kind], 20U) << static_cast<int>(kind);
    }
    EXPECT_EQ(coverage.algorithms.size(), 7U);
    EXPECT_GT(coverage.several_ways, coverage.runs / 4);
    EXPECT_GT(coverage.reroutes, coverage.runs / 4);
    EXPECT_GT(coverage.classes, coverage.runs / 4);
    EXPECT_GT(coverage.cut_through, coverage.runs / 8);
    EXPECT_GT(coverage.no_transport, coverage.runs / 20);
    EXPECT_LT(coverage.stalled, coverage.runs / 4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SplitEthernetRuns, testing::Range(0U, 4U));

// A link has gone down for good, so that its reverse, which could get no RESUME any more, ignores
// pauses: it carries packets into a node whose buffer is part of a deadlock, where they are lost
// for want of headroom, and are sent again after every timeout. That would never end.
TEST(EthernetDeadlock, PacketsAreNotRepeatedForEver) {
    std::mt19937_64 random(1701);
    NetworkDescription network = test::random_network({4, "spray"}, random);
    draw_parameters(network, random);
    const Plan plan = draw_plan(network, random);
    EXPECT_EQ(network.packet.flow_control, FlowControl::Pfc);
    EXPECT_EQ(network.packet.transport.retries, 0) << "unlimited";
    const EthernetRun run(network, plan);
    EXPECT_THAT(
        run.deadlock,
        testing::AllOf(
            testing::HasSubstr("n2 had made no progress in sending to n9 (class 0) for 7 timeouts "
                               "in a row; deadlock: these links are paused (class 0), each by a "
                               "buffer that is full of packets for the next one: n"),
            testing::HasSubstr(" -> "), testing::HasSubstr("use a routing without such a cycle")));
}

// Observers of the parts are told together what an observer of the whole is told, of every packet
// in the part that has the node.
TEST(SplitEthernet, ObserversAreToldTheSame) {
    std::mt19937_64 random(7);
    std::size_t notes_compared = 0;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (int round = 0; round < 4; ++round) {
            NetworkDescription network = test::random_network(offer, random);
            draw_parameters(network, random);
            avoid_deadlocks(network);
            const std::int64_t full = network.packet.mtu.value();
            const Plan plan =
                make_plan(static_cast<Pattern>(round), static_cast<int>(network.graph.npus()),
                          6 * full, full, random);
            if (network.packet.transport.kind != TransportKind::None && round % 2 == 1) {
                network.faults.links =
                    test::random_outages(network.graph, 3, Time::ns(30'000), random);
            }
            SCOPED_TRACE(std::to_string(offer.kind) + ", " + offer.routing + ", " +
                         std::to_string(round));
            notes_compared += compare_observers(network, plan, random);
            if (testing::Test::HasFailure()) {
                return;
            }
        }
    }
    EXPECT_GT(notes_compared, 100'000U);
}

}  // namespace
}  // namespace npunet::packet_test::split_ethernet_test
