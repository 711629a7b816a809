// What the part of the program that links cairo offers: one function.
#pragma once

#include <functional>

#include "report/figures/canvas.h"

namespace npunet::report {

/// Draws into `figure`. Returns null, or what went wrong.
using DrawWithCairo = const char* (*)(double width, double height, double pixels,
                                      const std::function<void(Canvas&)>& draw, Figure& figure);

}  // namespace npunet::report
