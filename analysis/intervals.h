// Arithmetic of half-open intervals of time, in nanoseconds.
//
//     const Intervals busy = united(kernels);          // sorted, none touching another
//     length(busy);                                    // the measure of the union
//     overlap(united(communication), united(computation));
//
// An interval may be empty (start == end): it has no length, but it has a place, and counts for
// hulls.
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::analysis {

struct Interval {
    std::int64_t start = 0;
    std::int64_t end = 0;  ///< at least start

    friend bool operator==(const Interval&, const Interval&) = default;
};

using Intervals = std::vector<Interval>;

/// The union: ascending, intervals that touch or overlap joined.
[[nodiscard]] Intervals united(Intervals intervals);

/// The sum of the lengths; of a union its measure.
[[nodiscard]] std::int64_t length(const Intervals& intervals);

/// The measure of what two unions (results of united()) have in common.
[[nodiscard]] std::int64_t overlap(const Intervals& a, const Intervals& b);

/// From the first start to the last end; {0, 0} of none.
[[nodiscard]] Interval hull(const Intervals& intervals);

}  // namespace npunet::analysis
