// The dependencies of a small trace as a graph in the language of Graphviz.
//
//     write_dot(nodes, out);         // dot -Tsvg trace.dot
//
// An edge goes from a node to the one that waits for it: solid for data, dashed with a bar at its
// end for control. Dependencies on absent nodes end in a node of their own, dotted.
#pragma once

#include <ostream>
#include <vector>

#include "chakra/node.h"

namespace npunet::chakra {

/// No layout of more nodes says anything to people.
inline constexpr std::size_t most_drawn_nodes = 5000;

void write_dot(const std::vector<Node>& nodes, std::ostream& out);

}  // namespace npunet::chakra
