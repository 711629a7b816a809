#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "naive_packet_network.h"
#include "packet/credit/credit_network.h"
#include "test_networks.h"
#include "tests/support/counted_cases.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

using topology::DimensionKind;

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
std::vector<topology::LinkFault> make_faults(int count, std::size_t links,
                                             std::mt19937_64& random) {
    std::vector<topology::LinkFault> faults;
    for (int i = 0; i < count; ++i) {
        topology::LinkFault fault;
        fault.link = LinkId(std::size_t{random() % links});
        fault.at = Time::ps(static_cast<std::int64_t>(random() % 30'000'000));
        fault.until = fault.at + Time::ps(1 + static_cast<std::int64_t>(random() % 10'000'000));
        fault.bandwidth.billionths =
            std::array<std::int64_t, 4>{0, 100'000'000, 333'333'333, 2'500'000'000}[random() % 4];
        fault.latency_add = Time::ps(static_cast<std::int64_t>(random() % 3) * 700'001);
        faults.push_back(fault);
    }
    return faults;
}

std::vector<std::vector<Shape>> shapes_to_try() {
    const auto ring = [](int n) { return Shape{DimensionKind::Ring, n}; };
    const auto mesh = [](int n) { return Shape{DimensionKind::Mesh1D, n}; };
    const auto full = [](int n) { return Shape{DimensionKind::FullyConnected, n}; };
    const auto star = [](int n) { return Shape{DimensionKind::Switch, n}; };
    return {{mesh(4), mesh(4)},
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
}

// Every draw depends on the seed alone. Buffers run from one packet to the automatic size.
Configuration configuration(unsigned seed) {
    std::mt19937_64 random(seed);
    const auto all = shapes_to_try();
    Configuration result;
    result.shapes = all[random() % all.size()];
    result.pattern = static_cast<Pattern>(random() % 5);
    result.packet.mtu = Bytes(std::array<std::int64_t, 5>{4096, 256, 1000, 1, 1500}[random() % 5]);
    result.packet.header = Bytes(std::array<std::int64_t, 4>{64, 0, 16, 64}[random() % 4]);
    const Bytes packet = result.packet.mtu + result.packet.header;
    switch (random() % 5) {
        case 0:
            result.packet.buffer = packet;
            break;
        case 1:
            result.packet.buffer = packet + Bytes(static_cast<std::int64_t>(random() % 3000));
            break;
        case 2:
            result.packet.buffer = 2 * packet;
            break;
        case 3:
            result.packet.buffer = static_cast<std::int64_t>(3 + random() % 14) * packet;
            break;
        default:
            break;
    }
    result.packet.virtual_channels = static_cast<std::uint8_t>(2 + random() % 2);
    result.mixed = random() % 2 == 0;
    result.largest = result.packet.mtu.value() * static_cast<std::int64_t>(1 + random() % 12);
    // Half of the runs know nothing of the rest.
    if (seed % 2 == 1) {
        result.packet.seed = seed;
        result.packet.queue_histogram = true;
        result.packet.arbitration =
            random() % 2 == 0 ? topology::Arbitration::Oldest : topology::Arbitration::RoundRobin;
        result.packet.switching = random() % 2 == 0 ? topology::Switching::CutThrough
                                                    : topology::Switching::StoreAndForward;
        if (random() % 3 == 0 && result.packet.switching == topology::Switching::StoreAndForward) {
            result.packet.error_rate = std::array<double, 3>{0.01, 0.1, 0.5}[random() % 3];
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
    if (shuffle_seed != 0) {
        queue.shuffle_insertions(shuffle_seed);
    }
    topology::NetworkDescription description = network.describe(configuration.packet);
    description.faults.links = faults;
    NetworkType machine(
        description, [&network](NodeId from, NodeId to) { return network.route(from, to); }, queue);
    prepare(machine);
    const Traffic traffic(plan, queue, machine);
    queue.run();
    return transcript(traffic, machine);
}

void compare(unsigned first_seed, unsigned count) {
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
        const Configuration chosen = configuration(seed);
        std::mt19937_64 random(seed + 1'000'000);
        const TestNetwork network(
            chosen.shapes,
            chosen.mixed ? mixed_links(random) : equal_links(Rate(50'000'000'000), Time::ns(500)));
        Plan plan = make_plan(chosen.pattern, static_cast<int>(network.graph.npus()),
                              chosen.largest, chosen.packet.mtu.value(), random);
        draw_classes(plan, chosen.packet.classes.count, random);
        draw_followers_of_ends(plan, random);
        const auto faults = make_faults(chosen.faults, network.graph.links(), random);
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
        ASSERT_EQ(run<NaivePacketNetwork>(chosen, network, plan, faults, seed + 1), expected)
            << chosen.name << ", oracle with insertions shuffled";
        ASSERT_EQ(expected.find(" -1 -1 0\n"), std::string::npos)
            << chosen.name << ": a message was not delivered";
    }
    test::count_cases(count);
}

// For every configuration: each message's times of sending, of its first byte and of its delivery,
// and each link's bytes, busy time, longest queue, retransmissions, stalls and distribution of the
// queue, with every switching, arbitration, traffic classes, errors and faults, are those of the
// network in which every arrival, end and credit is an event; so they are when simultaneous events
// are inserted in random order, and in several threads; and every message is delivered.
TEST(PacketMachineOracle, EqualsThePlainNetwork0) {
    compare(0, 150);
}
TEST(PacketMachineOracle, EqualsThePlainNetwork1) {
    compare(1000, 150);
}
TEST(PacketMachineOracle, EqualsThePlainNetwork2) {
    compare(2000, 150);
}
TEST(PacketMachineOracle, EqualsThePlainNetwork3) {
    compare(3000, 150);
}

}  // namespace
}  // namespace npunet::packet_test
