// Networks and routes for the tests of the room, in few words.
#pragma once

#include <string>
#include <vector>

#include "topology/builders/builder.h"
#include "topology/network/network_description.h"
#include "topology/routing/channel_dependencies.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology {

/// A product with sizes[i] NPUs of kind kinds[i] in dimension i; 50 GB/s and 500 ns everywhere.
inline NetworkDescription product(const std::vector<DimensionKind>& kinds,
                                  const std::vector<std::int32_t>& sizes) {
    std::vector<Dimension> dimensions;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        dimensions.push_back(
            make_dimension(kinds[i], sizes[i], Rate(50'000'000'000), Time::ns(500)));
    }
    return make_network(std::move(dimensions));
}

/// The same kind in every dimension.
inline NetworkDescription grid(DimensionKind kind, const std::vector<std::int32_t>& sizes) {
    return product(std::vector<DimensionKind>(sizes.size(), kind), sizes);
}

/// The nodes of a route, ends included: {1, 2, 3, 7}.
inline std::vector<int> nodes_of(const NetworkDescription& network, int from, int to) {
    std::vector<int> nodes{from};
    for (const Hop& hop : network.route(NodeId(from), NodeId(to))) {
        nodes.push_back(network.graph.link(hop.link).to.value());
    }
    return nodes;
}

/// The virtual channels of a route, hop by hop.
inline std::vector<int> channels_of(const NetworkDescription& network, int from, int to) {
    std::vector<int> channels;
    for (const Hop& hop : network.route(NodeId(from), NodeId(to))) {
        channels.push_back(hop.virtual_channel);
    }
    return channels;
}

inline NetworkDescription shipped(const std::string& name) {
    return read_network(NPUNET_SOURCE_DIR "/configs/networks/" + name + ".yml", GigaByte::Decimal);
}

/// The dependencies of the same routes when all of them keep to channel 0.
inline std::vector<Hop> cycle_with_one_channel(const NetworkDescription& network) {
    ChannelDependencies dependencies(network.graph.links(), 1);
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        for (std::size_t to = 0; to < network.graph.npus(); ++to) {
            std::vector<Hop> route = network.route(NodeId(from), NodeId(to));
            for (Hop& hop : route) {
                hop.virtual_channel = 0;
            }
            dependencies.add_route(route);
        }
    }
    return dependencies.find_cycle();
}

}  // namespace npunet::topology
