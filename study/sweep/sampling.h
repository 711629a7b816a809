// A random subset, the same on every compiler and machine.
//
//     sample_of(56, 20, seed);      // 20 of the numbers 0 to 55, ascending
//
// std::mt19937_64 is defined to the bit by the standard, std::uniform_int_distribution is not:
// numbers below a bound are drawn here, without bias, by rejecting the raw outputs above the
// largest multiple of the bound.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace npunet::study {

/// A number from 0 to bound - 1, each as likely as the others; bound > 0.
[[nodiscard]] std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound);

/// `count` different numbers below `population`, ascending; all of them when there are no more.
/// Every subset of that size is equally likely. Robert Floyd's method (Bentley, Programming Pearls:
/// A sample of brilliance, CACM 30(9), 1987).
[[nodiscard]] std::vector<std::uint64_t> sample_of(std::uint64_t population, std::uint64_t count,
                                                   std::uint64_t seed);

}  // namespace npunet::study
