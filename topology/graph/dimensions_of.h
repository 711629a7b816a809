// Recognises a product of dimensions by its links.
//
//     const std::vector<Dimension> dimensions = dimensions_of(graph, neighbours_of(graph));
//
// C++17-clean.
#pragma once

#include <vector>

#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"
#include "topology/graph/neighbours.h"

namespace npunet::topology {

/// The dimensions, none of size 1, of which make_network() (topology/builders/builder.h) makes the
/// same links between the same NPUs, parallel links taken together; switches may be numbered in any
/// order. Empty when there are none, or one NPU. Where several kinds are the same, as a ring of
/// three and a clique of three, it is a clique. `neighbours`: of the graph. O(links log links).
[[nodiscard]] std::vector<Dimension> dimensions_of(const Graph& graph,
                                                   const Neighbours& neighbours);

/// The graph's links in the order in which make_network() makes those of the dimensions, which are
/// the graph's; of parallel links the lowest. O(links log links).
[[nodiscard]] std::vector<LinkId> links_in_product_order(const Graph& graph,
                                                         const Neighbours& neighbours,
                                                         const std::vector<Dimension>& dimensions);

}  // namespace npunet::topology
