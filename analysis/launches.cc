#include "analysis/launches.h"

#include <algorithm>

namespace npunet::analysis {

using profiles::absent;
using profiles::EventCategory;
using profiles::EventId;
using profiles::no_event;

Launches::Launches(const profiles::EventTable& trace) : trace_(&trace) {
    for (EventId event = 0; event < trace.size(); ++event) {
        if (is_gpu_work(trace.category[event]) && trace.correlation[event] != absent) {
            ranges_.try_emplace(trace.correlation[event]);
            if (trace.category[event] == EventCategory::Kernel) {
                kernels_.push_back(event);
            }
        }
    }
    std::stable_sort(kernels_.begin(), kernels_.end(), [&](EventId a, EventId b) {
        return trace.correlation[a] < trace.correlation[b];
    });
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
        Range& range = ranges_[trace.correlation[kernels_[i]]];
        range.begin = range.begin == range.end ? i : range.begin;
        range.end = i + 1;
    }
    for (EventId event = 0; event < trace.size(); ++event) {
        const EventCategory category = trace.category[event];
        if (category == EventCategory::Kernel || trace.correlation[event] == absent) {
            continue;
        }
        const auto range = ranges_.find(trace.correlation[event]);
        if (range == ranges_.end()) {
            continue;
        }
        if (range->second.begin != range->second.end) {
            calls_.push_back(event);
        }
        if (range->second.call == no_event &&
            (category == EventCategory::Runtime || category == EventCategory::Driver)) {
            range->second.call = event;
        }
    }
}

std::span<const EventId> Launches::kernels_of(std::int64_t correlation) const {
    const auto range = ranges_.find(correlation);
    if (range == ranges_.end()) {
        return {};
    }
    return std::span(kernels_).subspan(range->second.begin,
                                       range->second.end - range->second.begin);
}

EventId Launches::call_of(EventId gpu_work) const {
    const auto range = ranges_.find(trace_->correlation[gpu_work]);
    return range == ranges_.end() ? no_event : range->second.call;
}

}  // namespace npunet::analysis
