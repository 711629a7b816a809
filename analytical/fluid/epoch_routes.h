// The routes that messages take while links are down: the usual ones where these are up, of several
// planes those that are up, else the ones that packets take from their sources
// (topology/network/reroutes.h). They change with the epochs, in each of which the same links are
// down.
//
//     EpochRoutes epochs(description, routes);
//     epochs.set_epoch(1);
//     const CachedRoute& route = routes[epochs.number(from, to)];
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analytical/route_table.h"
#include "engine/network/link_clock.h"
#include "topology/network/network_description.h"
#include "topology/network/reroutes.h"

namespace npunet::analytical {

class EpochRoutes {
public:
    /// The network has faults that take links down. The references must outlive this.
    EpochRoutes(const topology::NetworkDescription& description, RouteTable& routes);

    /// When the epochs begin, 0 first, ascending.
    [[nodiscard]] const std::vector<Time>& epochs() const { return reroutes_.epochs(); }
    void set_epoch(std::size_t epoch);

    /// The number in the table of the route of a pair in this epoch.
    [[nodiscard]] std::uint32_t number(NodeId source, NodeId destination);
    [[nodiscard]] bool is_down(LinkId link) const { return down_[link.index()]; }
    [[nodiscard]] const std::vector<LinkId>& down() const { return down_links_; }
    /// It is down and will not recover.
    [[nodiscard]] bool is_dead(LinkId link) const { return reroutes_.is_dead(link); }
    /// Throws the StallError of a message that has to cross a link that is dead from `time` on.
    [[noreturn]] void refuse(LinkId link, Time time, Bytes bytes, Time start) const {
        clock_.refuse(link, time, bytes, start);
    }

private:
    [[nodiscard]] bool meets_down(const std::vector<topology::Hop>& hops) const;
    [[nodiscard]] std::vector<topology::Hop> walk(NodeId source, NodeId destination) const;

    const topology::NetworkDescription& description_;
    RouteTable& routes_;
    topology::Reroutes reroutes_;
    engine::LinkClock clock_;
    std::vector<bool> down_;
    std::vector<LinkId> down_links_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< of pairs, in this epoch
    /// All routes that are not the usual ones, by pair and links with their channels.
    std::map<std::pair<std::uint64_t, std::vector<std::uint32_t>>, std::uint32_t> known_;
};

}  // namespace npunet::analytical
