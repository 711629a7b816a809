// Curves of what was measured and simulated: a panel for each device and operation with at least
// four rows of one unit, those with the most rows first; both axes logarithmic, measured rows as
// marks, simulated ones as lines, one colour a series.
#pragma once

#include "report/comparison/validation_rows.h"
#include "report/figures/canvas.h"

namespace npunet::report {

/// At most twelve panels. Rows without a size, and skipped ones, are not drawn.
[[nodiscard]] Figure validation_figure(const ValidationRows& rows);

}  // namespace npunet::report
