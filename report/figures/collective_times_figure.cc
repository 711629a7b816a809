#include "report/figures/collective_times_figure.h"

#include <fmt/format.h>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

constexpr Colour bound_colour{0.25, 0.25, 0.25};
/// The choice lies below the line of what it has chosen, and shows at both sides of it.
constexpr Colour choice_colour{0.6, 0.6, 0.6, 0.55};
constexpr double choice_width = 8;

struct Axes {
    Scale x;
    Scale y;

    [[nodiscard]] Spot at(Bytes size, double gbps) const {
        return {x.position(static_cast<double>(size.value())), y.position(gbps)};
    }
};

bool is_choice(const CollectiveSeries& series) {
    return series.algorithm == "auto";
}

/// How an algorithm is drawn: by the number of those before it, without the choice.
struct Look {
    Colour colour;
    Canvas::Marker marker;
};

/// Those with the same colour have different markers.
Look look(std::size_t number) {
    return {palette(number), static_cast<Canvas::Marker>((number + number / 8) % 4)};
}

/// What the members' ports allow, at every size that was timed.
std::vector<Spot> bound_line(const CollectiveTimes& times, const Axes& axes) {
    std::vector<Spot> line;
    for (const Bytes size : times.sizes()) {
        const double gbps = times.fastest(size).time->bound_bus_gbps();
        if (gbps > 0) {
            line.push_back(axes.at(size, gbps));
        }
    }
    return line;
}

std::vector<Spot> line_of(const CollectiveSeries& series, const Axes& axes) {
    std::vector<Spot> line;
    for (const CollectiveTime& one : series.times) {
        if (one.bus_gbps() > 0) {
            line.push_back(axes.at(one.size, one.bus_gbps()));
        }
    }
    return line;
}

void draw_line(Canvas& canvas, const std::vector<Spot>& line, const Canvas::Pen& pen) {
    if (line.size() > 1) {
        canvas.line(line, pen);
    }
}

void draw_lines(Canvas& canvas, const CollectiveTimes& times, const Axes& axes) {
    for (const CollectiveSeries& series : times.series) {
        if (is_choice(series)) {
            draw_line(canvas, line_of(series, axes), {choice_colour, choice_width, {}});
        }
    }
    draw_line(canvas, bound_line(times, axes), {bound_colour, 1.4, {6, 4}});
    std::size_t number = 0;
    for (const CollectiveSeries& series : times.series) {
        if (series.times.empty() || is_choice(series)) {
            continue;
        }
        const Look own = look(number++);
        const std::vector<Spot> line = line_of(series, axes);
        draw_line(canvas, line, {own.colour, 1.6, {}});
        for (const Spot& spot : line) {
            canvas.marker(spot, own.marker, 4, own.colour);
        }
    }
}

std::vector<LegendEntry> legend_of(const CollectiveTimes& times) {
    std::vector<LegendEntry> legend{
        {"bound of the links", bound_colour, Canvas::Marker::Square, true, true}};
    std::size_t number = 0;
    for (const CollectiveSeries& series : times.series) {
        if (series.times.empty()) {
            continue;
        }
        if (is_choice(series)) {
            legend.push_back({series.algorithm, choice_colour, Canvas::Marker::Square, true, false,
                              choice_width});
            continue;
        }
        const Look own = look(number++);
        legend.push_back({series.algorithm, own.colour, own.marker});
    }
    return legend;
}

void draw(Canvas& canvas, const CollectiveTimes& times) {
    draw_title(canvas, fmt::format("{} among {} NPUs", engine::name_of(times.kind), times.members),
               fmt::format("{}, {}", times.network, times.fidelity));
    std::vector<double> sizes;
    std::vector<double> rates;
    for (const CollectiveSeries& series : times.series) {
        for (const CollectiveTime& one : series.times) {
            sizes.push_back(static_cast<double>(one.size.value()));
            for (const double rate : {one.bus_gbps(), one.bound_bus_gbps()}) {
                if (rate > 0) {
                    rates.push_back(rate);
                }
            }
        }
    }
    const Spot upper_left{86, 80 + draw_legend(canvas, {86, 82}, legend_of(times))};
    const Spot lower_right{canvas.width() - 30, canvas.height() - 60};
    const Axes axes{Scale::over(sizes, byte_units(), upper_left.x, lower_right.x),
                    Scale::over(rates, no_units(), lower_right.y, upper_left.y)};
    PlotFrame(canvas, upper_left, lower_right).draw(axes.x, "size", axes.y, "bus bandwidth (GB/s)");
    draw_lines(canvas, times, axes);
}

}  // namespace

Figure collective_times_figure(const CollectiveTimes& times) {
    return draw_figure(820, 560, [&](Canvas& canvas) { draw(canvas, times); });
}

}  // namespace npunet::report
