#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "naive_packet_network.h"
#include "network_run.h"
#include "random_parameters.h"
#include "test_networks.h"
#include "tests/support/counted_cases.h"
#include "topology/builders/builder.h"
#include "topology/builders/dragonfly.h"
#include "topology/builders/fat_tree.h"
#include "topology/builders/rail.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/product_routing.h"
#include "traffic.h"

namespace npunet::packet_test::multipath_oracle_test {
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

NetworkDescription rail(DimensionKind servers, Spread spread) {
    const topology::RailShape shape{3, servers, {2, 4, 6, {2, 0}, {2, 0}}};
    NetworkDescription network = topology::make_rail(shape, speed, {speed, speed});
    network.multipath = std::make_shared<topology::RailNextHops>(shape, spread);
    return network;
}

NetworkDescription dragonfly(const topology::DragonflyShape& shape) {
    NetworkDescription network = topology::make_dragonfly(shape, {speed, speed, speed});
    network.multipath = std::make_shared<topology::DragonflyNextHops>(shape);
    return network;
}

void add_nodes(topology::Graph& graph, int npus, int switches) {
    for (int i = 0; i < npus; ++i) {
        graph.add_node(topology::NodeKind::Npu, "npu" + std::to_string(i));
    }
    for (int i = 0; i < switches; ++i) {
        graph.add_node(topology::NodeKind::Switch, "switch" + std::to_string(i));
    }
}

/// Two NPUs at each end of a square of switches, joined once more by two parallel links.
NetworkDescription square(Spread spread) {
    NetworkDescription network;
    topology::Graph& graph = network.graph;
    add_nodes(graph, 4, 4);
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

/// How packets use several links or planes of a pair.
enum class Use : std::uint8_t { Planes, Spray, Adaptive };

void use_planes(NetworkDescription& network, Use use) {
    const auto paths =
        std::make_shared<topology::GraphRouter>(network.graph, topology::GraphRoutes::Ecmp, 1);
    network.router = paths;
    network.planes = std::make_shared<topology::Planes>(paths, true);
    if (use == Use::Planes) {
        network.multipath =
            std::make_shared<topology::PlaneNextHops>(network.planes, topology::Faults());
    } else {
        network.multipath = std::make_shared<topology::GraphNextHops>(
            paths, use == Use::Spray ? Spread::Spray : Spread::Adaptive);
    }
}

/// Five NPUs with two links to a switch and one to each of two others.
NetworkDescription planes(Use use) {
    NetworkDescription network;
    topology::Graph& graph = network.graph;
    add_nodes(graph, 5, 3);
    for (int i = 0; i < 5; ++i) {
        for (const int to : {5, 5, 6, 7}) {
            graph.add_link({NodeId(i), NodeId(to), speed.rate, speed.latency});
            graph.add_link({NodeId(to), NodeId(i), speed.rate, speed.latency});
        }
    }
    use_planes(network, use);
    return network;
}

/// Four NPUs in a line, neighbours with three links.
NetworkDescription line(Use use) {
    NetworkDescription network;
    topology::Graph& graph = network.graph;
    add_nodes(graph, 4, 0);
    for (int i = 0; i < 9; ++i) {
        graph.add_link({NodeId(i / 3), NodeId(i / 3 + 1), speed.rate, speed.latency});
        graph.add_link({NodeId(i / 3 + 1), NodeId(i / 3), speed.rate, speed.latency});
    }
    use_planes(network, use);
    return network;
}

NetworkDescription network_of(std::mt19937_64& random) {
    const Spread spread = random() % 2 == 0 ? Spread::Spray : Spread::Adaptive;
    const auto use = static_cast<Use>(random() % 3);
    switch (random() % 20) {
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
            return rail(random() % 2 == 0 ? DimensionKind::Switch : DimensionKind::FullyConnected,
                        spread);
        case 11:
            return dragonfly({2, 2, 1, 3});
        case 12:
            return dragonfly({2, 1, 2, 4});
        case 13:
            return square(spread);
        case 14:
        case 15:
        case 16:
            return line(use);
        default:
            return planes(use);
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
        replace_links(result.network, mixed_links(random));
    }
    topology::PacketParameters& packet = result.network.packet;
    draw_sizes(packet, random);
    packet.virtual_channels = result.network.virtual_channels();
    packet.seed = seed;
    draw_switches(packet, random);
    if (random() % 4 == 0 && packet.switching == topology::Switching::StoreAndForward) {
        packet.error_rate = 0.1;
    }
    for (auto faults = random() % 3 == 0 ? random() % 12 : 0; faults > 0; --faults) {
        result.network.faults.links.push_back(draw_slowdown(
            result.network.graph, Time::ps(30'000'000), {2500000000, 333'333'333}, random));
    }
    const std::int64_t largest =
        packet.mtu.value() *
        static_cast<std::int64_t>(1 + random() % (random() % 4 == 0 ? 60 : 12));
    result.plan =
        make_plan(static_cast<Pattern>(random() % 5), static_cast<int>(result.network.graph.npus()),
                  largest, packet.mtu.value(), random);
    if (random() % 2 == 0) {
        packet.classes = random_classes(random);
    }
    draw_followers_of_ends(result.plan, random);
    draw_classes(result.plan, packet.classes.count, random);
    return result;
}

class MultipathOracle : public testing::TestWithParam<unsigned> {};

// Packets that choose their path: each message's times and each link's bytes, busy time, longest
// queue and stalls are those of the network in which every arrival, end, choice and returned credit
// is an event, whatever the order in which simultaneous events are inserted; every message is
// delivered, with room for a single packet already.
TEST_P(MultipathOracle, EqualsThePlainNetwork) {
    const auto cases = static_cast<unsigned>(test::random_cases(100, 5'000));
    for (unsigned i = 1; i <= cases; ++i) {
        const unsigned seed = 100'000 * GetParam() + i;
        const auto& [network, plan] = configuration(seed);
        const std::string expected = told_by<NaivePacketNetwork>(network, plan);
        ASSERT_EQ(told_by<packet::CreditNetwork>(network, plan), expected)
            << "seed " << seed << ", " << network.name;
        ASSERT_EQ(told_by<packet::CreditNetwork>(network, plan, seed + 1), expected)
            << "seed " << seed << ", insertions shuffled";
        ASSERT_EQ(expected.find(" -1 -1 0\n"), std::string::npos)
            << "seed " << seed << ": a message was not delivered";
    }
    test::count_cases(cases);
}

// A message that leaves by four ports at once ends while another one of its NPU goes on: what
// follows it must find that NPU where it was then.
TEST(MultipathWindows, EndWithMessagesThatLeaveByAllPorts) {
    NetworkDescription network = planes(Use::Planes);
    network.packet.mtu = Bytes(4096);
    network.packet.buffer = Bytes(1 << 20);
    network.packet.virtual_channels = network.virtual_channels();
    for (std::int64_t packets = 4; packets < 40; ++packets) {
        Plan plan{message(0, 1, 4096 * packets), message(0, 2, std::int64_t{4096} * 60),
                  message(0, 3, 4096)};
        plan[0].wants_sent = true;
        plan[2].after = 0;
        plan[2].after_sent = true;
        EXPECT_EQ(told_by<packet::CreditNetwork>(network, plan),
                  told_by<NaivePacketNetwork>(network, plan))
            << packets << " packets";
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MultipathOracle, testing::Range(0U, 3U));

}  // namespace
}  // namespace npunet::packet_test::multipath_oracle_test
