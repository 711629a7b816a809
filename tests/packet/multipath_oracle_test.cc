#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "naive_packet_network.h"
#include "packet/credit/credit_network.h"
#include "test_networks.h"
#include "tests/support/counted_cases.h"
#include "topology/builders/builder.h"
#include "topology/builders/dragonfly.h"
#include "topology/builders/fat_tree.h"
#include "topology/builders/rail.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/product_routing.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

using topology::DimensionKind;
using topology::NetworkDescription;
using topology::Spread;

constexpr topology::LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};

NetworkDescription product(const std::vector<Shape>& shapes) {
    std::vector<topology::Dimension> dimensions;
    for (const Shape& shape : shapes) {
        dimensions.push_back(
            topology::make_dimension(shape.kind, shape.size, speed.rate, speed.latency));
    }
    NetworkDescription network = topology::make_network(dimensions, "product");
    network.multipath = std::make_shared<topology::ProductNextHops>(dimensions);
    return network;
}

NetworkDescription fat_tree(const topology::FatTreeShape& shape, Spread spread) {
    NetworkDescription network = topology::make_fat_tree(
        shape, std::vector<topology::LinkSpeed>(static_cast<std::size_t>(shape.levels), speed));
    network.multipath = std::make_shared<topology::FatTreeNextHops>(shape, spread);
    return network;
}

NetworkDescription rail(Spread spread) {
    const topology::RailShape shape{3, DimensionKind::Switch, {2, 4, 6, {2, 0}, {2, 0}}};
    NetworkDescription network = topology::make_rail(shape, speed, {speed, speed});
    network.multipath = std::make_shared<topology::RailNextHops>(shape, spread);
    return network;
}

NetworkDescription dragonfly(const topology::DragonflyShape& shape) {
    NetworkDescription network = topology::make_dragonfly(shape, {speed, speed, speed});
    network.multipath = std::make_shared<topology::DragonflyNextHops>(shape);
    return network;
}

/// Two NPUs at each end of a square of switches, joined once more by two parallel links.
NetworkDescription square(Spread spread) {
    NetworkDescription network;
    topology::Graph& graph = network.graph;
    for (int i = 0; i < 4; ++i) {
        graph.add_node(topology::NodeKind::Npu, "npu" + std::to_string(i));
    }
    for (int i = 0; i < 4; ++i) {
        graph.add_node(topology::NodeKind::Switch, "switch" + std::to_string(i));
    }
    const auto join = [&](int a, int b) {
        graph.add_link({NodeId(a), NodeId(b), speed.rate, speed.latency});
        graph.add_link({NodeId(b), NodeId(a), speed.rate, speed.latency});
    };
    for (const auto& [a, b] :
         {std::pair(0, 4), {1, 4}, {2, 7}, {3, 7}, {4, 5}, {4, 6}, {5, 7}, {6, 7}, {6, 7}}) {
        join(a, b);
    }
    const auto paths =
        std::make_shared<topology::GraphRouter>(graph, topology::GraphRoutes::Ecmp, 1);
    network.router = paths;
    network.multipath = std::make_shared<topology::GraphNextHops>(paths, spread);
    return network;
}

NetworkDescription network_of(std::mt19937_64& random) {
    const auto ring = [](int n) { return Shape{DimensionKind::Ring, n}; };
    const auto mesh = [](int n) { return Shape{DimensionKind::Mesh1D, n}; };
    const auto full = [](int n) { return Shape{DimensionKind::FullyConnected, n}; };
    const auto star = [](int n) { return Shape{DimensionKind::Switch, n}; };
    const Spread spread = random() % 2 == 0 ? Spread::Spray : Spread::Adaptive;
    switch (random() % 14) {
        case 0:
            return product({mesh(4), mesh(4)});
        case 1:
            return product({ring(4), ring(4)});
        case 2:
            return product({ring(5), ring(3), mesh(2)});
        case 3:
            return product({ring(6)});
        case 4:
            return product({star(4), ring(4)});
        case 5:
            return product({full(4), star(3)});
        case 6:
            return product({mesh(3), star(3), star(2)});
        case 7:
            return fat_tree({2, 4, 8, {2, 0}, {2, 0}}, spread);
        case 8:
            return fat_tree({3, 4, 15, {2, 2}, {2, 2}}, spread);
        case 9:
            return fat_tree({2, 6, 11, {4, 0}, {2, 0}}, spread);
        case 10:
            return rail(spread);
        case 11:
            return dragonfly({2, 2, 1, 3});
        case 12:
            return dragonfly({2, 1, 2, 4});
        default:
            return square(spread);
    }
}

/// The same network with rates and latencies drawn link by link.
void mix_links(NetworkDescription& network, std::mt19937_64& random) {
    const topology::Graph before = network.graph;
    const LinkMaker make = mixed_links(random);
    network.graph = topology::Graph();
    for (std::size_t i = 0; i < before.nodes(); ++i) {
        network.graph.add_node(before.kind(NodeId(i)), before.name(NodeId(i)));
    }
    for (std::size_t i = 0; i < before.links(); ++i) {
        topology::Link link = before.link(LinkId(i));
        const topology::Link drawn = make(link.from, link.to);
        link.rate = drawn.rate;
        link.latency = drawn.latency;
        network.graph.add_link(link);
    }
}

struct Configuration {
    NetworkDescription network;
    Plan plan;
};

Configuration configuration(unsigned seed) {
    std::mt19937_64 random(seed);
    Configuration result;
    result.network = network_of(random);
    if (random() % 2 == 0) {
        mix_links(result.network, random);
    }
    topology::PacketParameters& packet = result.network.packet;
    packet.mtu = Bytes(std::array<std::int64_t, 4>{4096, 256, 1000, 1}[random() % 4]);
    packet.header = Bytes(std::array<std::int64_t, 3>{64, 0, 16}[random() % 3]);
    packet.buffer =
        std::array<std::int64_t, 4>{1, 2, 5, 0}[random() % 4] * (packet.mtu + packet.header);
    packet.virtual_channels = result.network.virtual_channels();
    packet.seed = seed;
    packet.arbitration =
        random() % 2 == 0 ? topology::Arbitration::Oldest : topology::Arbitration::RoundRobin;
    packet.switching =
        random() % 2 == 0 ? topology::Switching::CutThrough : topology::Switching::StoreAndForward;
    packet.speedup = static_cast<std::uint8_t>(random() % 3);
    if (random() % 4 == 0 && packet.switching == topology::Switching::StoreAndForward) {
        packet.error_rate = 0.1;
    }
    for (auto faults = random() % 3 == 0 ? random() % 12 : 0; faults > 0; --faults) {
        topology::LinkFault fault;
        fault.link = LinkId(std::size_t{random() % result.network.graph.links()});
        fault.at = Time::ps(static_cast<std::int64_t>(random() % 30'000'000));
        fault.until = fault.at + Time::ps(1 + static_cast<std::int64_t>(random() % 10'000'000));
        fault.bandwidth.billionths = random() % 2 == 0 ? 2500000000 : 333'333'333;
        result.network.faults.links.push_back(fault);
    }
    const std::int64_t largest = packet.mtu.value() * static_cast<std::int64_t>(1 + random() % 12);
    result.plan =
        make_plan(static_cast<Pattern>(random() % 5), static_cast<int>(result.network.graph.npus()),
                  largest, packet.mtu.value(), random);
    if (random() % 2 == 0) {
        packet.classes = random_classes(random);
    }
    draw_classes(result.plan, packet.classes.count, random);
    return result;
}

std::unique_ptr<engine::Network> make_network(const NetworkDescription& network,
                                              engine::EventQueue& queue, bool plain) {
    if (plain) {
        return std::make_unique<NaivePacketNetwork>(
            network, [&](NodeId from, NodeId to) { return network.route(from, to); }, queue);
    }
    return std::make_unique<packet::CreditNetwork>(network, queue);
}

std::string run(const Configuration& configuration, std::uint64_t shuffle_seed, bool plain) {
    engine::EventQueue queue;
    if (shuffle_seed != 0) {
        queue.shuffle_insertions(shuffle_seed);
    }
    const auto network = make_network(configuration.network, queue, plain);
    const Traffic traffic(configuration.plan, queue, *network);
    queue.run();
    return transcript(traffic, *network);
}

// Packets that choose their way: each message's times and each link's bytes, busy time, longest
// queue and stalls are those of the network in which every arrival, end, choice and returned credit
// is an event, whatever the order in which simultaneous events are inserted; every message is
// delivered, with room for a single packet already.
void compare(unsigned first_seed, unsigned count) {
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
        const Configuration chosen = configuration(seed);
        const std::string expected = run(chosen, 0, true);
        ASSERT_EQ(run(chosen, 0, false), expected)
            << "seed " << seed << ", " << chosen.network.name;
        ASSERT_EQ(run(chosen, seed + 1, false), expected)
            << "seed " << seed << ", insertions shuffled";
        ASSERT_EQ(expected.find(" -1 -1 0\n"), std::string::npos)
            << "seed " << seed << ": a message was not delivered";
    }
    test::count_cases(count);
}

TEST(MultipathOracle, EqualsThePlainNetwork0) {
    compare(1, 100);
}
TEST(MultipathOracle, EqualsThePlainNetwork1) {
    compare(1001, 100);
}
TEST(MultipathOracle, EqualsThePlainNetwork2) {
    compare(2001, 100);
}

}  // namespace
}  // namespace npunet::packet_test
