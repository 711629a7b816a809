// The stages of a parallel plan: how long each takes for a micro-batch, and how full its devices
// are.
//
//     const Figure figure = stage_figure({"Plan 1", "1684.4 ms a step", plan.stages});
//
// One row a stage, in two panels: computing and transfers of a micro-batch on the left, memory of
// the fullest device against its capacity on the right.
#pragma once

#include <string>
#include <vector>

#include "report/figures/canvas.h"
#include "report/plans/ranked_plans.h"

namespace npunet::report {

struct StagePlot {
    std::string title;
    std::string subtitle;
    std::vector<PlannedStage> stages;  ///< from the first to the last
};

[[nodiscard]] Figure stage_figure(const StagePlot& plot);

}  // namespace npunet::report
