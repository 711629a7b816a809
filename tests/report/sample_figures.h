// The figures of sample timelines of 4, 64 and 1024 ranks.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "report/figures/canvas.h"
#include "tests/report/sample_timeline.h"

namespace npunet::report {

inline constexpr std::array<StepShape, 3> sample_shapes{
    {{2, 2, 1, 4, 2, 2}, {4, 4, 4, 8, 4, 8}, {8, 8, 16, 16, 4, 32}}};

/// Names and figures of the step_timeline() of a shape.
[[nodiscard]] std::vector<std::pair<std::string, Figure>> sample_figures(const StepShape& shape);

}  // namespace npunet::report
