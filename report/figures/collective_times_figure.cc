#include "report/figures/collective_times_figure.h"

#include <fmt/format.h>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

constexpr Colour bound_colour{0.35, 0.35, 0.35};

/// Those that can run here.
std::vector<const CollectiveSeries*> drawn(const CollectiveTimes& times) {
    std::vector<const CollectiveSeries*> result;
    for (const CollectiveSeries& series : times.series) {
        if (!series.times.empty()) {
            result.push_back(&series);
        }
    }
    return result;
}

void draw_bound(Canvas& canvas, const CollectiveSeries& series, const Scale& x, const Scale& y) {
    std::vector<Spot> line;
    for (const CollectiveTime& one : series.times) {
        line.push_back(
            {x.position(static_cast<double>(one.size.value())), y.position(one.bound_bus_gbps())});
    }
    if (line.size() > 1) {
        canvas.line(line, {bound_colour, 1.4, {6, 4}});
    }
}

void draw_series(Canvas& canvas, const CollectiveSeries& series, std::size_t number, const Scale& x,
                 const Scale& y) {
    std::vector<Spot> line;
    for (const CollectiveTime& one : series.times) {
        line.push_back(
            {x.position(static_cast<double>(one.size.value())), y.position(one.bus_gbps())});
    }
    if (line.size() > 1) {
        canvas.line(line, {palette(number), 1.6, {}});
    }
    for (const Spot& spot : line) {
        canvas.marker(spot, static_cast<Canvas::Marker>(number % 4), 4.5, palette(number));
    }
}

void draw(Canvas& canvas, const CollectiveTimes& times) {
    const std::vector<const CollectiveSeries*> all = drawn(times);
    draw_title(canvas, fmt::format("{} among {} NPUs", engine::name_of(times.kind), times.members),
               fmt::format("{}, {}", times.network, times.fidelity));
    std::vector<LegendEntry> legend;
    std::vector<double> sizes;
    std::vector<double> rates{0};
    for (std::size_t i = 0; i < all.size(); ++i) {
        legend.push_back({all[i]->algorithm, palette(i), static_cast<Canvas::Marker>(i % 4)});
        for (const CollectiveTime& one : all[i]->times) {
            sizes.push_back(static_cast<double>(one.size.value()));
            rates.push_back(one.bus_gbps());
            rates.push_back(one.bound_bus_gbps());
        }
    }
    legend.push_back({"what the ports allow", bound_colour, Canvas::Marker::Square, true, true});
    const Spot upper_left{86, 76 + draw_legend(canvas, {86, 80}, legend)};
    const Spot lower_right{canvas.width() - 30, canvas.height() - 64};
    const Scale x = Scale::over(sizes, byte_units(), upper_left.x, lower_right.x);
    const Scale y = Scale::over(rates, no_units(), lower_right.y, upper_left.y);
    PlotFrame frame(canvas, upper_left, lower_right);
    frame.draw(x, "size", y, "bus bandwidth (GB/s)");
    if (!all.empty()) {
        draw_bound(canvas, *all.front(), x, y);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        draw_series(canvas, *all[i], i, x, y);
    }
}

}  // namespace

Figure collective_times_figure(const CollectiveTimes& times) {
    return draw_figure(760, 480, [&](Canvas& canvas) { draw(canvas, times); });
}

}  // namespace npunet::report
