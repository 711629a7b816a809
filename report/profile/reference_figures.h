// Timelines as TraceViz draws them, a row for each rank with bars of several heights in it, and the
// overlap of communication and computation.
//
//     const Figure figure = reference_timeline({{"Rank 0 Overlapping Timeline", rows, range_ns}},
//                                              tables_of_rank_figure());
//
// Times count from the left edge. Several charts lie one below the other. What is narrower than a
// thousandth of the axis is a line of one point. A unit of the drawing is a hundredth of an inch;
// the PNG has 300 dpi, fewer where it would have more than 40 million pixels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/reference_measures.h"
#include "report/figures/canvas.h"
#include "report/profile/reference_layout.h"

namespace npunet::report {

struct ReferenceRow {
    std::int32_t rank = 0;
    std::vector<RowBar> bars;
};

struct ReferenceChart {
    std::string title;
    std::vector<ReferenceRow> rows;  ///< from above to below
    std::int64_t range_ns = 0;       ///< of the axis
};

/// Bars of tables that are not in `order` are not drawn.
[[nodiscard]] Figure reference_timeline(const std::vector<ReferenceChart>& charts,
                                        const std::vector<analysis::KernelTable>& order);

/// The overlap in each step of a rank: bars for the forward and the backward pass, and a line for
/// the time from first start to last end. A pass without communication has bars of computation
/// alone, and one without both says so.
[[nodiscard]] Figure reference_overlap(std::int32_t rank,
                                       const std::vector<analysis::StepOverlap>& overlaps);

}  // namespace npunet::report
