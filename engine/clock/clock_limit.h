// Sums of times that stop at the end of the clock: 2^63 ps, 106 days.
//
// Hostile durations and rates bring a simulation there; a plain sum would wrap into the past.
// EventQueue refuses an event at Time::max() with a StallError.
//
//     queue.schedule(later(queue.now(), delay), key, handler);
//
// C++17-clean.
#pragma once

#include <cstdint>

#include "base/quantities.h"

namespace npunet::engine {

using npunet::later;

/// Whole nanoseconds of a double, truncated as the reference does; Time::max() where they do not
/// fit or are not a number.
[[nodiscard]] constexpr Time truncated_ns(double ns) {
    constexpr double limit = 9.2e15;  // below 2^63 ps
    return ns < limit ? Time::ns(static_cast<std::int64_t>(ns)) : Time::max();
}

}  // namespace npunet::engine
