#include "report/figures/overlap_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/npu/interval_union.h"
#include "report/figures/canvas.h"
#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

using analysis::Category;
using analysis::Intervals;
using analysis::Phase;

/// The intervals of one micro-batch on one rank.
struct Spans {
    std::vector<engine::Interval> computation;
    std::vector<engine::Interval> communication;
};

/// Adds a rank's part to a bar.
void add(OverlapBar& bar, Spans& spans) {
    std::vector<engine::Interval> all = spans.computation;
    all.insert(all.end(), spans.communication.begin(), spans.communication.end());
    Time first = Time::max();
    Time last;
    for (const engine::Interval& span : all) {
        first = std::min(first, span.start);
        last = std::max(last, span.end);
    }
    const Time computation = engine::union_length(spans.computation);
    const Time communication = engine::union_length(spans.communication);
    const Time either = engine::union_length(all);
    bar.computation += static_cast<double>((either - communication).ps());
    bar.communication += static_cast<double>((either - computation).ps());
    bar.both += static_cast<double>((computation + communication - either).ps());
    bar.wall += static_cast<double>((last - first).ps());
}

void divide(OverlapBar& bar, double by) {
    bar.computation /= by;
    bar.both /= by;
    bar.communication /= by;
    bar.wall /= by;
}

/// Means of neighbours where there are too many.
std::vector<OverlapBar> merged(const std::vector<OverlapBar>& bars) {
    const std::size_t each = (bars.size() + OverlapPlot::most_bars - 1) / OverlapPlot::most_bars;
    std::vector<OverlapBar> result;
    for (std::size_t i = 0; i < bars.size(); i += std::max<std::size_t>(each, 1)) {
        const std::size_t end = std::min(i + each, bars.size());
        OverlapBar sum = bars[i];
        for (std::size_t k = i + 1; k < end; ++k) {
            sum.computation += bars[k].computation;
            sum.both += bars[k].both;
            sum.communication += bars[k].communication;
            sum.wall += bars[k].wall;
            sum.last = bars[k].last;
        }
        divide(sum, static_cast<double>(end - i));
        result.push_back(sum);
    }
    return result;
}

class OverlapDrawing {
    static constexpr double left = 92;
    static constexpr double right = 30;
    static constexpr double gap = 92;
    static constexpr double top = 142;
    static constexpr double bottom = 66;
    static inline const Colour computation_colour{0.000, 0.447, 0.698};
    static inline const Colour both_colour{0.902, 0.624, 0.000};
    static inline const Colour communication_colour{0.337, 0.706, 0.914};
    static inline const Canvas::Font heading{13.5, true, {0.1, 0.1, 0.1}};

public:
    static constexpr double width = 1040;
    static constexpr double height = 480;

    OverlapDrawing(Canvas& canvas, const OverlapPlot& plot)
        : canvas_(canvas),
          plot_(plot),
          panels_{overlap_bars(plot, true), overlap_bars(plot, false)} {
        for (const std::vector<OverlapBar>& bars : panels_) {
            for (const OverlapBar& bar : bars) {
                most_ = std::max({most_, bar.wall, bar.computation + bar.both + bar.communication});
            }
        }
    }

    void draw() {
        draw_title(canvas_, plot_.title, plot_.subtitle);
        draw_legend(canvas_, {left, 84},
                    {{"computation alone", computation_colour},
                     {"computation and communication", both_colour},
                     {"communication alone", communication_colour},
                     {"first start to last end", {0.1, 0.1, 0.1}, Canvas::Marker::Square, true}});
        const double panel = (width - left - right - gap) / 2;
        const Scale time =
            Scale::from_zero(most_ * seconds_per_ps * 1.04, time_units(), height - bottom, top);
        draw_panel("Forward", panels_[0], left, left + panel, time);
        draw_panel("Backward", panels_[1], left + panel + gap, width - right, time);
    }

private:
    void draw_panel(const char* name, const std::vector<OverlapBar>& bars, double from, double to,
                    const Scale& time) {
        const double floor = height - bottom;
        canvas_.text({from, top - 14}, name, Canvas::Anchor::Left, heading);
        for (const Tick& tick : time.ticks()) {
            canvas_.line({{from, tick.position}, {to, tick.position}}, grid_pen);
            canvas_.text({from - 8, tick.position + 4}, tick.label, Canvas::Anchor::Right,
                         small_font);
        }
        if (bars.empty()) {
            canvas_.text({(from + to) / 2, (top + floor) / 2}, "no micro-batches are known",
                         Canvas::Anchor::Middle, {13, false, {0.4, 0.4, 0.4}});
        }
        const double step =
            (to - from) / static_cast<double>(std::max<std::size_t>(bars.size(), 1));
        std::size_t each = 1;
        while (static_cast<double>(each) * step < (bars.size() > 100 ? 40 : 30)) {
            each *= 2;
        }
        std::vector<Spot> wall;
        for (std::size_t i = 0; i < bars.size(); ++i) {
            const double middle = from + step * (static_cast<double>(i) + 0.5);
            draw_bar(bars[i], middle, std::min(46.0, step * 0.66), time);
            wall.push_back({middle, time.position(bars[i].wall * seconds_per_ps)});
            if (i % each == 0) {
                canvas_.text({middle, floor + 17}, fmt::format("{}", bars[i].first),
                             Canvas::Anchor::Middle, small_font);
            }
        }
        if (wall.size() > 1) {
            canvas_.line(wall, {{0.1, 0.1, 0.1}, 1.4, {}});
        }
        for (const Spot& spot : wall) {
            canvas_.marker(spot, Canvas::Marker::Disc, 2.6, {0.1, 0.1, 0.1});
        }
        canvas_.line({{from, top}, {from, floor}, {to, floor}}, edge_pen);
        canvas_.text({(from + to) / 2, floor + 42}, "micro-batch", Canvas::Anchor::Middle,
                     axis_font);
        canvas_.text_upwards({from - 62, (top + floor) / 2}, fmt::format("time ({})", time.unit()),
                             axis_font);
    }

    void draw_bar(const OverlapBar& bar, double middle, double wide, const Scale& time) {
        double below = 0;
        const auto part = [&](double amount, const Colour& colour) {
            const double from = time.position(below * seconds_per_ps);
            below += amount;
            const double to = time.position(below * seconds_per_ps);
            if (from > to) {
                canvas_.box({middle - wide / 2, to}, wide, from - to, colour);
            }
        };
        part(bar.computation, computation_colour);
        part(bar.both, both_colour);
        part(bar.communication, communication_colour);
    }

    Canvas& canvas_;
    const OverlapPlot& plot_;
    std::vector<OverlapBar> panels_[2];
    double most_ = 1;
};

}  // namespace

std::vector<OverlapBar> overlap_bars(const OverlapPlot& plot, bool forward) {
    const Intervals& rows = plot.timeline->intervals;
    std::map<std::int32_t, std::pair<OverlapBar, double>> bars;
    for (const Rank rank : plot.ranks) {
        std::map<std::int32_t, Spans> of_rank;
        const auto [first, end] = plot.timeline->rows_of(rank);
        for (std::size_t row = first; row < end; ++row) {
            const Phase phase = rows.phase(row);
            const bool wanted = forward ? phase == Phase::Forward
                                        : phase == Phase::Backward || phase == Phase::Recompute;
            if (!wanted || rows.micro_batch(row) < 0) {
                continue;
            }
            Spans& spans = of_rank[rows.micro_batch(row)];
            if (rows.category(row) == Category::Computation) {
                spans.computation.push_back({rows.start(row), rows.end(row)});
            } else if (rows.category(row) == Category::Communication) {
                spans.communication.push_back({rows.start(row), rows.end(row)});
            }
        }
        for (auto& [micro_batch, spans] : of_rank) {
            if (spans.computation.empty() && spans.communication.empty()) {
                continue;
            }
            auto& [bar, ranks] = bars[micro_batch];
            bar.first = bar.last = micro_batch;
            add(bar, spans);
            ranks += 1;
        }
    }
    std::vector<OverlapBar> list;
    for (auto& [micro_batch, entry] : bars) {
        divide(entry.first, entry.second);
        list.push_back(entry.first);
    }
    return merged(list);
}

Figure overlap_figure(const OverlapPlot& plot) {
    return draw_figure(OverlapDrawing::width, OverlapDrawing::height,
                       [&](Canvas& canvas) { OverlapDrawing(canvas, plot).draw(); });
}

}  // namespace npunet::report
