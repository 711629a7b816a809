#include "report/figures/plot_frame.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "report/figures/canvas.h"

namespace npunet::report {

namespace {

constexpr double sheet_margin = 24;
constexpr double legend_line_height = 20;
constexpr double line_gap = 2;  // of labels

std::string with_unit(const std::string& name, const Scale& scale) {
    return scale.unit().empty() ? name : name + " (" + scale.unit() + ")";
}

/// Half a pixel, so that lines of one pixel are sharp.
double sharp(double value) {
    return std::floor(value) + 0.5;
}

}  // namespace

void PlotFrame::draw(const Scale& x, const std::string& x_name, const Scale& y,
                     const std::string& y_name) {
    for (const Tick& tick : x.ticks()) {
        canvas_.line(
            {{sharp(tick.position), upper_left_.y}, {sharp(tick.position), lower_right_.y}},
            grid_pen);
        canvas_.text({tick.position, lower_right_.y + 18}, tick.label, Canvas::Anchor::Middle,
                     tick_font);
    }
    for (const Tick& tick : y.ticks()) {
        canvas_.line(
            {{upper_left_.x, sharp(tick.position)}, {lower_right_.x, sharp(tick.position)}},
            grid_pen);
        canvas_.text({upper_left_.x - 8, tick.position + 4}, tick.label, Canvas::Anchor::Right,
                     tick_font);
    }
    canvas_.line({{sharp(upper_left_.x), upper_left_.y},
                  {sharp(upper_left_.x), sharp(lower_right_.y)},
                  {lower_right_.x, sharp(lower_right_.y)}},
                 edge_pen);
    canvas_.text({(upper_left_.x + lower_right_.x) / 2, lower_right_.y + 42}, with_unit(x_name, x),
                 Canvas::Anchor::Middle, axis_font);
    canvas_.text_upwards({sheet_margin + 4, (upper_left_.y + lower_right_.y) / 2},
                         with_unit(y_name, y), axis_font);
}

bool PlotFrame::free(const Area& area) const {
    if (area.left < upper_left_.x + 3 || area.right > lower_right_.x - 1 ||
        area.top < upper_left_.y || area.bottom > lower_right_.y - 2) {
        return false;
    }
    return std::none_of(occupied_.begin(), occupied_.end(), [&](const Area& other) {
        return area.left < other.right && other.left < area.right && area.top < other.bottom &&
               other.top < area.bottom;
    });
}

void PlotFrame::occupy(Spot centre, double radius) {
    occupied_.push_back(
        {centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius});
}

void PlotFrame::occupy_line(Spot from, Spot to) {
    constexpr double step = 6;
    const int pieces = 1 + static_cast<int>(std::hypot(to.x - from.x, to.y - from.y) / step);
    for (int i = 0; i <= pieces; ++i) {
        const double part = static_cast<double>(i) / pieces;
        occupy({from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)}, 1);
    }
}

bool PlotFrame::crosses_label(Spot from, Spot to) const {
    constexpr int pieces = 24;
    for (int i = 0; i <= pieces; ++i) {
        const double x = from.x + (to.x - from.x) * i / pieces;
        const double y = from.y + (to.y - from.y) * i / pieces;
        if (std::any_of(labels_.begin(), labels_.end(), [&](const Area& area) {
                return area.left < x && x < area.right && area.top < y && y < area.bottom;
            })) {
            return true;
        }
    }
    return false;
}

/// Width and height of a label.
Spot PlotFrame::size_of(const std::vector<std::string>& lines, const Canvas::Font& font) {
    double width = 0;
    for (const std::string& line : lines) {
        width = std::max(width, canvas_.width_of(line, font));
    }
    return {width, font.size + (font.size + line_gap) * static_cast<double>(lines.size() - 1)};
}

/// `corner` is the upper left one of the text.
bool PlotFrame::label_at(Spot spot, Spot corner, const std::vector<std::string>& lines,
                         const Canvas::Font& font, bool with_line) {
    const Spot size = size_of(lines, font);
    const Area area{corner.x - 2, corner.y - 1, corner.x + size.x + 2, corner.y + size.y + 1};
    const Spot nearest{std::clamp(spot.x, corner.x, corner.x + size.x),
                       spot.y < corner.y ? corner.y : corner.y + size.y};
    if (!free(area) || (with_line && crosses_label(spot, nearest))) {
        return false;
    }
    if (with_line) {
        canvas_.line({spot, nearest}, {{0.6, 0.6, 0.6}, 0.7, {}});
        occupy_line(spot, nearest);
    }
    double base = corner.y + font.size - 2;
    for (const std::string& line : lines) {
        canvas_.text({corner.x, base}, line, Canvas::Anchor::Left, font);
        base += font.size + line_gap;
    }
    occupied_.push_back(area);
    labels_.push_back(area);
    return true;
}

bool PlotFrame::label(Spot spot, const std::vector<std::string>& lines, const Canvas::Font& font,
                      bool far) {
    const auto [width, height] = size_of(lines, font);
    const double flush = lower_right_.x - 4 - width;
    for (const double distance : {11.0, 20.0, 34.0, 52.0, 90.0, 140.0, 200.0}) {
        if (distance > 60 && !far) {
            break;
        }
        const double aside = distance * 0.7;
        const double above = spot.y - distance - height;
        const double below = spot.y + distance;
        for (const Spot& corner :
             std::initializer_list<Spot>{{spot.x + distance, spot.y - height / 2},
                                         {spot.x + aside, spot.y - aside - height},
                                         {spot.x + aside, spot.y + aside},
                                         {spot.x - distance - width, spot.y - height / 2},
                                         {spot.x - aside - width, spot.y - aside - height},
                                         {spot.x - aside - width, spot.y + aside},
                                         {spot.x - width / 2, above},
                                         {spot.x - width / 2, below},
                                         {std::min(flush, spot.x), above},
                                         {std::min(flush, spot.x), below}}) {
            if (label_at(spot, corner, lines, font, distance > 20)) {
                return true;
            }
        }
    }
    return false;
}

void draw_bar_frame(Canvas& canvas, Spot upper_left, Spot lower_right, const Scale& scale,
                    const std::string& name, int ticks) {
    for (const Tick& tick : scale.ticks(ticks)) {
        canvas.line({{tick.position, upper_left.y}, {tick.position, lower_right.y}}, grid_pen);
        canvas.text({tick.position, lower_right.y + 18}, tick.label, Canvas::Anchor::Middle,
                    tick_font);
    }
    canvas.line({upper_left, {upper_left.x, lower_right.y}}, edge_pen);
    canvas.text({(upper_left.x + lower_right.x) / 2, lower_right.y + 42}, name,
                Canvas::Anchor::Middle, axis_font);
}

void draw_title(Canvas& canvas, const std::string& title, const std::string& subtitle) {
    const double room = canvas.width() - 2 * sheet_margin;
    const Canvas::Font bold{17, true, {0.05, 0.05, 0.05}};
    const Canvas::Font plain{12.5, false, {0.35, 0.35, 0.35}};
    canvas.text({sheet_margin, 34}, canvas.fitting(title, room, bold), Canvas::Anchor::Left, bold);
    canvas.text({sheet_margin, 54}, canvas.fitting(subtitle, room, plain), Canvas::Anchor::Left,
                plain);
}

double legend_height(const std::vector<LegendEntry>& entries, double width) {
    constexpr double widest_letter = 7.2;  // of the mean text in the legend's font
    double x = 0;
    double height = legend_line_height;
    for (const LegendEntry& entry : entries) {
        const double wide = 42 + widest_letter * static_cast<double>(entry.text.size());
        if (x > 0 && x + wide > width) {
            x = 0;
            height += legend_line_height;
        }
        x += wide;
    }
    return height;
}

double draw_legend(Canvas& canvas, Spot at, const std::vector<LegendEntry>& entries) {
    const Canvas::Font font{12, false, {0.2, 0.2, 0.2}};
    Spot spot = at;
    for (const LegendEntry& entry : entries) {
        const std::string text = canvas.fitting(entry.text, canvas.width() - at.x - 60, font);
        const double width = 22 + canvas.width_of(text, font) + 20;
        if (spot.x > at.x && spot.x + width > canvas.width() - sheet_margin / 2) {
            spot = {at.x, spot.y + legend_line_height};
        }
        if (entry.line) {
            std::vector<double> dashes;
            if (entry.dashed) {
                dashes = {5, 3};
            }
            canvas.line({{spot.x - 2, spot.y - 4}, {spot.x + 16, spot.y - 4}},
                        {entry.colour, entry.width, dashes});
        } else {
            canvas.marker({spot.x + 7, spot.y - 4}, entry.marker, 5.5, entry.colour);
        }
        canvas.text({spot.x + 22, spot.y}, text, Canvas::Anchor::Left, font);
        spot.x += width;
    }
    return spot.y - at.y + legend_line_height;
}

}  // namespace npunet::report
