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
};

}  // namespace npunet::topology
