// Dimension-order routing on product networks: a pure function of the dimensions and the two NPUs.
//
// The packet settles coordinate 0 first, then coordinate 1, and so on (on a Mesh2D: XY routing).
// Link ids follow from arithmetic alone, because the builder numbers the links dimension by
// dimension, line by line, in the order of the line (topology/line.h).
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <vector>

#include "base/ids.h"
#include "topology/dimension.h"
#include "topology/hop.h"

namespace npunet::topology {

/// The hops from one NPU to another, empty when they are the same. O(dimensions + hops).
[[nodiscard]] std::vector<Hop> dimension_order_route(const std::vector<Dimension>& dimensions,
                                                     NodeId from, NodeId to);

/// The least number of virtual channels with which dimension-order routing is free of deadlock: 2
/// when some ring has more than three NPUs, else 1.
///
/// Links wait only for links of the same or of a later dimension, so a cycle of waiting stays
/// within the lines of one dimension, and there only a ring whose routes are longer than one hop
/// can close it.
[[nodiscard]] std::uint8_t dimension_order_channels(const std::vector<Dimension>& dimensions);

}  // namespace npunet::topology
