// Unions of intervals of time, as lists of intervals that are apart and ascend.
//
//     unite(computation);
//     unite(communication);
//     const Time exposed = length_of(united(computation, communication)) - length_of(computation);
//
// C++17-clean.
#pragma once

#include <vector>

#include "base/quantities.h"

namespace npunet::engine {

/// A span of time, end not included.
struct Interval {
    Time start;
    Time end;
};

/// Makes the list of a union of any intervals.
void unite(std::vector<Interval>& intervals);

/// The union of two unions.
[[nodiscard]] std::vector<Interval> united(const std::vector<Interval>& a,
                                           const std::vector<Interval>& b);

/// Of a union.
[[nodiscard]] Time length_of(const std::vector<Interval>& intervals);

/// The length of the union of any intervals; makes its list of them.
[[nodiscard]] inline Time union_length(std::vector<Interval>& intervals) {
    unite(intervals);
    return length_of(intervals);
}

}  // namespace npunet::engine
