// Routes on what is a dragonfly by its links (topology/graph/router_groups.h): those that a
// Dragonfly has (topology/builders/dragonfly.h). At most one of their links leads to another group,
// though two may be shorter than one and two local ones. Of n equal routes a pair takes number
// (s + d) mod n in the order of the links between groups, s and d being the places of the NPUs in
// their groups. The local link behind the one between groups has virtual channel 1, all others 0.
//
//     const GroupRoutes groups(graph, neighbours_of(graph));
//     if (groups.found()) {
//         std::vector<Hop> hops = groups.route(graph, from, to, list_steps);
//     }
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/graph/neighbours.h"
#include "topology/routing/router.h"

namespace npunet::topology {

class GroupRoutes {
public:
    /// No dragonfly.
    GroupRoutes() = default;
    GroupRoutes(const Graph& graph, const Neighbours& neighbours);

    [[nodiscard]] bool found() const { return !groups_.empty(); }
    /// Whether routes to a destination may take a link: they stay in a group or enter that of the
    /// destination. Without groups all do.
    [[nodiscard]] bool may_take(const Link& link, NodeId destination) const;

    /// Lists the links by which shortest routes to the destination go on from a node.
    using ListSteps = std::function<void(NodeId at, std::vector<LinkId>& steps)>;
    /// On channel 0. Never more than five links long.
    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to,
                                         const ListSteps& list_steps) const;
    void set_channels(const Graph& graph, std::vector<Hop>& route) const;

private:
    [[nodiscard]] bool leaves_group(const Link& link) const;

    std::int64_t npus_ = 0;             ///< of a group
    std::vector<std::int32_t> groups_;  ///< by node; else empty
};

}  // namespace npunet::topology
