// Pens and fonts that figures have in common.
#pragma once

#include "report/figures/canvas.h"

namespace npunet::report {

inline const Canvas::Pen grid_pen{{0.88, 0.88, 0.88}, 1, {}};
inline const Canvas::Pen edge_pen{{0.45, 0.45, 0.45}, 1, {}};

inline const Canvas::Font tick_font{12, false, {0.25, 0.25, 0.25}};
/// For ticks where there are many.
inline const Canvas::Font small_font{11.5, false, {0.25, 0.25, 0.25}};
/// Titles of panels.
inline const Canvas::Font panel_font{13, true, {0.1, 0.1, 0.1}};
/// Names of axes.
inline const Canvas::Font axis_font{13, false, {0.1, 0.1, 0.1}};

}  // namespace npunet::report
