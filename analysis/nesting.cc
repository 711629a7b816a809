#include "analysis/nesting.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace npunet::analysis {

Nesting::Nesting(const EventTable& trace, Overlap overlap)
    : parents_(trace.size(), no_event), of_flows_(trace.flows.size(), no_event) {
    sort(trace);
    std::vector<std::vector<Open>> open(trace.tracks.size());
    std::size_t flow = 0;
    for (const EventId event : order_) {
        bind_flows(trace, open, flow, trace.start_ns[event]);
        place(trace, event, open[trace.track[event]], overlap);
    }
    bind_flows(trace, open, flow, std::numeric_limits<std::int64_t>::max());
}

void Nesting::sort(const EventTable& trace) {
    order_.resize(trace.size());
    std::iota(order_.begin(), order_.end(), EventId{0});
    std::sort(order_.begin(), order_.end(), [&](EventId a, EventId b) {
        if (trace.start_ns[a] != trace.start_ns[b]) {
            return trace.start_ns[a] < trace.start_ns[b];
        }
        if (trace.duration_ns[a] != trace.duration_ns[b]) {
            return trace.duration_ns[a] > trace.duration_ns[b];
        }
        return a < b;
    });
    flow_order_.resize(trace.flows.size());
    std::iota(flow_order_.begin(), flow_order_.end(), 0U);
    std::stable_sort(flow_order_.begin(), flow_order_.end(), [&](auto a, auto b) {
        return trace.flows[a].start_ns < trace.flows[b].start_ns;
    });
}

void Nesting::bind_flows(const EventTable& trace, std::vector<std::vector<Open>>& open,
                         std::size_t& flow, std::int64_t before) {
    for (; flow < flow_order_.size(); ++flow) {
        const profiles::Flow& next = trace.flows[flow_order_[flow]];
        if (next.start_ns >= before) {
            return;
        }
        const std::vector<Open>& stack = open[next.track];
        of_flows_[flow_order_[flow]] = stack.empty() ? no_event : stack.back().event;
    }
}

void Nesting::place(const EventTable& trace, EventId event, std::vector<Open>& open,
                    Overlap overlap) {
    const std::int64_t start = trace.start_ns[event];
    std::int64_t end = trace.end_ns(event);
    const auto is_over = [&](const Open& one) {
        const bool both_empty = trace.duration_ns[event] == 0 && trace.duration_ns[one.event] == 0;
        return one.end < start || (one.end == start && !both_empty);
    };
    while (!open.empty() && is_over(open.back())) {
        open.pop_back();
    }
    if (!open.empty() && open.back().end < end) {
        ++overlaps_;
        if (overlap == Overlap::Spilled) {
            return;
        }
        while (!open.empty() && open.back().end < end && open.back().end - start <= clipped_ns) {
            open.pop_back();
        }
        if (!open.empty()) {
            end = std::min(end, open.back().end);
        }
    }
    parents_[event] = open.empty() ? no_event : open.back().event;
    open.push_back({event, end});
}

}  // namespace npunet::analysis
