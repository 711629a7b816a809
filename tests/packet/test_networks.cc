#include "test_networks.h"

#include <array>
#include <string>
#include <utility>

namespace npunet::packet_test {

using topology::DimensionKind;

LinkMaker equal_links(Rate rate, Time latency) {
    return
        [=](NodeId from, NodeId to) { return topology::Link{from, to, rate, latency, -1, false}; };
}

LinkMaker mixed_links(std::mt19937_64& random) {
    return [&random](NodeId from, NodeId to) {
        static constexpr std::array<std::int64_t, 6> rates{1'000'000'000,   3'000'000'007,
                                                           25'000'000'000,  50'000'000'000,
                                                           128'571'400'000, 900'000'000'000};
        static constexpr std::array<std::int64_t, 6> latencies{0,      1,       20'000,
                                                               83'200, 500'000, 2'000'003};
        return topology::Link{from,
                              to,
                              Rate(rates[random() % rates.size()]),
                              Time::ps(latencies[random() % latencies.size()]),
                              -1,
                              false};
    };
}

void replace_links(topology::NetworkDescription& network, const LinkMaker& make_link) {
    const topology::Graph before = std::exchange(network.graph, topology::Graph());
    for (std::size_t i = 0; i < before.nodes(); ++i) {
        network.graph.add_node(before.kind(NodeId(i)), before.name(NodeId(i)));
    }
    for (std::size_t i = 0; i < before.links(); ++i) {
        topology::Link link = before.link(LinkId(i));
        const topology::Link made = make_link(link.from, link.to);
        link.rate = made.rate;
        link.latency = made.latency;
        network.graph.add_link(link);
    }
}

TestNetwork::TestNetwork(std::vector<Shape> shapes, const LinkMaker& make_link)
    : shapes_(std::move(shapes)), switches_(shapes_.size()) {
    int npus = 1;
    for (const Shape& shape : shapes_) {
        strides_.push_back(npus);
        npus *= shape.size;
    }
    for (int i = 0; i < npus; ++i) {
        graph.add_node(topology::NodeKind::Npu, "npu" + std::to_string(i));
    }
    for (std::size_t d = 0; d < shapes_.size(); ++d) {
        const int stride = strides_[d];
        const int size = shapes_[d].size;
        for (int i = 0; i < npus; ++i) {
            const int x = coordinate(i, d);
            const auto npu = [&](int position) { return NodeId(i + (position - x) * stride); };
            switch (shapes_[d].kind) {
                case DimensionKind::Mesh1D:
                case DimensionKind::Ring:
                    if (x + 1 < size) {
                        add_both(npu(x), npu(x + 1), make_link);
                    } else if (shapes_[d].kind == DimensionKind::Ring && size > 2) {
                        add_both(npu(x), npu(0), make_link);
                    }
                    break;
                case DimensionKind::FullyConnected:
                    for (int other = x + 1; other < size; ++other) {
                        add_both(npu(x), npu(other), make_link);
                    }
                    break;
                case DimensionKind::Switch:
                    if (x == 0) {
                        const NodeId node = graph.add_node(
                            topology::NodeKind::Switch, "switch" + std::to_string(graph.nodes()));
                        switches_[d].resize(static_cast<std::size_t>(npus));
                        for (int other = 0; other < size; ++other) {
                            add_both(npu(other), node, make_link);
                            switches_[d][npu(other).index()] = node;
                        }
                    }
                    break;
            }
        }
    }
}

void TestNetwork::add_both(NodeId a, NodeId b, const LinkMaker& make_link) {
    graph.add_link(make_link(a, b));
    graph.add_link(make_link(b, a));
}

int TestNetwork::coordinate(int npu, std::size_t dimension) const {
    return npu / strides_[dimension] % shapes_[dimension].size;
}

topology::NetworkDescription TestNetwork::describe(const topology::PacketParameters& packet) const {
    topology::NetworkDescription description;
    description.graph = graph;
    description.packet = packet;
    return description;
}

std::vector<topology::Hop> TestNetwork::route(NodeId from, NodeId to) const {
    std::vector<topology::Hop> hops;
    int at = from.value();
    for (std::size_t d = 0; d < shapes_.size(); ++d) {
        const int size = shapes_[d].size;
        const int goal = coordinate(to.value(), d);
        std::uint8_t channel = 0;
        while (coordinate(at, d) != goal) {
            const int x = coordinate(at, d);
            int next = goal;
            if (shapes_[d].kind == DimensionKind::Mesh1D) {
                next = goal > x ? x + 1 : x - 1;
            } else if (shapes_[d].kind == DimensionKind::Ring) {
                const int up = (goal - x + size) % size;
                next = 2 * up <= size ? (x + 1) % size : (x - 1 + size) % size;
                if (size > 2 && (next - x > 1 || x - next > 1)) {
                    channel = 1;
                }
            }
            const int neighbour = at + (next - x) * strides_[d];
            if (shapes_[d].kind == DimensionKind::Switch) {
                const NodeId node = switches_[d][static_cast<std::size_t>(at)];
                hops.push_back({graph.find_link(NodeId(at), node), 0});
                hops.push_back({graph.find_link(node, NodeId(neighbour)), 0});
            } else {
                hops.push_back({graph.find_link(NodeId(at), NodeId(neighbour)), channel});
            }
            at = neighbour;
        }
    }
    return hops;
}

}  // namespace npunet::packet_test
