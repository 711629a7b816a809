#include "report/figures/search_time_figure.h"

#include <fmt/format.h>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

void draw_series(Canvas& canvas, PlotFrame& frame, const SearchTimePlot& plot, std::size_t series,
                 const Scale& x, const Scale& y) {
    const auto marker = static_cast<Canvas::Marker>(series % 4);
    std::vector<Spot> line;
    for (const SearchTimePoint& point : plot.points) {
        if (point.series == series) {
            line.push_back(
                {x.position(static_cast<double>(point.layers)), y.position(point.seconds)});
        }
    }
    if (line.size() > 1) {
        canvas.line(line, {palette(series), 1.6, {}});
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
        canvas.marker(line[i], marker, 4.5, palette(series));
        frame.occupy(line[i], 4.5);
        if (i > 0) {
            frame.occupy_line(line[i - 1], line[i]);
        }
    }
}

void draw_steps(PlotFrame& frame, const SearchTimePlot& plot, const Scale& x, const Scale& y) {
    for (const SearchTimePoint& point : plot.points) {
        const Spot spot{x.position(static_cast<double>(point.layers)), y.position(point.seconds)};
        frame.label(spot, {fmt::format("{} steps", point.steps)},
                    {11, false, palette(point.series)});
    }
}

void draw(Canvas& canvas, const SearchTimePlot& plot) {
    draw_title(canvas, plot.title, "wall-clock time of one search, with its number of steps");
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        legend.push_back({plot.series[i], palette(i), static_cast<Canvas::Marker>(i % 4)});
    }
    const Spot upper_left{86, 76 + draw_legend(canvas, {86, 80}, legend)};
    const Spot lower_right{canvas.width() - 30, canvas.height() - 64};
    std::vector<double> layers;
    std::vector<double> seconds;
    for (const SearchTimePoint& point : plot.points) {
        layers.push_back(static_cast<double>(point.layers));
        seconds.push_back(point.seconds);
    }
    const Scale x = Scale::over(layers, no_units(), upper_left.x, lower_right.x);
    const Scale y = Scale::over(seconds, time_units(), lower_right.y, upper_left.y);
    PlotFrame frame(canvas, upper_left, lower_right);
    frame.draw(x, "layers", y, "search time");
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        draw_series(canvas, frame, plot, i, x, y);
    }
    draw_steps(frame, plot, x, y);
}

}  // namespace

Figure search_time_figure(const SearchTimePlot& plot) {
    return draw_figure(760, 480, [&](Canvas& canvas) { draw(canvas, plot); });
}

}  // namespace npunet::report
