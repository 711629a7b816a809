#include "topology/routing/product_routing.h"

#include <algorithm>
#include <cstdint>

#include "base/splitmix64.h"
#include "topology/graph/line.h"

namespace npunet::topology {

std::vector<Hop> dimension_order_route(const std::vector<Dimension>& dimensions, NodeId from,
                                       NodeId to) {
    std::int64_t npus = 1;
    for (const Dimension& dimension : dimensions) {
        npus *= dimension.size;
    }
    std::vector<Hop> hops;
    std::int64_t first_link = 0;
    std::int64_t stride = 1;
    std::int64_t at = from.value();
    for (const Dimension& dimension : dimensions) {
        const std::int64_t size = dimension.size;
        const std::int64_t here = at / stride % size;
        const std::int64_t there = to.value() / stride % size;
        const std::int64_t line_number = at / (stride * size) * stride + at % stride;
        visit_line(dimension, [&](const auto& line) {
            line.route(static_cast<std::int32_t>(here), static_cast<std::int32_t>(there),
                       first_link + line_number * line.links(), hops);
            first_link += npus / size * line.links();
        });
        at += (there - here) * stride;
        stride *= size;
    }
    return hops;
}

std::uint8_t dimension_order_channels(const std::vector<Dimension>& dimensions) {
    std::uint8_t needed = 1;
    for (const Dimension& dimension : dimensions) {
        needed = std::max(needed, visit_line(dimension, [](const auto& line) {
                              return line.virtual_channels_needed();
                          }));
    }
    return needed;
}

ProductNextHops::ProductNextHops(std::vector<Dimension> dimensions)
    : dimensions_(std::move(dimensions)), escapes_(dimension_order_channels(dimensions_)) {
    for (const Dimension& dimension : dimensions_) {
        npus_ *= dimension.size;
    }
    Block block;
    for (const Dimension& dimension : dimensions_) {
        block.line_links = visit_line(dimension, [](const auto& line) { return line.links(); });
        blocks_.push_back(block);
        block.first_link += npus_ / dimension.size * block.line_links;
        block.stride *= dimension.size;
    }
}

/// `line_link`: the first link of the line. The escape follows the line's route; the adaptive
/// channel also the other direction of a ring if that is equally short.
void ProductNextHops::add_next_hops(std::size_t dimension, std::int64_t line_link,
                                    std::int32_t here, std::int32_t there, bool escape_too,
                                    std::vector<OfferedHop>& next_hops) const {
    const Dimension& own = dimensions_[dimension];
    std::vector<Hop> hops;
    const auto route = [&](std::int32_t to) {
        hops.clear();
        visit_line(own, [&](const auto& line) { line.route(here, to, line_link, hops); });
        return hops.front().link;
    };
    const LinkId forward = route(there);
    OfferedHop next_hop;
    next_hop.hop = Hop{forward, escapes_};
    next_hop.needs_room = true;
    next_hops.push_back(next_hop);
    const bool ring = own.kind == DimensionKind::Ring;
    const std::int32_t ahead = (there - here + own.size) % own.size;
    if (ring && own.size > 2 && 2 * ahead == own.size) {
        next_hop.hop.link = route((here + own.size - 1) % own.size);
        next_hops.push_back(next_hop);
    }
    if (escape_too) {
        const bool upwards = 2 * ahead <= own.size;
        const bool closes = upwards ? here > there : here < there;
        next_hop.hop =
            Hop{forward, static_cast<std::uint8_t>(ring && own.size > 3 && !closes ? 1 : 0)};
        next_hop.needs_room = false;
        next_hop.escape = true;
        next_hops.push_back(next_hop);
    }
}

/// At the switch of a line: the second link of the line's route, on the channel on which the packet
/// came. A packet that came by the adaptive channel may still have to move in lower dimensions, and
/// must not hold the escape channel of this one. It waits for the adaptive channel, whose holders
/// are at an NPU and have their escape.
void ProductNextHops::list_at_switch(const Graph& graph, const PacketPlace& place,
                                     std::vector<OfferedHop>& next_hops) const {
    const auto dimension = static_cast<std::size_t>(graph.link(place.in.link).dimension);
    const Dimension& own = dimensions_[dimension];
    const Block& block = blocks_[dimension];
    const std::int64_t offset = place.in.link.value() - block.first_link;
    const std::int64_t line_link = block.first_link + offset / block.line_links * block.line_links;
    const auto here = static_cast<std::int32_t>(offset % block.line_links);
    const auto there =
        static_cast<std::int32_t>(place.destination.value() / block.stride % own.size);
    std::vector<Hop> hops;
    SwitchLine{own.size}.route(here, there, line_link, hops);
    OfferedHop next_hop;
    next_hop.hop = Hop{hops[1].link, place.in.virtual_channel};
    next_hops.push_back(next_hop);
}

void ProductNextHops::list_next_hops(const Graph& graph, const PacketPlace& place,
                                     std::vector<OfferedHop>& next_hops) const {
    next_hops.clear();
    const std::int64_t at = place.at.value();
    if (at >= npus_) {
        list_at_switch(graph, place, next_hops);
        return;
    }
    // To spread equal choices, the list begins with a random dimension. The escape is in the
    // lowest.
    const std::size_t count = dimensions_.size();
    const std::size_t drawn = splitmix64(place.hash + static_cast<std::uint64_t>(at)) % count;
    const auto coordinate = [&](std::int64_t npu, std::size_t i) {
        return static_cast<std::int32_t>(npu / blocks_[i].stride % dimensions_[i].size);
    };
    std::size_t lowest = 0;
    while (coordinate(at, lowest) == coordinate(place.destination.value(), lowest)) {
        ++lowest;
    }
    for (std::size_t turn = 0; turn < count; ++turn) {
        const std::size_t i = (drawn + turn) % count;
        const std::int64_t size = dimensions_[i].size;
        const Block& block = blocks_[i];
        const std::int32_t here = coordinate(at, i);
        const std::int32_t there = coordinate(place.destination.value(), i);
        if (here == there) {
            continue;
        }
        const std::int64_t line = at / (block.stride * size) * block.stride + at % block.stride;
        add_next_hops(i, block.first_link + line * block.line_links, here, there, i == lowest,
                      next_hops);
    }
}

}  // namespace npunet::topology
