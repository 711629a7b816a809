// Which NPU each rank sits on.
//
//     linear: rank r on NPU r
//     snake:  every other pass over a dimension runs backwards, so that consecutive ranks are
//             neighbours: on a 3 x 2 mesh ranks 0 .. 5 sit on NPUs 0 1 2 5 4 3
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "topology/dimension.h"

namespace npunet::topology {

[[nodiscard]] std::vector<NodeId> linear_placement(std::size_t npus);

/// Consecutive ranks differ by one in one coordinate and agree in all others.
[[nodiscard]] std::vector<NodeId> snake_placement(const std::vector<Dimension>& dimensions);

}  // namespace npunet::topology
