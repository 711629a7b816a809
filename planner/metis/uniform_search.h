// Metis's search on a cluster of one type of device: every plan with the same dp, tp and pp
// throughout. (The program around it cannot start in the version that the reference describes; the
// search itself works.)
//
//     const UniformResult result = uniform_search(inputs, arguments, "A100");
//     result.plans[result.best().front()].cost_ms;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/metis/arguments.h"

namespace npunet::planner::metis {

struct UniformPlan {
    std::int64_t dp = 0;
    std::int64_t pp = 0;
    std::int64_t tp = 0;
    std::int64_t micro_batch = 0;  ///< samples
    double cost_ms = 0;
    std::vector<std::int64_t> layers;  ///< of each stage
    double memory_mb = 0;  ///< the largest sum of a stage's layers; Metis does not check it
};

struct UniformResult {
    std::vector<UniformPlan> plans;   ///< in the order of the search
    std::uint64_t plans_dropped = 0;  ///< their profile is missing
    /// Numbers of all plans, the best first; the first found first among equals.
    [[nodiscard]] std::vector<std::size_t> best() const;
};

/// All devices are taken to be of `type`. Throws InputError when it has no profile at all.
[[nodiscard]] UniformResult uniform_search(const Inputs& inputs, const Arguments& arguments,
                                           const std::string& type);

}  // namespace npunet::planner::metis
