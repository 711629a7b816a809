// Where TraceViz's figures put what: heights of bars, cells of legends, segments of rows, colours.
//
//     const std::vector<BarShape> shapes = bar_shapes(order);
//     for (const RowSegment& segment : row_segments(bars, order)) { ... segment.tables ... }
//
// All tables of a rank share one row, centred in it, and are told apart by their heights: earlier
// ones are thinner and lie above later ones.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/overlapping_tables.h"
#include "analysis/time_spans.h"
#include "report/figures/canvas.h"

namespace npunet::report {

inline const Colour reference_black{0, 0, 0};
inline const Canvas::Font reference_tick_font{13.5, false, reference_black};

/// What the timeline of a rank shows, the thinnest first.
[[nodiscard]] const std::vector<analysis::KernelTable>& tables_of_rank_figure();
/// What those of several ranks show: the pipeline's sends and receives stay white, as do bubbles.
[[nodiscard]] const std::vector<analysis::KernelTable>& tables_of_group_figure();

struct BarShape {
    analysis::KernelTable table = analysis::KernelTable::ForwardComputation;
    double height = 0;  ///< as part of the row
    int level = 0;      ///< higher ones lie above
};

/// In the order of `tables`.
[[nodiscard]] std::vector<BarShape> bar_shapes(const std::vector<analysis::KernelTable>& tables);

struct LegendGrid {
    std::size_t columns = 0;  ///< at most 5
    std::size_t rows = 0;
};
[[nodiscard]] LegendGrid legend_grid(std::size_t entries);

struct LegendCell {
    std::size_t column = 0;
    std::size_t row = 0;
};
/// Column by column; the first ones are full, the others have one entry less.
[[nodiscard]] LegendCell legend_cell(std::size_t index, std::size_t entries);

struct RowBar {
    analysis::KernelTable table = analysis::KernelTable::ForwardComputation;
    analysis::TimeSpan span;
};

/// Between two neighbours of all the starts and ends of a row.
struct RowSegment {
    analysis::TimeSpan span;
    std::vector<analysis::KernelTable> tables;  ///< that have a bar there, at least one
};

/// Ascending; tables in the order of `order`, which has all that shall be seen.
[[nodiscard]] std::vector<RowSegment> row_segments(const std::vector<RowBar>& bars,
                                                   const std::vector<analysis::KernelTable>& order);

/// Neighbouring segments that have the table, joined.
[[nodiscard]] analysis::TimeSpans runs_of(const std::vector<RowSegment>& segments,
                                          analysis::KernelTable table);

/// "#82AAE7" of "fwd_computation"; grey of a name that is none.
[[nodiscard]] std::string_view reference_colour(std::string_view category);
[[nodiscard]] Colour colour_of_code(std::string_view code);

}  // namespace npunet::report
