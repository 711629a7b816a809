// Bus bandwidth of a collective against its size, both logarithmic: one line an algorithm, a broad
// grey one for the choice by cost, and a dashed one for what links allow
// (engine/collective_algorithms/lower_bound.h).
#pragma once

#include "report/figures/canvas.h"
#include "report/results/collective_times.h"

namespace npunet::report {

[[nodiscard]] Figure collective_times_figure(const CollectiveTimes& times);

}  // namespace npunet::report
