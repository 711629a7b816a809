// What messages of one size on one route have in common: the links, and the times that packets
// need on them.
//
//     PathTable paths(description, routes);
//     const std::uint32_t number = paths.take(route, plane, bytes);
//     paths[number].hops[0].full;
//     paths.give_back(number);               // the message has arrived
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analytical/fluid/link_fold.h"
#include "analytical/route_table.h"
#include "base/pool.h"
#include "base/quantities.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

namespace npunet::analytical {

struct PathHop {
    std::uint32_t link = 0;
    std::uint32_t behind = 0;  ///< the buffer behind the link
    std::uint32_t queue = 0;   ///< what queues together at the link has the same number
    std::uint32_t copies = 1;  ///< of the message cross it, where NPUs are folded
    Time latency;
    Time full;   ///< a packet on the link
    Time last;   ///< the last packet
    Time total;  ///< all packets
    Time header;
    /// Between the sending of something here and at the next link, for a stream of packets.
    Time shift;
};

struct Path {
    std::vector<PathHop> hops = {};
    Bytes bytes;
    Bytes wire;
    std::int64_t packets = 1;
    /// As many packets take the time that its packets take at the rate of the congestion control.
    std::int64_t paced = 1;
    // With queue pairs.
    Bytes window;
    Bytes queueing;   ///< the window beyond the bandwidth-delay product, which is what may queue
    Time round_trip;  ///< of a packet and its acknowledgement, where nothing waits
    std::uint32_t route = 0;  ///< where it begins in the table of routes
    std::uint32_t plane = 0;
    std::uint32_t traffic_class = 0;
    NodeId source;
    NodeId destination;
    std::uint32_t users = 0;          ///< messages under way
    std::uint64_t messages = 0;       ///< that have arrived
    std::uint32_t next = 0xffffffff;  ///< another size on the same route
};

class PathTable {
public:
    /// The references must outlive the table. With a fold, links are those that stand for others.
    PathTable(const topology::NetworkDescription& description, const RouteTable& routes,
              const LinkFold* fold);

    /// The links of plane number `plane` of a route.
    [[nodiscard]] std::uint32_t take(const CachedRoute& route, std::uint32_t plane, Bytes bytes,
                                     std::uint32_t traffic_class);
    void give_back(std::uint32_t number) {
        Path& path = paths_[number];
        --path.users;
        ++path.messages;
    }
    /// One less that is under way, which does not arrive.
    void let_go(std::uint32_t number) { --paths_[number].users; }
    /// Until the next take(); its hops, as long as it is used.
    [[nodiscard]] const Path& operator[](std::uint32_t number) const { return paths_[number]; }

    /// What each link has carried of the messages that have arrived.
    [[nodiscard]] std::vector<engine::LinkUse> link_use() const;

private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// Sizes of a route that are kept though no message has them.
    static constexpr int most_unused = 4;

    void fill(Path& path, const CachedRoute& route, std::uint32_t place, Bytes bytes) const;
    /// Whether some link of the route has the transport of network.yml.
    [[nodiscard]] bool leaves_scale_up(std::uint32_t place, std::uint32_t hops) const;
    void pace(Path& path, std::uint32_t place, std::uint32_t hops) const;
    [[nodiscard]] std::uint32_t queue_of(const Path& path, std::uint32_t h) const;
    void add_use(std::vector<engine::LinkUse>& uses, const Path& path) const;

    const topology::NetworkDescription& description_;
    const RouteTable& routes_;
    const LinkFold* fold_;
    std::uint32_t channels_;  ///< of each traffic class
    std::uint32_t classes_;
    Pool<Path> paths_;
    std::vector<std::uint32_t> first_;   ///< by place and class
    std::vector<std::uint32_t> used_;    ///< paths, in the order of their first use
    std::vector<engine::LinkUse> past_;  ///< of paths that have changed their size
};

}  // namespace npunet::analytical
