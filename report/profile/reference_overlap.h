// The overlap of communication and computation in each step of a rank, as TraceViz draws it: bars
// for the forward and the backward pass, and a line for the time from first start to last end.
//
//     const Figure figure = reference_overlap(0, step_overlaps(trace, view, true));
//
// A pass without communication has bars of computation alone, and one without both says so.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/reference_measures.h"
#include "report/figures/canvas.h"

namespace npunet::report {

[[nodiscard]] Figure reference_overlap(std::int32_t rank,
                                       const std::vector<analysis::StepOverlap>& overlaps);

}  // namespace npunet::report
