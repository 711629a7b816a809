#include "report/figures/shade_bar.h"

#include "report/figures/ink.h"

namespace npunet::report {

namespace {

constexpr double shade_bar_width = 16;

}  // namespace

void ShadeBar::draw(int steps, const std::function<Colour(double)>& colour_of) const {
    for (int step = 0; step < steps; ++step) {
        canvas_.box(
            {upper_left_.x, upper_left_.y + length_ * (1 - static_cast<double>(step + 1) / steps)},
            shade_bar_width, length_ / steps + 0.5,
            colour_of((static_cast<double>(step) + 0.5) / steps));
    }
}

void ShadeBar::label(double below, const std::string& text) const {
    const double x = upper_left_.x + shade_bar_width;
    const double y = upper_left_.y + below;
    canvas_.line({{x, y}, {x + 4, y}}, edge_pen);
    canvas_.text({x + 8, y + 4}, text, Canvas::Anchor::Left, small_font);
}

}  // namespace npunet::report
