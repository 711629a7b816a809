// What adds up in a switch that reduces: one unit after the other, at the rate of the switch.
//
//     SwitchAdder adder;
//     const Time sum = adder.add(limits, unit, now);  // all parts are there: when the sum is
//
// C++17-clean.
#pragma once

#include <algorithm>

#include "base/quantities.h"
#include "topology/network/reducing_switch.h"

namespace npunet::engine {

class SwitchAdder {
public:
    /// Units are added in the order of these calls, whose `now` does not decrease.
    [[nodiscard]] Time add(const topology::ReducingSwitch& limits, Bytes unit, Time now) {
        free_ = later(std::max(now, free_), topology::adding_time(limits, unit));
        return later(free_, limits.latency);
    }

private:
    Time free_;  ///< of the units before
};

}  // namespace npunet::engine
