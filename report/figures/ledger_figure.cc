#include "report/figures/ledger_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

using Points = std::vector<const LedgerPoint*>;

std::vector<std::pair<std::string, Points>> panels_of(const std::vector<LedgerPoint>& points) {
    constexpr std::size_t most_panels = 6;
    std::vector<std::pair<std::string, Points>> panels;
    for (const LedgerPoint& point : points) {
        const auto found = std::find_if(panels.begin(), panels.end(), [&](const auto& panel) {
            return panel.first == point.series;
        });
        if (found == panels.end()) {
            panels.push_back({point.series, {&point}});
        } else {
            found->second.push_back(&point);
        }
    }
    std::stable_sort(panels.begin(), panels.end(), [](const auto& a, const auto& b) {
        return a.second.size() > b.second.size();
    });
    panels.resize(std::min(panels.size(), most_panels));
    return panels;
}

void draw_panel(Canvas& canvas, const std::string& title, const Points& points, Spot upper_left,
                Spot lower_right) {
    std::vector<double> times;
    double most = 12;  // so that 10 % can be seen
    double sum = 0;
    for (const LedgerPoint* point : points) {
        times.push_back(point->measured_s);
        most = std::max(most, 1.1 * std::abs(point->error_percent));
        sum += std::abs(point->error_percent);
    }
    canvas.text({upper_left.x, upper_left.y - 8}, title, Canvas::Anchor::Left, panel_font);
    canvas.text({lower_right.x, upper_left.y - 8},
                fmt::format("{} rows, mean {:.1f} %", points.size(),
                            sum / static_cast<double>(points.size())),
                Canvas::Anchor::Right, tick_font);
    const Scale x = Scale::over(times, time_units(), upper_left.x, lower_right.x);
    const Scale y = Scale::between(-most, most, no_units(), lower_right.y, upper_left.y);
    PlotFrame(canvas, upper_left, lower_right).draw(x, "measured time of a step", y, "error, %");
    for (const double level : {-10.0, 0.0, 10.0}) {
        Canvas::Pen pen = edge_pen;
        if (level != 0) {
            pen.dashes = {4, 4};
        }
        canvas.line({{upper_left.x, y.position(level)}, {lower_right.x, y.position(level)}}, pen);
    }
    for (const LedgerPoint* point : points) {
        const Spot spot{x.position(point->measured_s), y.position(point->error_percent)};
        if (point->calibrated) {
            canvas.marker(spot, Canvas::Marker::Disc, 3.4, palette(0));
        } else {
            canvas.ring(spot, 3.6, {palette(1), 1.6, {}});
        }
    }
}

}  // namespace

Figure ledger_figure(const std::string& title, const std::vector<LedgerPoint>& points) {
    constexpr double panel_width = 540;
    constexpr double panel_height = 300;
    const auto panels = panels_of(points);
    const std::size_t columns = panels.size() > 1 ? 2 : 1;
    const auto lines =
        static_cast<double>(std::max<std::size_t>(1, (panels.size() + columns - 1) / columns));
    return draw_figure(
        static_cast<double>(columns) * panel_width, 70 + lines * panel_height, [&](Canvas& canvas) {
            draw_title(
                canvas, title,
                "discs: rows of groups that were calibrated on; rings: others; dashed: 10 %");
            for (std::size_t number = 0; number < panels.size(); ++number) {
                const double left = static_cast<double>(number % columns) * panel_width;
                const double top = 70 + static_cast<double>(number / columns) * panel_height;
                draw_panel(canvas, panels[number].first, panels[number].second,
                           {left + 76, top + 30},
                           {left + panel_width - 16, top + panel_height - 56});
            }
        });
}

}  // namespace npunet::report
