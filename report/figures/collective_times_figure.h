// Bus bandwidth of a collective against its size: one line an algorithm, and a dashed one for what
// the members' ports allow.
#pragma once

#include "report/collective_times.h"
#include "report/figures/canvas.h"

namespace npunet::report {

[[nodiscard]] Figure collective_times_figure(const CollectiveTimes& times);

}  // namespace npunet::report
