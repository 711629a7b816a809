#include "analytical/fluid/epoch_routes.h"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "topology/routing/multipath.h"
#include "topology/routing/pair_hash.h"

namespace npunet::analytical {

using topology::Hop;
using topology::OfferedHop;

EpochRoutes::EpochRoutes(const topology::NetworkDescription& description, RouteTable& routes)
    : description_(description), routes_(routes), reroutes_(description), clock_(description) {
    set_epoch(0);
}

void EpochRoutes::set_epoch(std::size_t epoch) {
    reroutes_.set_epoch(epoch);
    numbers_.clear();
    down_links_.clear();
    down_.assign(description_.graph.links(), false);
    const Time begin = epochs()[epoch];
    for (const topology::LinkFault& fault : description_.faults.links) {
        const bool holds = fault.at <= begin && begin < fault.until;
        if (holds && fault.bandwidth.billionths == 0 && !down_[fault.link.index()]) {
            down_[fault.link.index()] = true;
            down_links_.push_back(fault.link);
        }
    }
}

bool EpochRoutes::meets_down(const std::vector<Hop>& hops) const {
    return std::any_of(hops.begin(), hops.end(),
                       [&](const Hop& hop) { return down_[hop.link.index()]; });
}

std::uint32_t EpochRoutes::number(NodeId source, NodeId destination) {
    if (down_links_.empty()) {
        return routes_.number(source, destination);
    }
    const std::uint64_t pair = (static_cast<std::uint64_t>(source.value()) << 32) |
                               static_cast<std::uint32_t>(destination.value());
    const auto [place, added] = numbers_.try_emplace(pair, 0);
    if (!added) {
        return place->second;
    }
    const topology::PlaneRoutes usual = description_.routes(source, destination);
    topology::PlaneRoutes up;
    if (description_.multipath != nullptr && usual.size() > 1) {
        std::copy_if(usual.begin(), usual.end(), std::back_inserter(up),
                     [&](const std::vector<Hop>& plane) { return !meets_down(plane); });
    } else if (!meets_down(usual.front())) {
        up = usual;
    }
    if (up.empty()) {
        up = {walk(source, destination)};
    }
    if (up == usual) {
        return place->second = routes_.number(source, destination);
    }
    std::vector<std::uint32_t> links;
    for (const std::vector<Hop>& plane : up) {
        for (const Hop& hop : plane) {
            links.push_back(static_cast<std::uint32_t>(hop.link.value()));
            links.push_back(hop.virtual_channel);
        }
    }
    const auto [known, is_new] = known_.try_emplace({pair, std::move(links)}, 0);
    if (is_new) {
        known->second = routes_.add(source, destination, up);
    }
    return place->second = known->second;
}

std::vector<Hop> EpochRoutes::walk(NodeId source, NodeId destination) const {
    topology::PacketPlace place;
    place.at = source;
    place.source = source;
    place.destination = destination;
    place.hash = topology::pair_hash(description_.packet.seed, source, destination);
    std::vector<Hop> hops;
    std::vector<OfferedHop> offered;
    const auto cross = [&](const Hop& hop, std::uint32_t memory) {
        hops.push_back(hop);
        place.in = hop;
        place.at = description_.graph.link(hop.link).to;
        place.memory = memory;
    };
    while (place.at != destination) {
        reroutes_.list_next_hops(description_.graph, place, offered);
        // Buffers with room are not waited for.
        std::erase_if(offered, [](const OfferedHop& each) { return each.needs_room; });
        const OfferedHop next = offered[place.hash % offered.size()];
        cross(next.hop, next.memory);
        if (next.then.link.valid() && place.at != destination) {
            cross(next.then, next.memory);
        }
        assert(hops.size() <= 2 * description_.graph.nodes());
    }
    return hops;
}

}  // namespace npunet::analytical
