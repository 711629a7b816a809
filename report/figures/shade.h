// The colour of an amount: from light to dark.
//
//     canvas.box(corner, 4, 4, shade(0.75));
#pragma once

#include "report/figures/canvas.h"

namespace npunet::report {

/// Told apart without colour vision, too: the luminance falls all the way. 0 to 1.
[[nodiscard]] Colour shade(double part);

}  // namespace npunet::report
