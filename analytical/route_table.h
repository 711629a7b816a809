// The routes that messages have taken so far, each looked up once.
//
//     RouteTable routes(description);
//     const std::uint32_t number = routes.number(from, to);
//     const CachedRoute& route = routes[number];
//     for (LinkId link : routes.links(route)) { ... }
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/network/link_clock.h"
#include "topology/network/network_description.h"

namespace npunet::analytical {

struct CachedRoute {
    NodeId source;
    NodeId destination;
    Time latency;  ///< of all links together
    Rate slowest;  ///< of the links' rates
    Rate first_rate;
    Rate last_rate;
    LinkId first;
    LinkId last;
    std::uint32_t begin = 0;   ///< in the table's list of links: those of plane 0, then the others'
    std::uint32_t hops = 0;    ///< of each plane
    std::uint32_t planes = 1;  ///< like this one, which are used together; above, plane 0
    bool one_rate = true;      ///< all links have the same rate

    /// What plane number p carries of `bytes`: all of them add up to these, the first planes
    /// have a byte more.
    [[nodiscard]] Bytes part(Bytes bytes, std::uint32_t p) const {
        return Bytes(bytes.value() / planes + (p < bytes.value() % planes ? 1 : 0));
    }
};

using engine::LinkSpan;

class RouteTable {
public:
    /// The description must outlive the table.
    explicit RouteTable(const topology::NetworkDescription& description);

    /// The number of a route, counted from 0 in the order of first use. source != destination.
    [[nodiscard]] std::uint32_t number(NodeId source, NodeId destination) {
        const std::uint32_t latest = latest_[source.index()];
        if (latest != none && routes_[latest].destination == destination) {
            return latest;
        }
        return latest_[source.index()] = find(source, destination);
    }
    /// Another route of a pair, plane by plane, for callers that keep its number; the planes have
    /// as many hops each.
    std::uint32_t add(NodeId source, NodeId destination, const topology::PlaneRoutes& planes);
    [[nodiscard]] const CachedRoute& operator[](std::uint32_t number) const {
        return routes_[number];
    }
    /// Of plane 0.
    [[nodiscard]] LinkSpan links(const CachedRoute& route) const {
        return {links_.data() + route.begin, route.hops};
    }
    [[nodiscard]] LinkId first(const CachedRoute& route, std::uint32_t plane) const {
        return links_[route.begin + plane * route.hops];
    }
    [[nodiscard]] LinkId last(const CachedRoute& route, std::uint32_t plane) const {
        return links_[route.begin + (plane + 1) * route.hops - 1];
    }
    /// The link at a place of the list, CachedRoute::begin and on.
    [[nodiscard]] LinkId link(std::uint32_t place) const { return links_[place]; }
    /// The virtual channel on it.
    [[nodiscard]] std::uint8_t channel(std::uint32_t place) const { return channels_[place]; }

private:
    static constexpr std::uint32_t none = 0xffffffff;

    [[nodiscard]] std::uint32_t find(NodeId source, NodeId destination);
    [[nodiscard]] std::size_t place_of(NodeId source, NodeId destination) const;
    void grow();

    const topology::NetworkDescription& description_;
    std::vector<CachedRoute> routes_;
    std::vector<LinkId> links_;
    std::vector<std::uint8_t> channels_;  ///< of links_
    std::vector<std::uint32_t> latest_;   ///< by source: the route looked up last
    std::vector<std::uint32_t> found_;    ///< the usual routes
    std::vector<std::uint32_t> places_;   ///< of these; open addressing; a power of two
};

}  // namespace npunet::analytical
