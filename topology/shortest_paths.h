// Routing::ShortestPath: the fewest links, the lowest link number among equals, on any graph.
//
//     if (std::vector<Hop> cycle = shortest_path_cycle(network.graph); cycle.empty()) {
//         use_shortest_paths(network);
//     }
//
// Packets stay on virtual channel 0, so the routes may only be used where they do not wait for each
// other in a circle. On meshes, cliques and switches these are the dimension-order routes; a ring
// of four or more is refused.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <mutex>
#include <vector>

#include "base/ids.h"
#include "topology/graph.h"
#include "topology/hop.h"
#include "topology/network_description.h"

namespace npunet::topology {

/// For every node the link by which it sends towards `destination`; invalid at the destination and
/// where there is no way. Breadth first, O(nodes + links).
[[nodiscard]] std::vector<LinkId> next_links(const Graph& graph, NodeId destination);

/// A cycle of channels that wait for each other under shortest-path routing between all NPUs, empty
/// when there is none. O(npus x (nodes + links)).
[[nodiscard]] std::vector<Hop> shortest_path_cycle(const Graph& graph);

/// Switches the routing of a network; shortest_path_cycle() must be empty. The graph must not
/// change afterwards.
void use_shortest_paths(NetworkDescription& network);

/// The routes, worked out destination by destination when first asked for. Copies of a network
/// share them; several threads may ask at once.
class ShortestPaths {
public:
    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to);

private:
    [[nodiscard]] const std::vector<LinkId>& towards(const Graph& graph, NodeId destination);

    std::mutex mutex_;
    std::vector<std::vector<LinkId>> next_;  ///< by destination; empty until asked for
};

}  // namespace npunet::topology
