#include "analysis/time_spans.h"

#include <algorithm>

namespace npunet::analysis {

TimeSpans united(TimeSpans spans) {
    std::sort(spans.begin(), spans.end(), [](const TimeSpan& a, const TimeSpan& b) {
        return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    std::size_t kept = 0;
    for (const TimeSpan& one : spans) {
        if (kept > 0 && one.start <= spans[kept - 1].end) {
            spans[kept - 1].end = std::max(spans[kept - 1].end, one.end);
        } else {
            spans[kept++] = one;
        }
    }
    spans.resize(kept);
    return spans;
}

std::int64_t length(const TimeSpans& spans) {
    std::int64_t sum = 0;
    for (const TimeSpan& one : spans) {
        sum += one.end - one.start;
    }
    return sum;
}

std::int64_t overlap(const TimeSpans& a, const TimeSpans& b) {
    std::int64_t sum = 0;
    for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
        sum += std::max<std::int64_t>(
            0, std::min(a[i].end, b[k].end) - std::max(a[i].start, b[k].start));
        (a[i].end < b[k].end ? i : k) += 1;
    }
    return sum;
}

TimeSpan hull(const TimeSpans& spans) {
    if (spans.empty()) {
        return {};
    }
    TimeSpan all = spans.front();
    for (const TimeSpan& one : spans) {
        all.start = std::min(all.start, one.start);
        all.end = std::max(all.end, one.end);
    }
    return all;
}

}  // namespace npunet::analysis
