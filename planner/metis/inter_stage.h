// The order in which Metis visits numbers of stages, for one node sequence after the other.
//
// Kept from the original: for every node sequence after the first, the plans of one stage are never
// visited; instead the groups of the first number of stages that has any are, once as if they were
// one stage (only the first group is costed then) and once as themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/metis/arguments.h"

namespace npunet::planner::metis {

struct Visit {
    std::int64_t sequence = 0;  ///< number of the node sequence
    std::int64_t stages = 0;    ///< of the device groups
    std::int64_t costed = 0;    ///< so many of the stages are costed
};

/// Throws InputError where the original finds no group at all and ends.
[[nodiscard]] std::vector<Visit> visits(std::int64_t devices, std::int64_t sequences,
                                        const Arguments& arguments);

/// From `number` down to 1.
[[nodiscard]] std::vector<std::int64_t> divisors_downwards(std::int64_t number);

}  // namespace npunet::planner::metis
