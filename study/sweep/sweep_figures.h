// The figures of a sweep: what of its results goes into which figure.
#pragma once

#include <cstddef>

#include "report/figures/breakdown_figure.h"
#include "report/figures/time_memory_figure.h"
#include "study/sweep/design_space.h"
#include "study/sweep/sweep.h"

namespace npunet::study {

/// Every point that ran; a series for each task (study/sweep/ranking.h).
[[nodiscard]] report::TimeMemoryPlot time_memory_plot(const DesignSpace& space,
                                                      const SweepResults& results);

/// The fastest points of the tasks, in turn while there is room for `most` bars.
[[nodiscard]] report::BreakdownPlot breakdown_plot(const DesignSpace& space,
                                                   const SweepResults& results,
                                                   std::size_t most = 24);

}  // namespace npunet::study
