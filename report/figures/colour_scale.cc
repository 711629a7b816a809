#include "report/figures/colour_scale.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "report/figures/canvas.h"

namespace npunet::report {

namespace {

constexpr double colour_bar_width = 16;

}  // namespace

void ColourBar::draw(int steps, const std::function<Colour(double)>& colour_of) const {
    for (int step = 0; step < steps; ++step) {
        canvas_.box(
            {upper_left_.x, upper_left_.y + length_ * (1 - static_cast<double>(step + 1) / steps)},
            colour_bar_width, length_ / steps + 0.5,
            colour_of((static_cast<double>(step) + 0.5) / steps));
    }
}

void ColourBar::label(double below, const std::string& text) const {
    const double x = upper_left_.x + colour_bar_width;
    const double y = upper_left_.y + below;
    canvas_.line({{x, y}, {x + 4, y}}, edge_pen);
    canvas_.text({x + 8, y + 4}, text, Canvas::Anchor::Left, small_font);
}

void draw_percent_bar(Canvas& canvas, Spot upper_left, double length) {
    const ColourBar bar(canvas, upper_left, length);
    bar.draw(50, shade);
    for (const int percent : {0, 25, 50, 75, 100}) {
        bar.label(length * (1 - percent / 100.0), std::to_string(percent));
    }
}

Colour shade(double part) {
    static constexpr std::array<Colour, 5> stops{{{0.99, 0.90, 0.62},
                                                  {0.99, 0.65, 0.36},
                                                  {0.86, 0.33, 0.36},
                                                  {0.52, 0.15, 0.47},
                                                  {0.16, 0.06, 0.28}}};
    const double at = std::clamp(part, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double rest = at - static_cast<double>(below);
    const Colour& a = stops[below];
    const Colour& b = stops[below + 1];
    return {a.red + rest * (b.red - a.red), a.green + rest * (b.green - a.green),
            a.blue + rest * (b.blue - a.blue)};
}

}  // namespace npunet::report
