#include "analysis/training_threads.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace npunet::analysis {

using profiles::EventCategory;

namespace {

struct Ends {
    std::uint64_t out = 0;
    std::uint64_t in = 0;

    [[nodiscard]] std::uint64_t all() const { return out + in; }
};

bool is_operation(const EventTable& trace, EventId event) {
    return event != no_event && trace.duration_ns[event] > 0 && is_on_cpu(trace, event);
}

/// Ends of flows by thread.
std::map<std::uint32_t, Ends> ends_of_flows(const EventTable& trace, const Nesting& nesting) {
    std::map<std::pair<profiles::StringId, std::int64_t>, EventId> begun;
    for (std::size_t i = 0; i < trace.flows.size(); ++i) {
        if (trace.flows[i].begins && nesting.event_of_flow(i) != no_event) {
            begun.try_emplace({trace.flows[i].category, trace.flows[i].id},
                              nesting.event_of_flow(i));
        }
    }
    std::map<std::uint32_t, Ends> ends;
    for (std::size_t i = 0; i < trace.flows.size(); ++i) {
        const EventId to = nesting.event_of_flow(i);
        const auto from = begun.find({trace.flows[i].category, trace.flows[i].id});
        if (trace.flows[i].begins || from == begun.end() || !is_operation(trace, to) ||
            !is_operation(trace, from->second)) {
            continue;
        }
        const bool forwards = trace.start_ns[from->second] <= trace.start_ns[to];
        ++ends[trace.track[forwards ? from->second : to]].out;
        ++ends[trace.track[forwards ? to : from->second]].in;
    }
    return ends;
}

}  // namespace

bool is_on_cpu(const EventTable& trace, EventId event) {
    const EventCategory category = trace.category[event];
    if (is_gpu_work(category) || category == EventCategory::GpuUserAnnotation) {
        return false;
    }
    const std::string_view name = trace.strings[trace.track_of(event).name];
    return !name.starts_with("stream ") && !name.starts_with("GPU ") && !name.starts_with("CUDA ");
}

TrainingThreads training_threads(const EventTable& trace, const Nesting& nesting) {
    const std::map<std::uint32_t, Ends> ends = ends_of_flows(trace, nesting);
    std::vector<std::pair<std::uint32_t, Ends>> threads(ends.begin(), ends.end());
    std::stable_sort(threads.begin(), threads.end(),
                     [](const auto& a, const auto& b) { return a.second.all() > b.second.all(); });
    if (threads.size() < 2) {
        return {};
    }
    const auto& [first, first_ends] = threads[0];
    const auto& [second, second_ends] = threads[1];
    // out / all compared without dividing.
    const std::uint64_t of_first = first_ends.out * second_ends.all();
    const std::uint64_t of_second = second_ends.out * first_ends.all();
    if (of_first == of_second) {
        return {};
    }
    return of_first > of_second ? TrainingThreads{first, second} : TrainingThreads{second, first};
}

}  // namespace npunet::analysis
