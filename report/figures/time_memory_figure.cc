#include "report/figures/time_memory_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

double bytes(Bytes amount) {
    return static_cast<double>(amount.value());
}

class TimeMemoryDrawing {
    static constexpr std::size_t coloured_series =
        7;  // the palette's last colour is for all others
    static constexpr std::size_t most_marked =
        12;  // labels of the fastest, and of others on the front
    static constexpr std::size_t most_unmarked = 6;

public:
    static constexpr double width = 940;
    static constexpr double height = 620;

    TimeMemoryDrawing(Canvas& canvas, const TimeMemoryPlot& plot) : canvas_(canvas), plot_(plot) {
        for (const TimeMemoryPoint& point : plot.points) {
            known_ += point.memory > Bytes(0) ? 1 : 0;
        }
    }

    void draw() {
        draw_title(canvas_, plot_.title, subtitle());
        const double legend = draw_legend(canvas_, {86, 80}, entries());
        const Spot upper_left{86, 76 + legend};
        const Spot lower_right{width - 30, height - 64};
        prepare(upper_left, lower_right);
        PlotFrame frame(canvas_, upper_left, lower_right);
        frame.draw(x_,
                   known_ > 0 ? "peak memory of the rank that needs most"
                              : "place among the runs of a task, the fastest first",
                   y_, "finish time");
        if (plot_.points.empty()) {
            canvas_.text({width / 2, height / 2}, "no run has finished", Canvas::Anchor::Middle,
                         {15, false, {0.4, 0.4, 0.4}});
            return;
        }
        draw_limit(frame, upper_left.y, lower_right.y);
        draw_lines(frame);
        draw_points(frame);
        draw_labels(frame);
    }

private:
    [[nodiscard]] std::string subtitle() const {
        const std::size_t count = plot_.points.size();
        std::string text = fmt::format("{} {}", count, count == 1 ? "run" : "runs");
        if (known_ == 0) {
            return text + "; peak memory is unknown, since the workloads name no tensors";
        }
        if (known_ < count) {
            text += fmt::format("; {} of unknown peak memory are left out", count - known_);
        }
        return text;
    }

    [[nodiscard]] Colour colour_of(std::size_t series) const {
        return palette(std::min(series, coloured_series));
    }

    static Canvas::Marker marker_of(std::size_t series) {
        return static_cast<Canvas::Marker>(std::min(series, coloured_series) % 4);
    }

    [[nodiscard]] std::vector<LegendEntry> entries() const {
        std::vector<LegendEntry> list;
        if (plot_.series.size() > 1 || (plot_.series.size() == 1 && !plot_.series[0].empty())) {
            for (std::size_t i = 0; i < std::min(plot_.series.size(), coloured_series); ++i) {
                list.push_back({plot_.series[i], colour_of(i), marker_of(i)});
            }
        }
        if (plot_.series.size() > coloured_series) {
            list.push_back({fmt::format("{} other tasks", plot_.series.size() - coloured_series),
                            colour_of(coloured_series), marker_of(coloured_series)});
        }
        const Colour line = plot_.series.size() > 1 ? Colour{0.35, 0.35, 0.35} : colour_of(0);
        if (known_ > 0) {
            list.push_back({"Pareto front", line, Canvas::Marker::Disc, true});
        }
        if (known_ > 0 && plot_.limit) {
            list.push_back({"memory limit", {0.75, 0.1, 0.1}, Canvas::Marker::Disc, true, true});
        }
        return list;
    }

    /// The runs that are drawn with their value on the horizontal axis, and both scales.
    void prepare(Spot upper_left, Spot lower_right) {
        std::vector<const TimeMemoryPoint*> order;
        for (const TimeMemoryPoint& point : plot_.points) {
            order.push_back(&point);
        }
        std::stable_sort(order.begin(), order.end(),
                         [](const auto* a, const auto* b) { return a->time < b->time; });
        std::map<std::size_t, int> places;
        std::vector<double> xs;
        std::vector<double> ys;
        for (const TimeMemoryPoint* point : order) {
            if (known_ > 0 && point->memory == Bytes(0)) {
                continue;
            }
            const double x = known_ > 0 ? bytes(point->memory) : ++places[point->series];
            drawn_.emplace_back(point, x);
            xs.push_back(x);
            ys.push_back(as_seconds(point->time));
        }
        if (known_ > 0 && plot_.limit) {
            xs.push_back(bytes(*plot_.limit));
        }
        if (known_ > 0 || xs.empty()) {
            x_ = Scale::over(xs, byte_units(), upper_left.x, lower_right.x);
        } else {
            const double last = *std::max_element(xs.begin(), xs.end());
            x_ = Scale::from_zero(std::max(last * 1.05, last + 0.6), no_units(), upper_left.x,
                                  lower_right.x);
        }
        y_ = Scale::over(ys, time_units(), lower_right.y, upper_left.y);
    }

    [[nodiscard]] Spot spot_of(const TimeMemoryPoint& point, double x) const {
        return {x_.position(x), y_.position(as_seconds(point.time))};
    }

    void draw_limit(PlotFrame& frame, double top, double bottom) {
        if (known_ > 0 && plot_.limit) {
            const double x = x_.position(bytes(*plot_.limit));
            canvas_.line({{x, top}, {x, bottom}}, {{0.75, 0.1, 0.1}, 1.6, {6, 4}});
            frame.occupy_line({x, top}, {x, bottom});
        }
    }

    /// The front as steps, since what lies above and to the right of it is beaten; of runs by
    /// place a line through them.
    void draw_lines(PlotFrame& frame) {
        std::map<std::size_t, std::vector<Spot>> lines;
        for (const auto& [point, x] : drawn_) {
            if (known_ > 0 && !point->front) {
                continue;
            }
            std::vector<Spot>& line = lines[point->series];
            const Spot spot = spot_of(*point, x);
            if (known_ > 0 && !line.empty()) {
                line.push_back({line.back().x, spot.y});
            }
            line.push_back(spot);
        }
        for (const auto& [series, line] : lines) {
            Colour colour = colour_of(series);
            colour.opacity = 0.6;
            canvas_.line(line, {colour, 1.4, {}});
            for (std::size_t i = 1; i < line.size(); ++i) {
                frame.occupy_line(line[i - 1], line[i]);
            }
        }
    }

    void draw_points(PlotFrame& frame) {
        const bool many = drawn_.size() > 100;
        for (const auto& [point, x] : drawn_) {
            const bool strong = point->front || point->best;
            Colour colour = colour_of(point->series);
            colour.opacity = strong ? 1 : many ? 0.4 : 0.6;
            const double radius = strong ? 5.5 : many ? 3.5 : 4.5;
            const Spot spot = spot_of(*point, x);
            canvas_.marker(spot, marker_of(point->series), radius, colour);
            frame.occupy(spot, radius);
            if (point->best || (point->best_within_limit && plot_.limit)) {
                canvas_.ring(spot, 9, {{0.1, 0.1, 0.1}, 1.4, {}});
                frame.occupy(spot, 9);
            }
        }
    }

    /// The best first, then the front, as long as there is room.
    void draw_labels(PlotFrame& frame) {
        for (const bool best : {true, false}) {
            std::size_t count = 0;
            for (const auto& [point, x] : drawn_) {
                const bool limited = point->best_within_limit && plot_.limit;
                const bool marked = point->best || limited;
                const bool shown = best ? marked : point->front && !marked && known_ > 0;
                if (!shown || point->series >= coloured_series ||
                    count == (best ? most_marked : most_unmarked)) {
                    continue;
                }
                std::string text = point->label;
                if (marked) {
                    text = (point->best ? "fastest: " : "within the limit: ") + text;
                }
                const Canvas::Font font{11.5, marked, {0.15, 0.15, 0.15}};
                for (const double room : {440.0, 300.0, 180.0}) {
                    if (frame.label(spot_of(*point, x), canvas_.wrapped(text, room, font), font,
                                    marked)) {
                        ++count;
                        break;
                    }
                }
            }
        }
    }

    Canvas& canvas_;
    const TimeMemoryPlot& plot_;
    std::size_t known_ = 0;
    std::vector<std::pair<const TimeMemoryPoint*, double>> drawn_;
    Scale x_;
    Scale y_;
};

}  // namespace

Sheet time_memory_sheet(const TimeMemoryPlot& plot) {
    return {TimeMemoryDrawing::width, TimeMemoryDrawing::height,
            [plot](Canvas& canvas) { TimeMemoryDrawing(canvas, plot).draw(); }};
}

}  // namespace npunet::report
