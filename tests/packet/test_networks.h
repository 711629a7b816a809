// Networks for the tests of the packet machine: products of rings, meshes, full connections and
// switches, built here by the plainest code and with rates and latencies that may differ from link
// to link, so that the tests depend on no builder but their own.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test {

struct Shape {
    topology::DimensionKind kind = topology::DimensionKind::Ring;
    int size = 2;
};

inline Shape ring(int npus) {
    return {topology::DimensionKind::Ring, npus};
}
inline Shape mesh(int npus) {
    return {topology::DimensionKind::Mesh1D, npus};
}
inline Shape full(int npus) {
    return {topology::DimensionKind::FullyConnected, npus};
}
inline Shape star(int npus) {
    return {topology::DimensionKind::Switch, npus};
}

/// A link's rate and latency, asked for once per link.
using LinkMaker = std::function<topology::Link(NodeId from, NodeId to)>;

/// All links alike.
[[nodiscard]] LinkMaker equal_links(Rate rate, Time latency);
/// Rates and latencies drawn from lists of awkward values.
[[nodiscard]] LinkMaker mixed_links(std::mt19937_64& random);

/// The network with links of other rates and latencies.
void replace_links(topology::NetworkDescription& network, const LinkMaker& make_link);

class TestNetwork {
public:
    TestNetwork(std::vector<Shape> shapes, const LinkMaker& make_link);

    /// Dimension order, dimension 0 first; round a ring the shorter way, at equal distance upwards;
    /// virtual channel 1 from the link that closes the ring to the end of the dimension.
    [[nodiscard]] std::vector<topology::Hop> route(NodeId from, NodeId to) const;

    /// The network with these packet parameters, which must give the virtual channels.
    [[nodiscard]] topology::NetworkDescription describe(
        const topology::PacketParameters& packet) const;

    topology::Graph graph;

private:
    void add_both(NodeId a, NodeId b, const LinkMaker& make_link);
    [[nodiscard]] int coordinate(int npu, std::size_t dimension) const;

    std::vector<Shape> shapes_;
    std::vector<int> strides_;
    std::vector<std::vector<NodeId>> switches_;  ///< by dimension, then line
};

}  // namespace npunet::packet_test
