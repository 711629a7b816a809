#include "report/figures/shapes.h"

#include <algorithm>
#include <cmath>

namespace npunet::report {

void draw_outlined_box(Canvas& canvas, Spot corner, double width, double height,
                       const Colour& colour, const Canvas::Pen& outline) {
    canvas.box(corner, width, height, colour);
    canvas.line({corner,
                 {corner.x + width, corner.y},
                 {corner.x + width, corner.y + height},
                 {corner.x, corner.y + height},
                 corner},
                outline);
}

void draw_first_fitting(Canvas& canvas, Spot at, double room, const std::vector<std::string>& texts,
                        const Canvas::Font& font) {
    const auto fits = std::find_if(texts.begin(), texts.end(), [&](const std::string& text) {
        return canvas.width_of(text, font) <= room;
    });
    if (fits != texts.end()) {
        canvas.text(at, *fits, Canvas::Anchor::Middle, font);
    }
}

std::vector<Spot> arch(Spot from, Spot to) {
    constexpr int pieces = 16;
    const double height = std::min(0.16 * std::abs(to.x - from.x), 40.0);
    std::vector<Spot> spots;
    for (int i = 0; i <= pieces; ++i) {
        const double part = static_cast<double>(i) / pieces;
        spots.push_back({from.x + part * (to.x - from.x),
                         from.y + part * (to.y - from.y) - 4 * height * part * (1 - part)});
    }
    return spots;
}

}  // namespace npunet::report
