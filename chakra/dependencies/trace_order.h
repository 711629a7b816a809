// The order in which the nodes of a trace are handed out when every node finishes at once and the
// lowest ready id goes first: the order in which collectives of a communicator and messages of a
// channel meet those of other ranks.
//
//     const std::vector<std::uint32_t> order = trace_order(graph, FollowedDeps::DataAndCtrl);
//     graph.id_of(order[0]);                            // the first node
//
// C++17-clean.
#pragma once

#include <vector>

#include "chakra/dependencies/dependency_graph.h"

namespace npunet::chakra {

/// All nodes, by their places in the file. Dangling dependencies count as satisfied. Nodes that can
/// never start (cycles, and what waits for them) come last, by ascending id.
[[nodiscard]] std::vector<DependencyGraph::Place> trace_order(const DependencyGraph& graph,
                                                              FollowedDeps followed);

}  // namespace npunet::chakra
