// Small clusters and profiles for tests, made by a formula.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planner/metis/arguments.h"

namespace npunet::planner::metis {

/// Nodes of (type, slots) in order; every type is an address of its own. Types that come later in
/// "A100", "V100", "P100", "T4" are slower, hold less and have other bandwidths.
[[nodiscard]] Inputs made_inputs(const std::vector<std::pair<std::string, std::int64_t>>& nodes,
                                 std::int64_t layers, std::int64_t most_tp,
                                 std::int64_t most_batch);

[[nodiscard]] Arguments made_arguments(std::int64_t layers, std::int64_t gbs, std::int64_t most_tp,
                                       std::int64_t most_batch);

}  // namespace npunet::planner::metis
