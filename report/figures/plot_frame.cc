#include "report/figures/plot_frame.h"

#include <algorithm>
#include <cmath>

namespace npunet::report {

namespace {

constexpr double margin = 24;
constexpr double line_height = 20;
const Canvas::Pen grid{{0.88, 0.88, 0.88}, 1, {}};
const Canvas::Pen edge{{0.45, 0.45, 0.45}, 1, {}};
const Canvas::Font tick_font{12, false, {0.25, 0.25, 0.25}};
const Canvas::Font name_font{13, false, {0.1, 0.1, 0.1}};

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
        canvas_.line({{sharp(tick.position), upper_left_.y}, {sharp(tick.position), lower_right_.y}},
                     grid);
        canvas_.text({tick.position, lower_right_.y + 18}, tick.label, Canvas::Anchor::Middle,
                     tick_font);
    }
    for (const Tick& tick : y.ticks()) {
        canvas_.line({{upper_left_.x, sharp(tick.position)}, {lower_right_.x, sharp(tick.position)}},
                     grid);
        canvas_.text({upper_left_.x - 8, tick.position + 4}, tick.label, Canvas::Anchor::Right,
                     tick_font);
    }
    canvas_.line({{sharp(upper_left_.x), upper_left_.y},
                  {sharp(upper_left_.x), sharp(lower_right_.y)},
                  {lower_right_.x, sharp(lower_right_.y)}},
                 edge);
    canvas_.text({(upper_left_.x + lower_right_.x) / 2, lower_right_.y + 42},
                 with_unit(x_name, x), Canvas::Anchor::Middle, name_font);
    canvas_.text_upwards({margin + 4, (upper_left_.y + lower_right_.y) / 2}, with_unit(y_name, y),
                         name_font);
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

bool PlotFrame::label(Spot spot, const std::string& text, const Canvas::Font& font) {
    const double width = canvas_.width_of(text, font);
    const double height = font.size;
    for (const double distance : {10.0, 20.0, 34.0, 52.0}) {
        const Spot corners[] = {{spot.x + distance, spot.y - height / 2},
                                {spot.x + distance * 0.7, spot.y - distance * 0.7 - height},
                                {spot.x + distance * 0.7, spot.y + distance * 0.7},
                                {spot.x - distance - width, spot.y - height / 2},
                                {spot.x - distance * 0.7 - width, spot.y - distance * 0.7 - height},
                                {spot.x - distance * 0.7 - width, spot.y + distance * 0.7},
                                {spot.x - width / 2, spot.y - distance - height},
                                {spot.x - width / 2, spot.y + distance}};
        for (const Spot& corner : corners) {
            const Area area{corner.x - 2, corner.y - 1, corner.x + width + 2,
                            corner.y + height + 1};
            if (!free(area)) {
                continue;
            }
            if (distance > 20) {
                const double near = std::clamp(spot.x, corner.x, corner.x + width);
                canvas_.line({spot, {near, spot.y < corner.y ? corner.y : corner.y + height}},
                             {{0.6, 0.6, 0.6}, 0.7, {}});
            }
            canvas_.text({corner.x, corner.y + height - 2}, text, Canvas::Anchor::Left, font);
            occupied_.push_back(area);
            return true;
        }
    }
    return false;
}

void draw_title(Canvas& canvas, const std::string& title, const std::string& subtitle) {
    const double room = canvas.width() - 2 * margin;
    const Canvas::Font bold{17, true, {0.05, 0.05, 0.05}};
    const Canvas::Font plain{12.5, false, {0.35, 0.35, 0.35}};
    canvas.text({margin, 34}, canvas.fitting(title, room, bold), Canvas::Anchor::Left, bold);
    canvas.text({margin, 54}, canvas.fitting(subtitle, room, plain), Canvas::Anchor::Left, plain);
}

double draw_legend(Canvas& canvas, Spot at, const std::vector<LegendEntry>& entries) {
    const Canvas::Font font{12, false, {0.2, 0.2, 0.2}};
    Spot spot = at;
    for (const LegendEntry& entry : entries) {
        const std::string text = canvas.fitting(entry.text, canvas.width() - at.x - 60, font);
        const double width = 22 + canvas.width_of(text, font) + 20;
        if (spot.x > at.x && spot.x + width > canvas.width() - margin / 2) {
            spot = {at.x, spot.y + line_height};
        }
        if (entry.line) {
            std::vector<double> dashes;
            if (entry.dashed) {
                dashes = {5, 3};
            }
            canvas.line({{spot.x - 2, spot.y - 4}, {spot.x + 16, spot.y - 4}},
                        {entry.colour, 1.6, dashes});
        } else {
            canvas.marker({spot.x + 7, spot.y - 4}, entry.marker, 5.5, entry.colour);
        }
        canvas.text({spot.x + 22, spot.y}, text, Canvas::Anchor::Left, font);
        spot.x += width;
    }
    return spot.y - at.y + line_height;
}

}  // namespace npunet::report
