// The colour of an amount, from light to dark, and the legend of a map of such colours: an upright
// bar from light below to dark above, with labels at some heights.
//
//     const ColourBar bar(canvas, {700, 90}, 320);
//     bar.draw(64, [](double part) { return shade(part); });
//     bar.label(160, "50");                  // in its middle
#pragma once

#include <functional>
#include <string>

#include "report/figures/canvas.h"

namespace npunet::report {

/// The colour of an amount from 0 to 1. Told apart without colour vision, too: the luminance falls
/// all the way.
[[nodiscard]] Colour shade(double part);

/// A bar of shade() from 0 to 100, with labels.
void draw_percent_bar(Canvas& canvas, Spot upper_left, double length);

class ColourBar {
public:
    ColourBar(Canvas& canvas, Spot upper_left, double length)
        : canvas_(canvas), upper_left_(upper_left), length_(length) {}

    /// In so many steps, each of the colour of its middle, 0 to 1.
    void draw(int steps, const std::function<Colour(double)>& colour_of) const;
    /// A tick with its text at a distance from the upper end.
    void label(double below, const std::string& text) const;

private:
    Canvas& canvas_;
    Spot upper_left_;
    double length_;
};

}  // namespace npunet::report
