// The frame of a diagram: title, grid, axes with their units, legend. And where labels fit in it.
//
//     PlotFrame frame(canvas, {80, 70}, {860, 500});
//     frame.draw(x, "peak memory", y, "finish time");
//     frame.legend({{"packet", palette(0), Canvas::Marker::Disc}});
#pragma once

#include <string>
#include <vector>

#include "report/figures/canvas.h"
#include "report/figures/scale.h"

namespace npunet::report {

struct LegendEntry {
    std::string text;
    Colour colour;
    Canvas::Marker marker = Canvas::Marker::Square;
    bool line = false;  ///< a piece of a line instead of the marker
    bool dashed = false;
    double width = 1.6;  ///< of the line
};

class PlotFrame {
public:
    /// Between two corners of the canvas, the upper left and the lower right one.
    PlotFrame(Canvas& canvas, Spot upper_left, Spot lower_right)
        : canvas_(canvas), upper_left_(upper_left), lower_right_(lower_right) {}

    void draw(const Scale& x, const std::string& x_name, const Scale& y, const std::string& y_name);

    /// Keeps labels away from a place.
    void occupy(Spot centre, double radius);
    void occupy_line(Spot from, Spot to);
    /// Writes a label of some lines beside a spot where nothing is yet, within the frame; `far`: at
    /// a distance when there is no room near it. False: no room.
    bool label(Spot spot, const std::vector<std::string>& lines, const Canvas::Font& font,
               bool far = false);

private:
    struct Area {
        double left, top, right, bottom;
    };
    [[nodiscard]] bool free(const Area& area) const;
    [[nodiscard]] bool crosses_label(Spot from, Spot to) const;
    [[nodiscard]] Spot size_of(const std::vector<std::string>& lines, const Canvas::Font& font);
    [[nodiscard]] bool label_at(Spot spot, Spot corner, const std::vector<std::string>& lines,
                                const Canvas::Font& font, bool with_line);

    Canvas& canvas_;
    Spot upper_left_;
    Spot lower_right_;
    std::vector<Area> occupied_;
    std::vector<Area> labels_;
};

/// The frame of bars that lie below each other: `scale` runs from left to right below them, and its
/// `name` stands below its ticks.
void draw_bar_frame(Canvas& canvas, Spot upper_left, Spot lower_right, const Scale& scale,
                    const std::string& name, int ticks = 6);

/// Names of such bars are cut where they are wider, in pixels.
constexpr double widest_bar_label = 380;

/// Title and, below it, a line of smaller text.
void draw_title(Canvas& canvas, const std::string& title, const std::string& subtitle);

/// In lines from a spot to the right, broken at the canvas's edge; returns the height used.
double draw_legend(Canvas& canvas, Spot at, const std::vector<LegendEntry>& entries);
/// At least the height that it uses within a width, for sheets whose height is not known yet.
[[nodiscard]] double legend_height(const std::vector<LegendEntry>& entries, double width);

}  // namespace npunet::report
