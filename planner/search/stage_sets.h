// Which devices a stage may have, up to the exchange of equal nodes: whole nodes of some classes,
// and at most one part of a split node.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/search/problem.h"

namespace npunet::planner {

struct StageSet {
    std::vector<std::int32_t> whole;  ///< whole nodes of each class
    std::int32_t part_class = -1;     ///< -1: no part
    std::int64_t part_devices = 0;    ///< a power of two, less than the class's nodes have
    std::int64_t devices = 0;         ///< in all

    [[nodiscard]] bool is_part() const { return devices == part_devices; }
};

/// All sets whose number of devices `wanted` accepts, in a fixed order. Throws InputError for a
/// cluster of so many kinds of nodes that the sets pass memory.
[[nodiscard]] std::vector<StageSet> stage_sets(const Problem& problem,
                                               const std::function<bool(std::int64_t)>& wanted);

}  // namespace npunet::planner
