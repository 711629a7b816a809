// Recognises the groups of a dragonfly by its links.
//
//     const std::int64_t npus = npus_of_router_group(graph, neighbours_of(graph));   // 0: none
//
// C++17-clean.
#pragma once

#include <cstdint>

#include "topology/graph/graph.h"
#include "topology/graph/neighbours.h"

namespace npunet::topology {

/// The NPUs of a group where these are numbered as make_dragonfly() does
/// (topology/builders/dragonfly.h): routers with equally many consecutive NPUs, whose links all
/// lead there and back, groups of two or more consecutive routers that are pairwise linked, and two
/// or more groups with equally many links between any two; links within all groups of one speed,
/// and those between them. 0 where there are none, or where all routers are pairwise linked at one
/// speed, so that any of them could be a group. Of several numbers the smallest. `neighbours`: of
/// the graph, parallel links as one.
[[nodiscard]] std::int64_t npus_of_router_group(const Graph& graph, const Neighbours& neighbours);

}  // namespace npunet::topology
