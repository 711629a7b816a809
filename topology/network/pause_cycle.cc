#include "topology/network/pause_cycle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "topology/routing/channel_dependencies.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/product_routing.h"

namespace npunet::topology {

namespace {

constexpr std::size_t most_routes = std::size_t{1} << 17;

/// The links of the first ring of more than three NPUs, in the direction in which routes half
/// around a ring go: each link is followed by the next one on some route.
std::vector<Hop> ring_of(const NetworkDescription& network) {
    std::size_t stride = 1;
    for (const Dimension& dimension : network.dimensions) {
        const auto size = static_cast<std::size_t>(dimension.size);
        if (dimension.kind == DimensionKind::Ring && size > 3) {
            std::vector<Hop> ring;
            for (std::size_t i = 0; i < size; ++i) {
                const std::vector<Hop> step = dimension_order_route(
                    network.dimensions, NodeId(i * stride), NodeId((i + 1) % size * stride));
                ring.insert(ring.end(), step.begin(), step.end());
            }
            return ring;
        }
        stride *= size;
    }
    return {};
}

/// Adds what packets to a destination wait for where they choose among next hops, on one channel.
/// Returns how many places of packets were visited.
std::size_t add_choices(const NetworkDescription& network, NodeId destination,
                        ChannelDependencies& dependencies) {
    // Of routers that draw, some of their choices: any cycle among these is one.
    constexpr std::uint32_t draws = 8;
    std::set<std::pair<std::int32_t, std::uint64_t>> seen;
    std::vector<PacketPlace> open;
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        if (NodeId(from) != destination) {
            open.push_back({NodeId(from), NodeId(from), destination, Hop(), 0, 0, 0});
        }
    }
    std::vector<OfferedHop> next_hops;
    std::size_t visited = 0;
    for (; !open.empty(); ++visited) {
        PacketPlace place = open.back();
        open.pop_back();
        for (std::uint32_t draw = 0; draw < draws; ++draw) {
            place.hash = draw;
            place.sequence = draw;
            network.multipath->list_next_hops(network.graph, place, next_hops);
            for (const OfferedHop& offered : next_hops) {
                const LinkId first = offered.hop.link;
                const LinkId last = offered.then.link.valid() ? offered.then.link : first;
                if (place.in.link.valid()) {
                    dependencies.add({place.in.link, 0}, {first, 0});
                }
                if (last != first) {
                    dependencies.add({first, 0}, {last, 0});
                }
                PacketPlace next = place;
                next.in = offered.then.link.valid() ? offered.then : offered.hop;
                next.at = network.graph.link(last).to;
                next.memory = offered.memory;
                const std::uint64_t state =
                    std::uint64_t{next.memory} << 8 | next.in.virtual_channel;
                if (next.at != destination && seen.insert({last.value(), state}).second) {
                    open.push_back(next);
                }
            }
        }
    }
    return visited;
}

/// Adds the routes from an NPU to all others, on one channel. Returns how many.
std::size_t add_routes(const NetworkDescription& network, NodeId from,
                       ChannelDependencies& dependencies) {
    const std::size_t npus = network.graph.npus();
    for (std::size_t to = 0; to < npus; ++to) {
        std::vector<Hop> route = network.route(from, NodeId(to));
        for (Hop& hop : route) {
            hop.virtual_channel = 0;
        }
        dependencies.add_route(route);
    }
    return npus;
}

/// Looks for a cycle after 1, 2, 4, ... NPUs, as large networks have one among few.
PauseCycle search(const NetworkDescription& network) {
    const std::size_t npus = network.graph.npus();
    ChannelDependencies dependencies(network.graph.links(), 1);
    std::size_t routes = 0;
    std::size_t next_look = 1;
    for (std::size_t npu = 0; npu < npus; ++npu) {
        if (routes >= most_routes) {
            return {true, {}};
        }
        routes += add_routes(network, NodeId(npu), dependencies);
        if (network.multipath) {
            routes += add_choices(network, NodeId(npu), dependencies);
        }
        if (npu + 1 < next_look && npu + 1 < npus && routes < most_routes) {
            continue;
        }
        next_look *= 2;
        if (std::vector<Hop> cycle = dependencies.find_cycle(); !cycle.empty()) {
            return {true, std::move(cycle)};
        }
    }
    return {};
}

}  // namespace

PauseCycle find_pause_cycle(const NetworkDescription& network) {
    const int backup = network.faults.take_links_down() ? 1 : 0;
    if (network.virtual_channels_needed() - backup <= 1) {
        return {};
    }
    if (const auto* router = dynamic_cast<const GraphRouter*>(network.router.get())) {
        std::vector<Hop> cycle = router->find_cycle(network.graph);
        return {!cycle.empty(), std::move(cycle)};
    }
    if (!network.router) {
        if (std::vector<Hop> ring = ring_of(network); !ring.empty()) {
            return {true, std::move(ring)};
        }
    }
    return search(network);
}

}  // namespace npunet::topology
