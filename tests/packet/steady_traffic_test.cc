#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fast_forward_run.h"
#include "network_run.h"
#include "random_parameters.h"
#include "test_networks.h"
#include "tests/support/draw.h"
#include "traffic.h"

namespace npunet::packet_test::steady_traffic_test {
namespace {

struct Configuration {
    std::string name;
    std::vector<Shape> shapes;
    topology::PacketParameters packet;
    bool mixed = false;
    Plan plan;
};

const std::vector<std::vector<Shape>> shapes_to_try{
    {mesh(4), mesh(4)}, {ring(4), ring(4)}, {ring(6)},          {mesh(5)},          {star(6)},
    {full(4), star(2)}, {ring(3), star(3)}, {mesh(3), mesh(2)}, {ring(5), mesh(2)}, {mesh(2)}};

Plan long_messages(int npus, std::int64_t mtu, std::mt19937_64& random) {
    test::DrawFrom draw(random);
    LongMessages messages;
    messages.count = 1 + draw.below(3 * npus);
    messages.longest = draw.any_of({60, 300, 1500});
    messages.spread = draw.any_of({1, 1'000'000, 60'000'000});
    messages.least = 32;
    messages.brief_one_in = 4;
    messages.following_one_in = 3;
    Plan plan;
    for (std::int64_t i = 0; i < messages.count; ++i) {
        const std::int64_t from = draw.below(npus);
        const std::int64_t to = (from + 1 + draw.below(npus - 1)) % npus;
        messages.add_to(plan, {static_cast<int>(from), static_cast<int>(to)}, mtu, random);
    }
    return plan;
}

Configuration configuration(unsigned seed) {
    std::mt19937_64 random(seed);
    test::DrawFrom draw(random);
    Configuration result;
    result.name = "seed " + std::to_string(seed);
    result.shapes = shapes_to_try[random() % shapes_to_try.size()];
    result.packet.mtu = Bytes(draw.any_of({4096, 256, 1000}));
    result.packet.header = Bytes(draw.any_of({64, 0, 16}));
    const Bytes packet = result.packet.mtu + result.packet.header;
    switch (random() % 4) {
        case 0:
            result.packet.buffer = packet + Bytes(draw.below(3000));
            break;
        case 1:
            result.packet.buffer = (2 + draw.below(20)) * packet;
            break;
        default:
            break;
    }
    result.packet.virtual_channels = 2;
    result.mixed = draw.one_in(2);
    if (draw.one_in(2)) {
        draw_switches(result.packet, random);
        if (draw.one_in(2)) {
            result.packet.classes = random_classes(random);
        }
    }
    return result;
}

Told run(const Configuration& configuration, const TestNetwork& network, bool trains,
         const std::vector<Time>& looks, std::uint64_t shuffle_seed = 0, std::size_t threads = 1) {
    engine::EventQueue queue;
    const topology::NetworkDescription description = network.describe(configuration.packet);
    packet::CreditNetwork machine(
        description, [&network](NodeId from, NodeId to) { return network.route(from, to); },
        shuffled(queue, shuffle_seed));
    machine.set_fast_forward(trains);
    machine.set_threads(threads, 0);
    return run_and_look(configuration.plan, looks, queue, machine);
}

double events_per_packet_hop(const Plan& plan, Shape shape) {
    Configuration configuration;
    configuration.packet.virtual_channels = 2;
    configuration.plan = plan;
    const TestNetwork network({shape}, equal_links(Rate(50'000'000'000), Time::ns(500)));
    return events_per_packet_hop(run(configuration, network, false, {}),
                                 run(configuration, network, true, {}));
}

class SteadyTrafficOfRandom : public testing::TestWithParam<unsigned> {};

// For every configuration: each message's times of sending, of its first byte and of its delivery,
// and each link's figures, at the end and at some times before, are those of the run without
// packet trains in one thread; so they are in several threads, with trains and without, and
// without trains as many events are handled.
TEST_P(SteadyTrafficOfRandom, EqualsPacketByPacket) {
    for (unsigned i = 0; i < 300; ++i) {
        const unsigned seed = 1000 * GetParam() + i;
        Configuration chosen = configuration(seed);
        std::mt19937_64 random(seed + 1'000'000);
        const TestNetwork network(
            chosen.shapes,
            chosen.mixed ? mixed_links(random) : equal_links(Rate(50'000'000'000), Time::ns(500)));
        chosen.plan = long_messages(static_cast<int>(network.graph.npus()),
                                    chosen.packet.mtu.value(), random);
        draw_classes(chosen.plan, chosen.packet.classes.count, random);
        draw_followers_of_ends(chosen.plan, random);
        const std::vector<Time> looks = draw_looks(3, random);
        const Told expected = run(chosen, network, false, looks);
        ASSERT_EQ(run(chosen, network, true, looks).transcript, expected.transcript) << chosen.name;
        ASSERT_EQ(run(chosen, network, true, looks, seed + 1).transcript, expected.transcript)
            << chosen.name << ", insertions shuffled";
        if (seed % 6 == 0) {
            const Told shared = run(chosen, network, false, looks, 0, 2 + seed % 3);
            ASSERT_EQ(shared.transcript, expected.transcript) << chosen.name << ", threads";
            ASSERT_EQ(shared.events, expected.events) << chosen.name << ", threads";
            ASSERT_EQ(run(chosen, network, true, looks, 0, 3).transcript, expected.transcript)
                << chosen.name << ", trains and threads";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SteadyTrafficOfRandom, testing::Range(0U, 4U));

// 16 MiB alone over 3 links are 4096 packets and 12 288 packet-hops. The pattern is there when the
// first credit is back after 1083 ns, 13 packets.
TEST(SteadyTraffic, AMessageAloneTakesFewEvents) {
    EXPECT_LT(events_per_packet_hop({message(0, 3, 16 << 20)}, mesh(4)), 0.02);
}

// Three senders, one receiver: the links before the switch carry a third of their rate each, by
// credits, once the buffers of 63 packets are full.
TEST(SteadyTraffic, MessagesThatShareALinkTakeFewEvents) {
    const Plan plan{message(0, 3, 16 << 20), message(1, 3, 16 << 20), message(2, 3, 16 << 20)};
    EXPECT_LT(events_per_packet_hop(plan, star(4)), 0.1);
}

// The one that started later competes for the last two of three links.
TEST(SteadyTraffic, ALaterMessageBreaksThePatternAndMakesAnother) {
    const Plan plan{message(0, 3, 16 << 20), message(1, 3, 8 << 20, Time::ns(40'001))};
    EXPECT_LT(events_per_packet_hop(plan, mesh(4)), 0.1);
}

// 64 KiB are 16 packets: nothing to gain, and nothing to lose but an event for each message.
TEST(SteadyTraffic, ShortMessagesAreLeftAlone) {
    Plan plan;
    for (int i = 0; i < 50; ++i) {
        plan.push_back(message(i % 4, (i + 1) % 4, 64 << 10, Time::ns(i)));
    }
    EXPECT_LE(events_per_packet_hop(plan, ring(4)), 1.3);
}

}  // namespace
}  // namespace npunet::packet_test::steady_traffic_test
