// Shapes that several figures draw: boxes with an outline, texts that give way, arches.
//
//     draw_outlined_box(canvas, {20, 20}, 90, 30, {1, 1, 1}, edge_pen);
//     draw_first_fitting(canvas, {65, 39}, 86, {"leaf12", "12"}, small_font);
#pragma once

#include <string>
#include <vector>

#include "report/figures/canvas.h"

namespace npunet::report {

void draw_outlined_box(Canvas& canvas, Spot corner, double width, double height,
                       const Colour& colour, const Canvas::Pen& outline);

/// The first of the texts that is not wider than `room`, around `at` on its base line; none where
/// none is.
void draw_first_fitting(Canvas& canvas, Spot at, double room, const std::vector<std::string>& texts,
                        const Canvas::Font& font);

/// From one spot of a row to another, above what stands between them.
[[nodiscard]] std::vector<Spot> arch(Spot from, Spot to);

}  // namespace npunet::report
