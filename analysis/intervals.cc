#include "analysis/intervals.h"

#include <algorithm>

namespace npunet::analysis {

Intervals united(Intervals intervals) {
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
        return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    std::size_t kept = 0;
    for (const Interval& one : intervals) {
        if (kept > 0 && one.start <= intervals[kept - 1].end) {
            intervals[kept - 1].end = std::max(intervals[kept - 1].end, one.end);
        } else {
            intervals[kept++] = one;
        }
    }
    intervals.resize(kept);
    return intervals;
}

std::int64_t length(const Intervals& intervals) {
    std::int64_t sum = 0;
    for (const Interval& one : intervals) {
        sum += one.end - one.start;
    }
    return sum;
}

std::int64_t overlap(const Intervals& a, const Intervals& b) {
    std::int64_t sum = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        sum += std::max<std::int64_t>(
            0, std::min(a[i].end, b[k].end) - std::max(a[i].start, b[k].start));
        (a[i].end < b[k].end ? i : k) += 1;
    }
    return sum;
}

Interval hull(const Intervals& intervals) {
    if (intervals.empty()) {
        return {};
    }
    Interval all = intervals.front();
    for (const Interval& one : intervals) {
        all.start = std::min(all.start, one.start);
        all.end = std::max(all.end, one.end);
    }
    return all;
}

}  // namespace npunet::analysis
