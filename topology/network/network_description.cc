#include "topology/network/network_description.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "topology/network/scale_up.h"
#include "topology/routing/product_routing.h"

namespace npunet::topology {

std::vector<Hop> NetworkDescription::route(NodeId from, NodeId to) const {
    if (from.index() >= graph.npus() || to.index() >= graph.npus()) {
        const LinkId link = graph.find_link(from, to);
        assert(link.valid());
        return {{link, 0}};
    }
    if (router) {
        return from == to ? std::vector<Hop>() : router->route(graph, from, to);
    }
    return dimension_order_route(dimensions, from, to);
}

PlaneRoutes NetworkDescription::routes(NodeId from, NodeId to) const {
    const bool npus = from.index() < graph.npus() && to.index() < graph.npus();
    return planes && npus ? planes->routes(graph, faults, from, to) : PlaneRoutes{route(from, to)};
}

std::uint8_t NetworkDescription::virtual_channels_needed() const {
    return static_cast<std::uint8_t>(channels_of_routes() + (faults.take_links_down() ? 1 : 0));
}

std::uint8_t NetworkDescription::channels_of_routes() const {
    if (multipath) {
        return multipath->virtual_channels_needed();
    }
    return router ? router->virtual_channels_needed() : dimension_order_channels(dimensions);
}

std::string NetworkDescription::routing_name() const {
    if (multipath) {
        return multipath->name();
    }
    return router ? router->name() : "dimension-order";
}

std::uint8_t NetworkDescription::virtual_channels() const {
    return packet.virtual_channels > 0 ? packet.virtual_channels : virtual_channels_needed();
}

const PacketParameters& NetworkDescription::packet_of(LinkId link) const {
    return scale_up && scale_up->has(link) ? scale_up->packet : packet;
}

Bytes NetworkDescription::buffer_of(LinkId link) const {
    if (const Bytes given = packet_of(link).buffer; given > Bytes(0)) {
        return given;
    }
    constexpr std::int64_t least = std::int64_t{256} * 1024;
    constexpr std::int64_t most = std::int64_t{1} << 50;
    __extension__ using Wide = __int128;
    const Link& wire = graph.link(link);
    const Wide round_trip =
        static_cast<Wide>(2) * wire.latency.ps() * wire.rate.bytes_per_second() / 1'000'000'000'000;
    const Wide wanted = round_trip + 4 * Wide{(packet.mtu + packet.header).value()};
    return Bytes(static_cast<std::int64_t>(std::clamp<Wide>(wanted, least, most)));
}

Bytes NetworkDescription::shared_buffer_of(NodeId node) const {
    if (packet.buffer > Bytes(0)) {
        return packet.buffer;
    }
    constexpr Bytes most(std::int64_t{1} << 60);
    constexpr Rate per(3'125'000'000);
    __extension__ using Wide = __int128;
    Bytes room;
    for (const LinkId id : graph.links_to(node)) {
        if (scale_up && scale_up->has(id)) {
            continue;
        }
        const Wide share =
            Wide{128} * 1024 * graph.link(id).rate.bytes_per_second() / per.bytes_per_second();
        const Bytes capped(static_cast<std::int64_t>(std::min<Wide>(share, most.value())));
        room = std::min(room + std::max(buffer_of(id), capped), most);
    }
    return room;
}

NetworkDescription NetworkDescription::with_placement(std::vector<NodeId> npus) const {
    assert(!npus.empty());
    NetworkDescription placed = *this;
    placed.npu_of_rank = std::move(npus);
    // What other NPUs reach without passing through a third one.
    std::vector<bool> of_others(graph.nodes(), false);
    std::fill_n(of_others.begin(), graph.npus(), true);
    for (const NodeId npu : placed.npu_of_rank) {
        of_others[npu.index()] = false;
    }
    std::vector<NodeId> reached;
    for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
        if (of_others[npu]) {
            reached.emplace_back(npu);
        }
    }
    for (std::size_t next = 0; next < reached.size(); ++next) {
        for (const LinkId link : graph.links_from(reached[next])) {
            const NodeId to = graph.link(link).to;
            if (graph.kind(to) == NodeKind::Switch && !of_others[to.index()]) {
                of_others[to.index()] = true;
                reached.push_back(to);
            }
        }
    }
    for (ReducingSwitch& reducing : placed.reducing_switches) {
        if (of_others[reducing.node.index()]) {
            reducing.entries = 0;
        }
    }
    return placed;
}

std::int32_t NetworkDescription::coordinate(NodeId npu, std::size_t dimension) const {
    std::int32_t rest = npu.value();
    for (std::size_t lower = 0; lower < dimension; ++lower) {
        rest /= dimensions[lower].size;
    }
    return rest % dimensions[dimension].size;
}

}  // namespace npunet::topology
