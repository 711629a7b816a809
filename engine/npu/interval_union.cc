#include "engine/npu/interval_union.h"

#include <algorithm>
#include <cstddef>

namespace npunet::engine {

namespace {

/// Adds an interval that starts no earlier than those before it.
void append(std::vector<Interval>& list, const Interval& interval) {
    if (interval.end <= interval.start) {
        return;
    }
    if (!list.empty() && interval.start <= list.back().end) {
        list.back().end = std::max(list.back().end, interval.end);
    } else {
        list.push_back(interval);
    }
}

bool starts_before(const Interval& a, const Interval& b) {
    return a.start < b.start;
}

}  // namespace

void unite(std::vector<Interval>& intervals) {
    if (!std::is_sorted(intervals.begin(), intervals.end(), starts_before)) {
        std::sort(intervals.begin(), intervals.end(), starts_before);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const Interval next = intervals[i];
        if (next.end <= next.start) {
            continue;
        }
        if (kept > 0 && next.start <= intervals[kept - 1].end) {
            intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
        } else {
            intervals[kept++] = next;
        }
    }
    intervals.resize(kept);
}

std::vector<Interval> united(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    std::vector<Interval> list;
    list.reserve(a.size() + b.size());
    std::size_t i = 0;
    for (const Interval& interval : a) {
        for (; i < b.size() && starts_before(b[i], interval); ++i) {
            append(list, b[i]);
        }
        append(list, interval);
    }
    for (; i < b.size(); ++i) {
        append(list, b[i]);
    }
    return list;
}

Time length_of(const std::vector<Interval>& intervals) {
    Time length;
    for (const Interval& interval : intervals) {
        length += interval.end - interval.start;
    }
    return length;
}

}  // namespace npunet::engine
