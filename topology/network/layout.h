// Where to draw the nodes of a network so that its shape shows.
//
//     const std::vector<NodeSpot> spots = layout_of(description);    // by node
//
// Networks of dimensions without switches are grids, of which the third and fourth dimension repeat
// the first and second; a single ring or full connection is a circle. All others stand in levels:
// NPUs at the bottom, every switch as far above as it is links away from them.
#pragma once

#include <vector>

#include "topology/network/network_description.h"

namespace npunet::topology {

struct NodeSpot {
    float x = 0;  ///< to the right, in steps of a grid
    float y = 0;  ///< downwards, in steps of a grid
};

[[nodiscard]] std::vector<NodeSpot> layout_of(const NetworkDescription& description);

}  // namespace npunet::topology
