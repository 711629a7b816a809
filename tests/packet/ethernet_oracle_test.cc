// The network of Ethernet-like switches against one written the plain way.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "naive_ethernet.h"
#include "network_run.h"
#include "random_networks.h"
#include "random_parameters.h"
#include "tests/support/counted_cases.h"
#include "topology/builders/builder.h"
#include "topology/parameters/congestion_control.h"
#include "topology/parameters/congestion_parameters.h"
#include "traffic.h"

namespace npunet::packet_test::ethernet_oracle_test {
namespace {

struct Case {
    topology::NetworkDescription network;
    Plan plan;
};

/// Every draw depends on the seed alone.
Case draw_case(unsigned seed) {
    std::mt19937_64 random(seed);
    Case drawn;
    do {
        drawn.network = random_network(static_cast<unsigned>(random() % network_kinds), random);
    } while (drawn.network.graph.npus() > 24);
    topology::NetworkDescription& network = drawn.network;
    network.multipath = nullptr;
    draw_ethernet(network, random() % 3 != 0, random);
    topology::PacketParameters& packet = network.packet;
    packet.switching = topology::Switching::StoreAndForward;
    // The plain network knows no credits of receivers.
    if (packet.congestion_control.algorithm == topology::CongestionAlgorithm::ReceiverCredit) {
        packet.congestion_control = {};
    }
    if (random() % 8 == 0) {
        take_transport_away(packet);
    }
    if (random() % 2 == 0) {
        packet.classes = random_classes(random);
    }
    if (random() % 2 == 0) {
        packet.ecn.per = Rate(0);
    }
    if (random() % 4 == 0 && packet.transport.kind != topology::TransportKind::None) {
        packet.transport.rto = Time::ns(3000);
        packet.transport.retries = random() % 4 == 0 ? 2 : 0;
    }
    if (packet.congestion_control.algorithm == topology::CongestionAlgorithm::Dcqcn) {
        notify_every(network, static_cast<std::int64_t>(1 + random() % 3));
    }
    if (packet.transport.kind != topology::TransportKind::None && random() % 4 == 0) {
        const bool grows =
            packet.congestion_control.algorithm == topology::CongestionAlgorithm::Hpcc;
        const Bytes largest = packet.mtu + packet.header + Bytes(grows ? 512 : 0);
        packet.shared_buffer.headroom = static_cast<std::int64_t>(1 + random() % 3) * largest;
    }
    const auto npus = static_cast<int>(network.graph.npus());
    const std::int64_t mtu = packet.mtu.value();
    drawn.plan = make_plan(static_cast<Pattern>(random() % 5), npus,
                           mtu * static_cast<std::int64_t>(1 + random() % 12), mtu, random);
    draw_classes(drawn.plan, packet.classes.count, random);
    return drawn;
}

template <class NetworkType>
std::string run(const Case& drawn, std::uint64_t shuffle_seed = 0) {
    return told_by<NetworkType>(drawn.network, drawn.plan, shuffle_seed);
}

// For every case: each message's times of sending, of its first byte and of its delivery, and each
// link's bytes, busy time, longest queue, pauses, marks, drops and packets sent again are those of
// the plain network; so they are when simultaneous events are inserted in random order.
class EthernetOracleOfRandom : public testing::TestWithParam<unsigned> {};

TEST_P(EthernetOracleOfRandom, EqualsThePlainNetwork) {
    const auto cases = static_cast<unsigned>(test::random_cases(40, 400));
    for (unsigned i = 0; i < cases; ++i) {
        const unsigned seed = cases * GetParam() + i;
        const Case drawn = draw_case(seed);
        const std::string expected = run<NaiveEthernet>(drawn);
        ASSERT_EQ(run<packet::EthernetNetwork>(drawn), expected) << "seed " << seed;
        ASSERT_EQ(run<packet::EthernetNetwork>(drawn, seed + 1), expected)
            << "seed " << seed << ", insertions shuffled";
        ASSERT_EQ(run<NaiveEthernet>(drawn, seed + 1), expected)
            << "seed " << seed << ", oracle with insertions shuffled";
    }
    test::count_cases(cases);
}

// Eight senders of 200 to 400 packets share a link and a buffer of 40 packets, which drops much,
// and congestion control closes windows of 83 packets at first, in which few packets ask for an
// answer.
TEST(EthernetOracle, AgreesWhereWindowsCloseAfterLosses) {
    using topology::CongestionAlgorithm;
    Case drawn;
    topology::NetworkDescription& network = drawn.network;
    network =
        topology::make_network({topology::make_dimension(topology::DimensionKind::Switch, 9,
                                                         Rate(100'000'000'000), Time::ns(200))},
                               "star");
    network.packet.mtu = Bytes(936);
    network.packet.flow_control = topology::FlowControl::None;
    network.packet.buffer = Bytes(40'000);
    network.packet.ecn = {Bytes(5000), Bytes(20'000), 1, Rate()};
    for (std::int64_t npu = 1; npu < 9; ++npu) {
        drawn.plan.push_back({NodeId(static_cast<int>(npu)), NodeId(0),
                              Bytes(936 * (175 + 25 * npu)), Time::ns(100 * npu), -1, true});
    }
    std::size_t cases = 0;
    for (const topology::TransportKind kind :
         {topology::TransportKind::GoBackN, topology::TransportKind::SelectiveRepeat}) {
        for (const CongestionAlgorithm algorithm :
             {CongestionAlgorithm::Hpcc, CongestionAlgorithm::Swift, CongestionAlgorithm::Dctcp}) {
            for (const std::int32_t every : {5, 20, 60}) {
                network.packet.transport.kind = kind;
                network.packet.transport.ack_every = every;
                network.packet.congestion_control = topology::standard_choice(algorithm);
                ASSERT_EQ(run<packet::EthernetNetwork>(drawn), run<NaiveEthernet>(drawn))
                    << topology::name_of(kind) << " " << topology::name_of(algorithm) << " "
                    << every;
                ++cases;
            }
        }
    }
    test::count_cases(cases);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EthernetOracleOfRandom, testing::Range(0U, 10U));

}  // namespace
}  // namespace npunet::packet_test::ethernet_oracle_test
