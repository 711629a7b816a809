// From axes to points: the product, cut down by an expression, then by a random sample.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "study/sweep/design_space.h"
#include "study/sweep/expression.h"

namespace npunet::study {

struct Selection {
    std::optional<Expression> where;  ///< its names are parameters that are numbers, or npus
    std::optional<std::uint64_t> sample_count;
    std::uint64_t seed = 0;
};

/// Sets the points of a space whose axes are complete. Throws InputError for more than 10 million
/// combinations, more than a million points, no point at all, and for what the expression throws
/// (then with the combination). `npus` is the number of NPUs of the point's network.
void select_points(DesignSpace& space, const Selection& selection);

// A random subset, the same on every compiler and machine: std::mt19937_64 is defined to the bit by
// the standard, std::uniform_int_distribution is not, so that numbers below a bound are drawn here,
// without bias, by rejecting the raw outputs above the largest multiple of the bound.

/// A number from 0 to bound - 1, each as likely as the others; bound > 0.
[[nodiscard]] std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound);

/// sample_of(56, 20, seed): 20 of the numbers 0 to 55. `count` different numbers below
/// `population`, ascending; all of them when there are no more. Every subset of that size is
/// equally likely. Robert Floyd's method (Bentley, Programming Pearls: A sample of brilliance, CACM
/// 30(9), 1987).
[[nodiscard]] std::vector<std::uint64_t> sample_of(std::uint64_t population, std::uint64_t count,
                                                   std::uint64_t seed);

}  // namespace npunet::study
