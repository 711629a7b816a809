#include "analysis/reference_measures.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/time_spans.h"

namespace npunet::analysis {

namespace {

TimeSpan span_of(const EventTable& trace, EventId kernel) {
    return {trace.start_ns[kernel], trace.end_ns(kernel)};
}

const std::vector<TableRow>& rows_of(const ReferenceView& view, KernelTable table) {
    return view.tables[static_cast<std::size_t>(table)];
}

void append_statistics(const EventTable& trace, const ReferenceView& view, KernelTable table,
                       std::vector<StepStatistics>& out) {
    std::map<std::uint32_t, TimeSpans> steps;
    for (const TableRow& row : rows_of(view, table)) {
        const EventId step = table == KernelTable::OptimizerComputation ? row.kernel : row.step;
        if (step != no_event) {
            steps[view.numbers[step]].push_back(span_of(trace, row.kernel));
        }
    }
    const std::size_t first = out.size();
    for (const auto& [slice_id, spans] : steps) {
        const TimeSpan all = hull(spans);
        out.push_back({table, 0, slice_id, all.start, all.end, length(spans)});
    }
    std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    for (std::size_t i = first; i < out.size(); ++i) {
        out[i].micro_batch = static_cast<std::int32_t>(i - first);
    }
}

void append_overlaps(const EventTable& trace, const ReferenceView& view, bool forward,
                     bool all_passes, std::vector<StepOverlap>& out) {
    const auto& communication = rows_of(
        view, forward ? KernelTable::ForwardCommunication : KernelTable::BackwardCommunication);
    const auto& computation =
        rows_of(view, forward ? KernelTable::ForwardComputation : KernelTable::BackwardComputation);
    if (!all_passes && (communication.empty() || computation.empty())) {
        return;
    }
    std::map<std::uint32_t, std::pair<TimeSpans, TimeSpans>> steps;
    for (const TableRow& row : communication) {
        steps[view.numbers[row.step]].first.push_back(span_of(trace, row.kernel));
    }
    for (const TableRow& row : computation) {
        steps[view.numbers[row.step]].second.push_back(span_of(trace, row.kernel));
    }
    const std::size_t first = out.size();
    for (auto& [slice_id, spans] : steps) {
        TimeSpans both = spans.first;
        both.insert(both.end(), spans.second.begin(), spans.second.end());
        const TimeSpan all = hull(both);
        const TimeSpans comm = united(std::move(spans.first));
        const TimeSpans comp = united(std::move(spans.second));
        out.push_back({forward, 0, slice_id, all.start, all.end - all.start, length(comm),
                       length(comp), overlap(comm, comp)});
    }
    std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    for (std::size_t i = first; i < out.size(); ++i) {
        out[i].micro_batch = static_cast<std::int32_t>(i - first);
    }
}

}  // namespace

std::vector<StepStatistics> step_statistics(const EventTable& trace, const ReferenceView& view) {
    std::vector<StepStatistics> statistics;
    for (std::size_t i = 0; i < kernel_table_count; ++i) {
        append_statistics(trace, view, static_cast<KernelTable>(i), statistics);
    }
    return statistics;
}

std::vector<StepOverlap> step_overlaps(const EventTable& trace, const ReferenceView& view,
                                       bool all_passes) {
    std::vector<StepOverlap> overlaps;
    append_overlaps(trace, view, false, all_passes, overlaps);
    append_overlaps(trace, view, true, all_passes, overlaps);
    return overlaps;
}

}  // namespace npunet::analysis
