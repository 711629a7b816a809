// The order of nodes that up*/down* routing goes by: a link leads up when it leads to a node that
// is lower in it.
//
//     std::vector<std::uint32_t> order = up_down_order(graph, [](LinkId) { return true; });
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "topology/graph/graph.h"

namespace npunet::topology {

/// By node its place in the order of (distance from the root, number). The root is the node with
/// the most links, the lowest of equals; distances go by the links for which `counts` is true, in
/// both directions. Who cannot be reached comes last.
[[nodiscard]] std::vector<std::uint32_t> up_down_order(const Graph& graph,
                                                       const std::function<bool(LinkId)>& counts);

/// The same where links go down for good, at these times by link (Time::max(): never): first by the
/// links that stay, then on from what is reached over the link that lives longest, and so on, so
/// that every node can go up as long as it is joined to the root. Links count that have one back.
[[nodiscard]] std::vector<std::uint32_t> lasting_order(const Graph& graph,
                                                       const std::vector<Time>& dead_from);

}  // namespace npunet::topology
