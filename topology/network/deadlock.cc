#include "topology/network/deadlock.h"

#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

namespace npunet::topology {

ChannelDependencies channel_dependencies(const NetworkDescription& network) {
    const std::size_t npus = network.graph.npus();
    ChannelDependencies dependencies(network.graph.links(), network.virtual_channels_needed());
    for (std::size_t from = 0; from < npus; ++from) {
        for (std::size_t to = 0; to < npus; ++to) {
            dependencies.add_route(network.route(NodeId(from), NodeId(to)));
        }
    }
    return dependencies;
}

ChannelDependencies waiting_dependencies(const NetworkDescription& network, std::uint64_t draws) {
    const std::size_t npus = network.graph.npus();
    ChannelDependencies dependencies(network.graph.links(), network.virtual_channels_needed());
    using Seen = std::tuple<std::int32_t, std::uint8_t, std::uint32_t>;
    std::vector<OfferedHop> next_hops;
    for (std::size_t to = 0; to < npus; ++to) {
        std::set<Seen> seen;
        std::vector<PacketPlace> open;
        for (std::size_t from = 0; from < npus; ++from) {
            if (from != to) {
                open.push_back({NodeId(from), NodeId(from), NodeId(to), Hop(), 0, 0, 0});
            }
        }
        while (!open.empty()) {
            PacketPlace place = open.back();
            open.pop_back();
            for (place.hash = 0; place.hash < draws; ++place.hash) {
                place.sequence = static_cast<std::uint32_t>(place.hash);
                network.multipath->list_next_hops(network.graph, place, next_hops);
                for (const OfferedHop& next_hop : next_hops) {
                    if (place.in.link.valid() && !next_hop.needs_room) {
                        dependencies.add(place.in, next_hop.hop);
                    }
                    if (next_hop.then.link.valid()) {
                        dependencies.add(next_hop.hop, next_hop.then);
                    }
                    PacketPlace next = place;
                    next.in = next_hop.then.link.valid() ? next_hop.then : next_hop.hop;
                    next.at = network.graph.link(next.in.link).to;
                    next.memory = next_hop.memory;
                    const bool fresh =
                        seen.insert({next.in.link.value(), next.in.virtual_channel, next.memory})
                            .second;
                    if (fresh && next.at != next.destination) {
                        open.push_back(next);
                    }
                }
            }
        }
    }
    return dependencies;
}

}  // namespace npunet::topology
