// Microseconds and GB/s, in which a library's constants are, as times.
//
// C++17-clean.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/quantities.h"

namespace npunet::engine {

inline constexpr double bytes_a_us = 1000;  ///< of 1 GB/s

/// To the nearest picosecond.
[[nodiscard]] inline Time time_of(double us) {
    return Time::ps(std::llround(us * 1e6));
}

/// us in which a switch makes sums, whose rate in GB/s may be 0: in no time.
[[nodiscard]] constexpr double adding_us(double bytes, double rate) {
    return rate > 0 ? bytes / (rate * bytes_a_us) : 0;
}

[[nodiscard]] constexpr std::int64_t ceil_of(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

}  // namespace npunet::engine
