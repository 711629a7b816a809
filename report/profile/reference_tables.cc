#include "report/profile/reference_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace npunet::report {

using analysis::EventId;
using analysis::KernelTable;
using analysis::ReferenceView;
using analysis::TableRow;
using profiles::EventTable;

namespace {

using Numbers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

/// Columns of the rows of one table of kernels.
class RowColumns {
public:
    RowColumns(const EventTable& trace, const ReferenceView& view,
               const std::vector<TableRow>& rows)
        : trace_(trace), view_(view), rows_(rows) {}

    template <class Value>
    [[nodiscard]] Numbers numbers(Value&& value) const {
        Numbers column;
        for (const TableRow& row : rows_) {
            column.push_back(value(row));
        }
        return column;
    }
    template <class Value>
    [[nodiscard]] Texts texts(Value&& value) const {
        Texts column;
        for (const TableRow& row : rows_) {
            column.emplace_back(value(row));
        }
        return column;
    }

    [[nodiscard]] Numbers kernel_ids() const {
        return numbers([&](const TableRow& row) { return view_.numbers[row.kernel]; });
    }
    [[nodiscard]] Numbers launch_ids() const {
        return numbers([&](const TableRow& row) { return view_.numbers[row.launch]; });
    }
    [[nodiscard]] Numbers step_ids() const {
        return numbers([&](const TableRow& row) { return number_of(row.step); });
    }
    [[nodiscard]] Numbers starts() const {
        return numbers([&](const TableRow& row) { return trace_.start_ns[row.kernel]; });
    }
    [[nodiscard]] Numbers durations() const {
        return numbers([&](const TableRow& row) { return trace_.duration_ns[row.kernel]; });
    }
    [[nodiscard]] Numbers correlations() const {
        return numbers([&](const TableRow& row) { return trace_.correlation[row.kernel]; });
    }
    [[nodiscard]] Numbers tracks_of_kernels() const {
        return numbers([&](const TableRow& row) { return trace_.track[row.kernel]; });
    }
    [[nodiscard]] Numbers tracks_of_launches() const {
        return numbers([&](const TableRow& row) { return trace_.track[row.launch]; });
    }
    [[nodiscard]] Texts names() const {
        return texts([&](const TableRow& row) { return trace_.name_of(row.kernel); });
    }
    [[nodiscard]] Texts launch_names() const {
        return texts([&](const TableRow& row) { return trace_.name_of(row.launch); });
    }
    [[nodiscard]] std::int64_t number_of(EventId event) const {
        return event == analysis::no_event ? -1 : std::int64_t{view_.numbers[event]};
    }

private:
    const EventTable& trace_;
    const ReferenceView& view_;
    const std::vector<TableRow>& rows_;
};

void add_plain(const RowColumns& rows, const char* step, ColumnTable& table) {
    table.column(step, rows.step_ids());
    table.column("id", rows.kernel_ids());
    table.column("ts", rows.starts());
    table.column("dur", rows.durations());
    table.column("track_id", rows.tracks_of_launches());
    table.column("slice_id", rows.kernel_ids());
    table.column("name", rows.names());
    table.column("correlation_id", rows.correlations());
    table.column("launch_slice_id", rows.launch_ids());
    table.column("launch_name", rows.launch_names());
}

void add_backward(const EventTable& trace, const RowColumns& rows, std::size_t count,
                  ColumnTable& table) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t start : trace.start_ns) {
        first = start > 0 ? std::min(first, start) : first;
    }
    std::vector<double> duration_ms;
    std::vector<double> start_ms;
    const Numbers durations = rows.durations();
    const Numbers starts = rows.starts();
    for (std::size_t i = 0; i < count; ++i) {
        duration_ms.push_back(static_cast<double>(durations[i]) / 1e6);
        start_ms.push_back(static_cast<double>(starts[i] - first) / 1e6);
    }
    table.column("id", rows.kernel_ids());
    table.column("slice_id", rows.kernel_ids());
    table.column("ts", starts);
    table.column("dur", durations);
    table.column("track_id", ColumnTable::Nulls{count});
    table.column("name", rows.names());
    table.column("category", Texts(count, "kernel"));
    table.column("bwdstep_sliceid", rows.step_ids());
    table.column("launch_slice_id", rows.launch_ids());
    table.column("launch_name", rows.launch_names());
    table.column("correlation_id", rows.correlations());
    table.column("duration_ms", std::move(duration_ms));
    table.column("relative_start_ms", std::move(start_ms));
}

void add_recomputed(const EventTable& trace, const RowColumns& rows,
                    const std::vector<TableRow>& list, ColumnTable& table) {
    std::vector<double> recompute_ids;
    for (const TableRow& row : list) {
        recompute_ids.push_back(static_cast<double>(rows.number_of(row.recompute)));
    }
    table.column("id", rows.kernel_ids());
    table.column("slice_id", rows.kernel_ids());
    table.column("ts", rows.starts());
    table.column("dur", rows.durations());
    table.column("track_id", rows.tracks_of_kernels());
    table.column("kernel_name", rows.names());
    table.column("launch_slice_id", rows.launch_ids());
    table.column("launch_name", rows.launch_names());
    table.column("recomp_sliceid", std::move(recompute_ids));
    table.column("matched_ancestor_name",
                 rows.texts([&](const TableRow& row) { return trace.name_of(row.recompute); }));
    table.column("match_status", Texts(list.size(), "MATCHED"));
    table.column("bwdstep_sliceid", rows.step_ids());
}

}  // namespace

ColumnTable reference_table(const EventTable& trace, const ReferenceView& view, KernelTable which) {
    const std::vector<TableRow>& list = view.tables[static_cast<std::size_t>(which)];
    const RowColumns rows(trace, view, list);
    ColumnTable table{std::string(name_of(which))};
    switch (which) {
        case KernelTable::ForwardCommunication:
        case KernelTable::ForwardComputation:
            add_plain(rows, "fwdstep_sliceid", table);
            break;
        case KernelTable::PipelineCommunication:
            add_plain(rows, "pp_sliceid", table);
            break;
        case KernelTable::DataParallelCommunication:
            add_plain(rows, "dp_sliceid", table);
            break;
        case KernelTable::OptimizerComputation:
            add_plain(rows, "opt_sliceid", table);
            break;
        case KernelTable::BackwardCommunication:
        case KernelTable::BackwardComputation:
            add_backward(trace, rows, list.size(), table);
            break;
        case KernelTable::BackwardCommunicationRecompute:
        case KernelTable::BackwardComputationRecompute:
            add_recomputed(trace, rows, list, table);
            break;
    }
    return table;
}

ColumnTable statistics_table(const std::vector<analysis::StepStatistics>& statistics) {
    Texts categories;
    Numbers batches;
    Numbers slices;
    Numbers starts;
    Numbers ends;
    Texts actual;
    Texts merged;
    Numbers actual_ns;
    Numbers merged_ns;
    for (const analysis::StepStatistics& one : statistics) {
        categories.emplace_back(name_of(one.table));
        batches.push_back(one.micro_batch);
        slices.push_back(one.slice_id);
        starts.push_back(one.start_ns);
        ends.push_back(one.end_ns);
        actual_ns.push_back(one.sum_ns);
        merged_ns.push_back(one.end_ns - one.start_ns);
        actual.push_back(reference_duration(actual_ns.back()));
        merged.push_back(reference_duration(merged_ns.back()));
    }
    ColumnTable table("statistics");
    table.column("category", std::move(categories));
    table.column("mbs_id", std::move(batches));
    table.column("slice_id", std::move(slices));
    table.column("start_time", std::move(starts));
    table.column("end_time", std::move(ends));
    table.column("actual_duration", std::move(actual));
    table.column("merged_duration", std::move(merged));
    table.column("actual_duration_ns", std::move(actual_ns));
    table.column("merged_duration_ns", std::move(merged_ns));
    return table;
}

ColumnTable overlap_table(const std::vector<analysis::StepOverlap>& overlaps) {
    Texts phases;
    Numbers batches;
    Numbers slices;
    Numbers starts;
    std::array<Numbers, 4> times;
    for (const analysis::StepOverlap& one : overlaps) {
        phases.emplace_back(one.forward ? "Forward" : "Backward");
        batches.push_back(one.micro_batch);
        slices.push_back(one.slice_id);
        starts.push_back(one.start_ns);
        times[0].push_back(one.wall_ns);
        times[1].push_back(one.communication_ns);
        times[2].push_back(one.computation_ns);
        times[3].push_back(one.overlap_ns);
    }
    ColumnTable table("commcompOverlap_analysis");
    if (overlaps.empty()) {
        return table;  // as pandas writes a frame of nothing: an empty line
    }
    table.column("phase", std::move(phases));
    table.column("mbs_id", std::move(batches));
    table.column("slice_id", std::move(slices));
    table.column("start_time", std::move(starts));
    constexpr std::array<const char*, 4> names = {"wall_clock", "actual_comm_time",
                                                  "actual_comp_time", "comm_comp_overlap_time"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        Texts shown;
        for (const std::int64_t time : times[i]) {
            shown.push_back(reference_duration(time));
        }
        table.column(names[i], std::move(shown));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        table.column(fmt::format("{}_ns", names[i]), std::move(times[i]));
    }
    return table;
}

std::string reference_duration(std::int64_t nanoseconds) {
    const auto time = static_cast<double>(nanoseconds);
    if (time >= 1e9) {
        return fmt::format("{:.2f} s", time / 1e9);
    }
    if (time >= 1e6) {
        return fmt::format("{:.2f} ms", time / 1e6);
    }
    return time >= 1e3 ? fmt::format("{:.2f} us", time / 1e3) : fmt::format("{:.2f} ns", time);
}

}  // namespace npunet::report
