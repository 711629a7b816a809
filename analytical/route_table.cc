#include "analytical/route_table.h"

#include <algorithm>

#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

RouteTable::RouteTable(const topology::NetworkDescription& description)
    : description_(description), latest_(description.graph.nodes(), none), places_(64, none) {}

std::size_t RouteTable::place_of(NodeId source, NodeId destination) const {
    const std::uint64_t pair = (static_cast<std::uint64_t>(source.value()) << 32) |
                               static_cast<std::uint32_t>(destination.value());
    const std::size_t mask = places_.size() - 1;
    std::size_t place = static_cast<std::size_t>((pair * 0x9e3779b97f4a7c15ULL) >> 29) & mask;
    while (places_[place] != none) {
        const CachedRoute& route = routes_[places_[place]];
        if (route.source == source && route.destination == destination) {
            break;
        }
        place = (place + 1) & mask;
    }
    return place;
}

std::uint32_t RouteTable::find(NodeId source, NodeId destination) {
    const std::size_t place = place_of(source, destination);
    if (places_[place] != none) {
        return places_[place];
    }
    if (2 * (found_.size() + 1) > places_.size()) {
        grow();
    }
    const std::uint32_t number = add(source, destination, description_.routes(source, destination));
    found_.push_back(number);
    places_[place_of(source, destination)] = number;
    return number;
}

std::uint32_t RouteTable::add(NodeId source, NodeId destination,
                              const topology::PlaneRoutes& planes) {
    const std::vector<topology::Hop>& hops = planes.front();
    CachedRoute route;
    route.source = source;
    route.destination = destination;
    route.begin = static_cast<std::uint32_t>(links_.size());
    route.hops = static_cast<std::uint32_t>(hops.size());
    route.planes = static_cast<std::uint32_t>(planes.size());
    route.first = hops.front().link;
    route.last = hops.back().link;
    route.first_rate = route.slowest = description_.graph.link(route.first).rate;
    route.last_rate = description_.graph.link(route.last).rate;
    for (const topology::Hop& hop : hops) {
        const topology::Link& link = description_.graph.link(hop.link);
        route.latency = engine::later(route.latency, link.latency);
        route.slowest = std::min(route.slowest, link.rate);
        route.one_rate = route.one_rate && link.rate == route.first_rate;
    }
    for (const std::vector<topology::Hop>& plane : planes) {
        for (const topology::Hop& hop : plane) {
            links_.push_back(hop.link);
            channels_.push_back(hop.virtual_channel);
        }
    }
    routes_.push_back(route);
    return static_cast<std::uint32_t>(routes_.size() - 1);
}

void RouteTable::grow() {
    places_.assign(2 * places_.size(), none);
    for (const std::uint32_t number : found_) {
        places_[place_of(routes_[number].source, routes_[number].destination)] = number;
    }
}

}  // namespace npunet::analytical
