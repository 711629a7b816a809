// How Metis divides the samples of a micro-batch among replicas of unequal speed.
//
//     balance({2, 1}, 8);    // speeds: 5 and 3 samples
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::planner::metis {

/// Shares of `samples` in proportion to the speeds, rounded down, the rest one each to those with
/// the largest fractions; the first of equals. Bit for bit as the original computes them.
[[nodiscard]] std::vector<std::int64_t> balance(const std::vector<double>& speeds,
                                                std::int64_t samples);

}  // namespace npunet::planner::metis
