#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "naive_packet_network.h"
#include "network_run.h"
#include "random_parameters.h"
#include "test_networks.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"
#include "traffic.h"

namespace npunet::packet_test::packet_machine_oracle_test {
namespace {

struct Configuration {
    std::string name;
    std::vector<Shape> shapes;
    topology::PacketParameters packet;
    bool mixed = false;
    Pattern pattern = Pattern::Random;
    std::int64_t largest = 0;
    int faults = 0;
};

/// Links slowed, late, down or faster for a while, in the middle of the traffic.
std::vector<topology::LinkFault> make_faults(int count, const topology::Graph& graph,
                                             std::mt19937_64& random) {
    std::vector<topology::LinkFault> faults;
    for (int i = 0; i < count; ++i) {
        faults.push_back(draw_slowdown(graph, Time::ps(30'000'000),
                                       {0, 100'000'000, 333'333'333, 2'500'000'000}, random));
        faults.back().latency_add = Time::ps(static_cast<std::int64_t>(random() % 3) * 700'001);
    }
    return faults;
}

const std::vector<std::vector<Shape>> shapes_to_try{{mesh(4), mesh(4)},
                                                    {ring(4), ring(4)},
                                                    {ring(5), ring(3)},
                                                    {ring(7)},
                                                    {mesh(3), mesh(5)},
                                                    {ring(2), ring(6)},
                                                    {star(6)},
                                                    {full(4), star(3)},
                                                    {ring(4), star(3)},
                                                    {full(5)},
                                                    {mesh(2), ring(3), star(2)},
                                                    {ring(3), ring(3), ring(3)},
                                                    {star(70)},
                                                    {mesh(9)}};

// Every draw depends on the seed alone. Buffers run from one packet to the automatic size.
Configuration configuration(unsigned seed) {
    std::mt19937_64 random(seed);
    test::DrawFrom draw(random);
    Configuration result;
    result.shapes = shapes_to_try[random() % shapes_to_try.size()];
    result.pattern = static_cast<Pattern>(random() % 5);
    result.packet.mtu = Bytes(draw.any_of({4096, 256, 1000, 1, 1500}));
    result.packet.header = Bytes(draw.any_of({64, 0, 16, 64}));
    const Bytes packet = result.packet.mtu + result.packet.header;
    switch (random() % 5) {
        case 0:
            result.packet.buffer = packet;
            break;
        case 1:
            result.packet.buffer = packet + Bytes(draw.below(3000));
            break;
        case 2:
            result.packet.buffer = 2 * packet;
            break;
        case 3:
            result.packet.buffer = (3 + draw.below(14)) * packet;
            break;
        default:
            break;
    }
    result.packet.virtual_channels = static_cast<std::uint8_t>(2 + random() % 2);
    result.mixed = random() % 2 == 0;
    result.largest = result.packet.mtu.value() * (1 + draw.below(12));
    // Half of the runs know nothing of the rest.
    if (seed % 2 == 1) {
        result.packet.seed = seed;
        result.packet.queue_histogram = true;
        result.packet.arbitration =
            draw.any_of({topology::Arbitration::Oldest, topology::Arbitration::RoundRobin});
        result.packet.switching =
            draw.any_of({topology::Switching::CutThrough, topology::Switching::StoreAndForward});
        if (random() % 3 == 0 && result.packet.switching == topology::Switching::StoreAndForward) {
            result.packet.error_rate = draw.any_of({0.01, 0.1, 0.5});
        }
        result.packet.speedup = static_cast<std::uint8_t>(random() % 3);
        result.faults = random() % 3 == 0 ? static_cast<int>(1 + random() % 40) : 0;
        if (random() % 2 == 0) {
            result.packet.classes = random_classes(random);
        }
    }
    result.name = "seed " + std::to_string(seed);
    return result;
}

template <class NetworkType>
std::string run(
    const Configuration& configuration, const TestNetwork& network, const Plan& plan,
    const std::vector<topology::LinkFault>& faults, std::uint64_t shuffle_seed,
    const std::function<void(NetworkType&)>& prepare = [](NetworkType&) {}) {
    engine::EventQueue queue;
    topology::NetworkDescription description = network.describe(configuration.packet);
    description.faults.links = faults;
    NetworkType machine(
        description, [&network](NodeId from, NodeId to) { return network.route(from, to); },
        shuffled(queue, shuffle_seed));
    prepare(machine);
    const Traffic traffic(plan, queue, machine);
    queue.run();
    return transcript(traffic, machine);
}

class PacketMachineOracle : public testing::TestWithParam<unsigned> {};

// For every configuration: each message's times of sending, of its first byte and of its delivery,
// and each link's bytes, busy time, longest queue, retransmissions, stalls and distribution of the
// queue, with every switching, arbitration, traffic classes, errors and faults, are those of the
// network in which every arrival, end and credit is an event; so they are when simultaneous events
// are inserted in random order, and in several threads; and every message is delivered.
TEST_P(PacketMachineOracle, EqualsThePlainNetwork) {
    constexpr unsigned cases = 150;
    // The plain network takes most of the time: scripts/test-long shuffles it in every case.
    const std::uint64_t shuffled_of_four = test::random_cases(1, 4);
    for (unsigned i = 0; i < cases; ++i) {
        const unsigned seed = 1000 * GetParam() + i;
        const Configuration chosen = configuration(seed);
        std::mt19937_64 random(seed + 1'000'000);
        const TestNetwork network(
            chosen.shapes,
            chosen.mixed ? mixed_links(random) : equal_links(Rate(50'000'000'000), Time::ns(500)));
        Plan plan = make_plan(chosen.pattern, static_cast<int>(network.graph.npus()),
                              chosen.largest, chosen.packet.mtu.value(), random);
        draw_classes(plan, chosen.packet.classes.count, random);
        draw_followers_of_ends(plan, random);
        const auto faults = make_faults(chosen.faults, network.graph, random);
        const auto expected = run<NaivePacketNetwork>(chosen, network, plan, faults, 0);
        ASSERT_EQ(run<packet::CreditNetwork>(chosen, network, plan, faults, 0), expected)
            << chosen.name;
        ASSERT_EQ(run<packet::CreditNetwork>(chosen, network, plan, faults, seed + 1), expected)
            << chosen.name << ", insertions shuffled";
        if (seed % 4 == 0) {
            const auto threads = [seed](packet::CreditNetwork& machine) {
                machine.set_threads(2 + seed % 3, 0);
            };
            ASSERT_EQ(run<packet::CreditNetwork>(chosen, network, plan, faults, 0, threads),
                      expected)
                << chosen.name << ", threads";
        }
        if (seed % 4 < shuffled_of_four) {
            ASSERT_EQ(run<NaivePacketNetwork>(chosen, network, plan, faults, seed + 1), expected)
                << chosen.name << ", oracle with insertions shuffled";
        }
        ASSERT_EQ(expected.find(" -1 -1 0\n"), std::string::npos)
            << chosen.name << ": a message was not delivered";
    }
    test::count_cases(cases);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PacketMachineOracle, testing::Range(0U, 4U));

}  // namespace
}  // namespace npunet::packet_test::packet_machine_oracle_test
