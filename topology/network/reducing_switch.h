// A switch that reduces and multicasts, as NVLink switches with NVLS do: an NPU reads the sum of
// what all members of a group hold, or writes to all of them, by one request.
//
// C++17-clean.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::topology {

struct ReducingSwitch {
    NodeId node;
    Bytes unit{std::int64_t{16} * 1024};  ///< of one request, at most
    /// Reductions at a time; further requests wait. 0 where it may not be used (with_placement()).
    std::int32_t entries = 1024;
    Time latency;  ///< from the last member's answer to the sum
    /// Bytes of sums that it makes, one unit after the other; 0: in no time.
    Rate rate;
    static constexpr std::int32_t no_limit = 0x7fffffff;
    std::int32_t radix = no_limit;   ///< parts of a sum: members, or switches below it
    std::int32_t groups = no_limit;  ///< communicators for which it reduces
};

/// What a switch takes to add up a unit, once the switch is at it.
[[nodiscard]] constexpr Time adding_time(const ReducingSwitch& limits, Bytes unit) {
    return limits.rate == Rate() ? Time() : transfer_time(unit, limits.rate);
}

}  // namespace npunet::topology
