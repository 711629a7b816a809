// Arithmetic of half-open spans of time, in nanoseconds.
//
//     const TimeSpans busy = united(kernels);          // sorted, none touching another
//     length(busy);                                    // the measure of the union
//     overlap(united(communication), united(computation));
//
// An interval may be empty (start == end): it has no length, but it has a place, and counts for
// hulls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::analysis {

struct TimeSpan {
    std::int64_t start = 0;
    std::int64_t end = 0;  ///< at least start

    friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

using TimeSpans = std::vector<TimeSpan>;

/// The union: ascending, spans that touch or overlap joined.
[[nodiscard]] TimeSpans united(TimeSpans spans);

/// The sum of the lengths; of a union its measure.
[[nodiscard]] std::int64_t length(const TimeSpans& spans);

/// The measure of what two unions (results of united()) have in common.
[[nodiscard]] std::int64_t overlap(const TimeSpans& a, const TimeSpans& b);

/// From the first start to the last end; {0, 0} of none.
[[nodiscard]] TimeSpan hull(const TimeSpans& spans);

/// The middle of lengths or times. Of an even count the upper of the two in the middle. At least
/// one value.
[[nodiscard]] inline std::int64_t median(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace npunet::analysis
