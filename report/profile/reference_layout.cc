#include "report/profile/reference_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

namespace npunet::report {

using analysis::KernelTable;
using analysis::TimeSpans;

namespace {

constexpr std::size_t most_legend_columns = 5;

struct HeightRange {
    double thinnest;
    double thickest;
};

HeightRange heights_of(std::size_t tables) {
    if (tables <= 3) {
        return {0.35, 0.75};
    }
    return tables <= 5 ? HeightRange{0.25, 0.80} : HeightRange{0.20, 0.85};
}

}  // namespace

const std::vector<KernelTable>& tables_of_rank_figure() {
    static const std::vector<KernelTable> tables = {
        KernelTable::OptimizerComputation,  KernelTable::DataParallelCommunication,
        KernelTable::PipelineCommunication, KernelTable::ForwardComputation,
        KernelTable::BackwardComputation,   KernelTable::BackwardComputationRecompute};
    return tables;
}

const std::vector<KernelTable>& tables_of_group_figure() {
    static const std::vector<KernelTable> tables = {
        KernelTable::OptimizerComputation, KernelTable::DataParallelCommunication,
        KernelTable::ForwardComputation, KernelTable::BackwardComputation};
    return tables;
}

std::vector<BarShape> bar_shapes(const std::vector<KernelTable>& tables) {
    if (tables.size() == 1) {
        return {{tables.front(), 0.70, 10}};
    }
    const HeightRange range = heights_of(tables.size());
    std::vector<BarShape> shapes;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const double part = static_cast<double>(i) / static_cast<double>(tables.size() - 1);
        shapes.push_back({tables[i], range.thinnest + part * (range.thickest - range.thinnest),
                          100 - static_cast<int>(i)});
    }
    return shapes;
}

LegendGrid legend_grid(std::size_t entries) {
    const std::size_t columns = std::min(entries, most_legend_columns);
    return {columns, columns == 0 ? 0 : (entries + columns - 1) / columns};
}

LegendCell legend_cell(std::size_t index, std::size_t entries) {
    const LegendGrid grid = legend_grid(entries);
    const std::size_t full = entries - grid.columns * (grid.rows - 1);
    if (index < full * grid.rows) {
        return {index / grid.rows, index % grid.rows};
    }
    const std::size_t rest = index - full * grid.rows;
    return {full + rest / (grid.rows - 1), rest % (grid.rows - 1)};
}

std::vector<RowSegment> row_segments(const std::vector<RowBar>& bars,
                                     const std::vector<KernelTable>& order) {
    std::map<std::int64_t, std::array<int, analysis::kernel_table_count>> changes;
    for (const RowBar& bar : bars) {
        if (std::find(order.begin(), order.end(), bar.table) != order.end()) {
            ++changes[bar.span.start][static_cast<std::size_t>(bar.table)];
            --changes[bar.span.end][static_cast<std::size_t>(bar.table)];
        }
    }
    std::vector<RowSegment> segments;
    std::array<int, analysis::kernel_table_count> open{};
    for (auto at = changes.begin(); at != changes.end() && std::next(at) != changes.end(); ++at) {
        for (std::size_t i = 0; i < open.size(); ++i) {
            open[i] += at->second[i];
        }
        RowSegment segment{{at->first, std::next(at)->first}, {}};
        for (const KernelTable table : order) {
            if (open[static_cast<std::size_t>(table)] > 0) {
                segment.tables.push_back(table);
            }
        }
        if (!segment.tables.empty()) {
            segments.push_back(std::move(segment));
        }
    }
    return segments;
}

TimeSpans runs_of(const std::vector<RowSegment>& segments, KernelTable table) {
    TimeSpans runs;
    for (const RowSegment& segment : segments) {
        if (std::find(segment.tables.begin(), segment.tables.end(), table) ==
            segment.tables.end()) {
            continue;
        }
        if (!runs.empty() && runs.back().end == segment.span.start) {
            runs.back().end = segment.span.end;
        } else {
            runs.push_back(segment.span);
        }
    }
    return runs;
}

std::string_view reference_colour(std::string_view category) {
    static const std::map<std::string_view, std::string_view> colours = {
        {"fwd", "#496CCE"},
        {"fwd_computation", "#82AAE7"},
        {"fwd_communication", "#A6CCE3"},
        {"bwd", "#C03F67"},
        {"bwd_computation", "#F7A6BF"},
        {"bwd_communication", "#F6B293"},
        {"bwd_computation_recompute", "#5B27F5"},
        {"bwd_communication_recompute", "#275AF5"},
        {"pp_communication", "#B28FCE"},
        {"dp_communication", "#76E5DF"},
        {"optimizer_computation", "#095624"}};
    const auto found = colours.find(category);
    return found == colours.end() ? "#808080" : found->second;
}

Colour colour_of_code(std::string_view code) {
    std::array<double, 3> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        int value = 0;
        std::from_chars(code.data() + 1 + 2 * i, code.data() + 3 + 2 * i, value, 16);
        parts[i] = value / 255.0;
    }
    return {parts[0], parts[1], parts[2]};
}

}  // namespace npunet::report
