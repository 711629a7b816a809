// Where to draw the nodes of a network so that its shape shows.
//
//     const std::vector<NodeSpot> spots = layout_of(description);    // by node
//
// Networks of dimensions without switches are grids: three dimensions as planes one above the
// other, of more the third and fourth repeat the first and second; a single ring or full connection
// is a circle. All others stand in rows (node_rows.h), NPUs at the bottom.
#pragma once

#include <cstddef>
#include <vector>

#include "topology/network/network_description.h"

namespace npunet::topology {

struct NodeSpot {
    float x = 0;  ///< to the right, in steps of a grid
    float y = 0;  ///< downwards, in steps of a grid
};

[[nodiscard]] std::vector<NodeSpot> layout_of(const NetworkDescription& description);

/// Of a product of two dimensions or more of these sizes, without switches.
[[nodiscard]] std::vector<NodeSpot> grid_layout(const std::vector<std::size_t>& sizes);

}  // namespace npunet::topology
