#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "fast_forward_run.h"
#include "network_run.h"
#include "random_networks.h"
#include "random_parameters.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "topology/builders/builder.h"
#include "topology/parameters/congestion_control.h"
#include "topology/parameters/congestion_parameters.h"
#include "traffic.h"

namespace npunet::packet_test::ethernet_trains_test {
namespace {

using topology::CongestionAlgorithm;
using topology::TransportKind;

struct Case {
    topology::NetworkDescription network;
    Plan plan;
    std::vector<Time> looks;
};

/// What separates the time of the last event from the rest.
constexpr const char* at = " at ";

/// With the time of the last event, which is that of a timer.
Told run(const Case& drawn, bool trains, std::uint64_t shuffle_seed = 0) {
    engine::EventQueue queue;
    packet::EthernetNetwork machine(drawn.network, shuffled(queue, shuffle_seed));
    machine.set_fast_forward(trains);
    Told told = run_and_look(drawn.plan, drawn.looks, queue, machine);
    told.transcript += at + std::to_string(queue.now().ps());
    return told;
}

/// Observes a network from some time on.
class LateObserver final : public packet::PacketObserver, private engine::EventHandler {
public:
    LateObserver(engine::EventQueue& queue, packet::EthernetNetwork& network, Time from)
        : network_(network) {
        queue.schedule(from, engine::EventKey::of(engine::Phase::Issue, 15, 99), *this);
    }

    void packet_started(LinkId, const packet::ObservedPacket&, Time, Bytes) override { ++packets_; }
    void packet_queued(LinkId, Bytes, Time) override {}
    void credit_stalled(LinkId, Time, Time) override {}

    [[nodiscard]] std::uint64_t packets() const { return packets_; }

private:
    void handle(std::uint64_t) override { network_.set_observer(this); }

    packet::EthernetNetwork& network_;
    std::uint64_t packets_ = 0;
};

/// Every link and port has events of its own from this time on. Without it, and fast-forward, nodes
/// advance in lookahead windows. Without the time of the last event, which may be the observer's.
std::string run_observed(const Case& drawn, Time from) {
    engine::EventQueue queue;
    packet::EthernetNetwork machine(drawn.network, queue);
    machine.set_fast_forward(from.ps() % 2 == 0);
    const LateObserver observer(queue, machine, from);
    return run_and_look(drawn.plan, drawn.looks, queue, machine).transcript;
}

Plan long_messages(int npus, std::int64_t mtu, std::mt19937_64& random) {
    test::DrawFrom draw(random);
    LongMessages messages;
    messages.count = 1 + draw.below(draw.any_of({2, 6, 2 * npus}));
    messages.longest = draw.any_of({100, 400, 2000});
    messages.spread = draw.any_of({1, 1'000'000, 60'000'000});
    messages.least = 64;
    messages.brief_one_in = 5;
    messages.following_one_in = 4;
    const bool incast = draw.one_in(3);
    const std::int64_t target = draw.below(npus);
    Plan plan;
    for (std::int64_t i = 0; i < messages.count; ++i) {
        const std::int64_t to = incast ? target : draw.below(npus);
        const std::int64_t from = (to + 1 + draw.below(npus - 1)) % npus;
        messages.add_to(plan, {static_cast<int>(from), static_cast<int>(to)}, mtu, random);
    }
    return plan;
}

/// Every draw depends on the seed alone.
Case draw_case(unsigned seed) {
    std::mt19937_64 random(seed);
    Case drawn;
    topology::NetworkDescription& network = drawn.network;
    do {
        network = random_network(static_cast<unsigned>(random() % network_kinds), random);
    } while (network.graph.npus() > 12);
    network.multipath = nullptr;
    draw_ethernet(network, random() % 2 == 0, random);
    topology::PacketParameters& packet = network.packet;
    packet.error_rate = 0;
    packet.switching =
        random() % 3 == 0 ? topology::Switching::CutThrough : topology::Switching::StoreAndForward;
    if (packet.congestion_control.algorithm == CongestionAlgorithm::ReceiverCredit) {
        packet.congestion_control = {};
    }
    // Senders whose packets drop each other out of one small buffer in step never get through.
    packet.transport.retries = 20;
    if (random() % 4 == 0) {
        take_transport_away(packet);
        packet.shared_buffer.headroom = Bytes(0);
    }
    if (random() % 3 == 0) {
        packet.congestion_control = {};
    }
    if (random() % 3 == 0) {
        packet.classes = random_classes(random);
    }
    if (packet.congestion_control.algorithm == CongestionAlgorithm::Dctcp && random() % 2 == 0) {
        packet.congestion_control.values[topology::DctcpParameter::initial_alpha] = 0;
        packet.congestion_control.values[topology::DctcpParameter::max_window] = 100'000;
    }
    drawn.plan = long_messages(static_cast<int>(network.graph.npus()), packet.mtu.value(), random);
    draw_classes(drawn.plan, packet.classes.count, random);
    drawn.looks = draw_looks(3, random);
    return drawn;
}

/// Few NPUs whose packets take 10 ns, answers 1 ns and links 5 ns or a multiple: much happens at
/// the same time, and others look and send then, too. Buffers of a few packets, marks by chance.
Case draw_round_case(unsigned seed) {
    std::mt19937_64 random(seed);
    test::DrawFrom draw(random);
    const auto one_of = [&draw](std::initializer_list<std::int64_t> values) {
        return draw.any_of(values);
    };
    Case drawn;
    const Rate rate(100'000'000'000);
    const Time latency = Time::ns(one_of({5, 5, 20, 100}));
    const auto npus = static_cast<int>(2 + random() % 4);
    std::vector<topology::Dimension> dimensions{topology::make_dimension(
        random() % 3 == 0 ? topology::DimensionKind::Mesh1D : topology::DimensionKind::Switch, npus,
        rate, latency)};
    if (random() % 4 == 0) {
        dimensions.push_back(
            topology::make_dimension(topology::DimensionKind::Mesh1D, 2, rate, latency));
    }
    drawn.network = topology::make_network(dimensions, "round");
    topology::NetworkDescription& network = drawn.network;
    draw_ethernet(network, random() % 4 != 0, random);
    topology::PacketParameters& packet = network.packet;
    packet.mtu = Bytes(900);
    packet.header = Bytes(100);
    packet.error_rate = 0;
    packet.shared_buffer.alpha = static_cast<double>(one_of({1, 1, 8}));
    packet.buffer = Bytes(1000 * one_of({0, 8, 20, 60}));
    packet.transport.window = Bytes(1000 * one_of({0, 3, 12, 30}));
    packet.transport.rto = Time::ns(one_of({2000, 20'000, 100'000}));
    packet.transport.retries = 20;
    packet.ecn.kmin = Bytes(1000 * one_of({1, 2, 5, 20}));
    packet.ecn.kmax = packet.ecn.kmin + Bytes(1000 * one_of({0, 4, 100}));
    packet.ecn.pmax = static_cast<double>(one_of({1, 100, 1000})) / 1000;
    packet.congestion_control = topology::standard_choice(draw.any_of(
        {CongestionAlgorithm::None, CongestionAlgorithm::None, CongestionAlgorithm::Dcqcn,
         CongestionAlgorithm::Dctcp, CongestionAlgorithm::Timely, CongestionAlgorithm::Swift}));
    if (packet.congestion_control.algorithm == CongestionAlgorithm::Dcqcn) {
        packet.congestion_control.values[topology::DcqcnParameter::cnp_interval] =
            static_cast<double>(one_of({10'000, 30'000, 50'000'000}));
    }
    if (random() % 5 == 0) {
        take_transport_away(packet);
    }
    if (random() % 4 == 0) {
        packet.classes = random_classes(random);
    }
    drawn.plan = long_messages(static_cast<int>(network.graph.npus()), 900, random);
    for (PlannedMessage& each : drawn.plan) {
        each.start = Time::ns(each.start.ps() / 10'000 % 4000 * 10);
    }
    draw_classes(drawn.plan, packet.classes.count, random);
    for (std::uint64_t i = random() % 6; i > 0; --i) {
        drawn.looks.push_back(Time::ns(one_of({1, 5, 10}) * static_cast<int>(random() % 3000)));
    }
    return drawn;
}

/// Cases in which trains have spared a fifth of the events or more.
unsigned compare(unsigned first_seed, unsigned count) {
    unsigned spared = 0;
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
        const Case drawn = seed % 2 == 0 ? draw_case(seed) : draw_round_case(seed);
        const Told expected = run(drawn, false);
        const Told found = run(drawn, true);
        EXPECT_EQ(found.transcript, expected.transcript) << "seed " << seed;
        EXPECT_EQ(run(drawn, true, seed + 1).transcript, expected.transcript)
            << "seed " << seed << ", insertions shuffled";
        const Time from = seed % 3 == 0 ? Time() : Time::ps(17 * seed % 100'000 * 1000 + seed);
        EXPECT_EQ(run_observed(drawn, from),
                  expected.transcript.substr(0, expected.transcript.rfind(at)))
            << "seed " << seed << ", observed from " << from.ps() << " ps on";
        if (testing::Test::HasFailure()) {
            break;
        }
        spared += found.events < expected.events * 4 / 5 ? 1 : 0;
    }
    return spared;
}

class EthernetTrainsOfRandom : public testing::TestWithParam<unsigned> {};

// For every configuration: each message's times of sending, of its first byte and of its delivery,
// each link's and each flow's figures, at the end and at some times before, and the time of the
// last event are those of the run without packet trains.
TEST_P(EthernetTrainsOfRandom, EqualsPacketByPacket) {
    const auto cases = static_cast<unsigned>(test::random_cases(150, 1500));
    const unsigned spared = compare(cases * GetParam(), cases);
    RecordProperty("spared", static_cast<int>(spared));
    EXPECT_GE(spared, cases / 5);
}

double events_per_packet_hop(const topology::NetworkDescription& network, const Plan& plan,
                             const std::vector<Time>& looks = {}) {
    const Case drawn{network, plan, looks};
    return events_per_packet_hop(run(drawn, false), run(drawn, true));
}

topology::NetworkDescription star(int npus, TransportKind kind,
                                  CongestionAlgorithm algorithm = CongestionAlgorithm::None) {
    topology::NetworkDescription network =
        topology::make_network({topology::make_dimension(topology::DimensionKind::Switch, npus,
                                                         Rate(50'000'000'000), Time::ns(500))},
                               "star");
    network.packet.flow_control = topology::FlowControl::Pfc;
    network.packet.transport.kind = kind;
    network.packet.congestion_control = topology::standard_choice(algorithm);
    return network;
}

// 64 MiB alone are 16 384 packets over two links, with answers 65 536 packet-hops, and take 1.4 ms:
// two timeouts of 500 us. Without marks nothing but averages changes in a sender; Swift's window
// grows all the time, and HPCC has measurements.
TEST(EthernetTrains, AMessageAloneTakesFewEvents) {
    for (const CongestionAlgorithm algorithm :
         {CongestionAlgorithm::None, CongestionAlgorithm::Dcqcn, CongestionAlgorithm::Dctcp,
          CongestionAlgorithm::Timely}) {
        for (const TransportKind kind : {TransportKind::GoBackN, TransportKind::SelectiveRepeat}) {
            EXPECT_LT(events_per_packet_hop(star(2, kind, algorithm), {message(0, 1, 64 << 20)}),
                      0.08)
                << topology::name_of(algorithm);
        }
    }
    EXPECT_LT(events_per_packet_hop(star(2, TransportKind::None), {message(0, 1, 64 << 20)}), 0.03);
}

// Seven senders, one receiver: windows of 49 packets each wait in the switch, and each sender's
// packet is followed by six of others.
TEST(EthernetTrains, AnIncastTakesFewEvents) {
    Plan plan;
    for (int npu = 1; npu < 8; ++npu) {
        plan.push_back(message(npu, 0, 16 << 20));
    }
    EXPECT_LT(events_per_packet_hop(star(8, TransportKind::GoBackN), plan), 0.1);
}

// Two senders without windows, which the switch pauses again and again; and two with windows of 20
// packets where it has room for 7: packets are lost, and sent again from the lost one on.
TEST(EthernetTrains, PausesAndLossesRepeatThemselves) {
    topology::NetworkDescription network = star(3, TransportKind::None);
    network.packet.buffer = Bytes(100'000);
    const Plan plan{message(1, 0, 32 << 20), message(2, 0, 32 << 20)};
    EXPECT_LT(events_per_packet_hop(network, plan), 0.2);
    EXPECT_GT(EthernetRun(network, plan).sum().pauses, 500U);

    network = star(3, TransportKind::GoBackN);
    network.packet.flow_control = topology::FlowControl::None;
    network.packet.buffer = Bytes(30'000);
    network.packet.transport.window = Bytes(20 * 4160);
    EXPECT_LT(events_per_packet_hop(network, plan), 0.2);
    EXPECT_GT(EthernetRun(network, plan).sum().drops, 3000U);
}

// An observer looks every 10 us, that is every 120 packets, of which two or three dozen find the
// pattern again.
TEST(EthernetTrains, AnObserverSeesTheSame) {
    std::vector<Time> looks;
    for (int i = 1; i < 130; ++i) {
        looks.push_back(Time::ps(10'000'037LL * i));
    }
    EXPECT_LT(
        events_per_packet_hop(star(2, TransportKind::GoBackN), {message(0, 1, 64 << 20)}, looks),
        2.0);
}

// Packets take 10 ns and links 5 ns. Every 1001 ns, so at every nanosecond of a pattern, an
// observer looks, in turns before all and behind all that arrives, and a message of one packet
// starts behind it, by a port where another queue pair waits for answers: pauses that arrive then
// count, or do not yet, and queue pairs line up in the order of what opens them.
TEST(EthernetTrains, WhatComesFromOutsideFindsItsPlaceInTheInstant) {
    for (const TransportKind kind : {TransportKind::None, TransportKind::GoBackN}) {
        Case drawn;
        drawn.network =
            topology::make_network({topology::make_dimension(topology::DimensionKind::Switch, 4,
                                                             Rate(100'000'000'000), Time::ns(5))},
                                   "round");
        topology::PacketParameters& packet = drawn.network.packet;
        packet.flow_control = topology::FlowControl::Pfc;
        packet.transport.kind = kind;
        packet.mtu = Bytes(900);
        packet.header = Bytes(100);
        packet.buffer = Bytes(20'000);
        packet.transport.window = Bytes(kind == TransportKind::None ? 0 : 3000);
        drawn.plan = {message(1, 0, 40'000 * 900), message(2, 0, 40'000 * 900)};
        for (std::int64_t i = 0; i < 300; ++i) {
            drawn.looks.push_back(Time::ps(40'000'000 + 1'001'000 * i));
            if (kind != TransportKind::None) {
                drawn.plan.push_back(message(1, 3, 900, Time::ps(440'000'000 + 1'001'000 * i)));
            }
        }
        const Told expected = run(drawn, false);
        const Told found = run(drawn, true);
        EXPECT_EQ(found.transcript, expected.transcript);
        EXPECT_LT(found.events, expected.events * 4 / 5);
    }
}

// Queues of two windows of 48 packets lie between kmin and kmax: of some thousand packets one is
// marked by chance.
TEST(EthernetTrains, ChanceIsNoPattern) {
    topology::NetworkDescription network =
        star(3, TransportKind::GoBackN, CongestionAlgorithm::Dcqcn);
    network.packet.transport.window = Bytes(48 * 4160);
    network.packet.ecn = {Bytes(2 * 4160), Bytes(400 * 4160), 0.002, Rate()};
    const Plan plan{message(1, 0, 64 << 20), message(2, 0, 64 << 20)};
    events_per_packet_hop(network, plan);
    EXPECT_GT(EthernetRun(network, plan).sum().marked, 1U);
}

// Alone for 300 us, DCTCP's alpha decays; then another one comes, and marks cut the window by half
// of it.
TEST(EthernetTrains, AveragesDecayMeanwhile) {
    topology::NetworkDescription network =
        star(3, TransportKind::GoBackN, CongestionAlgorithm::Dctcp);
    network.packet.ecn = {Bytes(4 * 4160), Bytes(8 * 4160), 1, Rate()};
    EXPECT_LT(events_per_packet_hop(
                  network, {message(1, 0, 32 << 20), message(2, 0, 2 << 20, Time::ns(300'011))}),
              2.0);
}

// 64 KiB are 16 packets: nothing to gain, and next to nothing to lose.
TEST(EthernetTrains, ShortMessagesAreLeftAlone) {
    Plan plan;
    for (int i = 0; i < 200; ++i) {
        plan.push_back(message(i % 4, (i + 1) % 4, 64 << 10, Time::ns(i)));
    }
    const Case drawn{star(4, TransportKind::GoBackN), plan, {}};
    EXPECT_LE(run(drawn, true).events, run(drawn, false).events * 21 / 20);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EthernetTrainsOfRandom, testing::Range(0U, 6U));

}  // namespace
}  // namespace npunet::packet_test::ethernet_trains_test
