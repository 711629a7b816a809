#include "report/figures/breakdown_figure.h"

#include <algorithm>
#include <array>

#include "base/units.h"
#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

constexpr std::int64_t spread_for_shares = 20;

using Parts = std::array<Time, 4>;

Parts parts_of(const BreakdownBar& bar) {
    return {bar.compute, bar.exposed_communication, bar.exposed_memory, bar.idle};
}

double total_of(const BreakdownBar& bar) {
    double total = 0;
    for (const Time part : parts_of(bar)) {
        total += as_seconds(part);
    }
    return std::max(total, as_seconds(bar.finish));
}

const std::array<LegendEntry, 4>& breakdown_legend() {
    static const std::array<LegendEntry, 4> entries{{{"compute", palette(0)},
                                                     {"exposed communication", palette(4)},
                                                     {"exposed memory", palette(2)},
                                                     {"idle", {0.83, 0.83, 0.83}}}};
    return entries;
}

class BreakdownDrawing {
    static constexpr double row_height = 26;
    static constexpr double top = 106;
    static constexpr double bottom = 60;
    static constexpr double room_for_bars = 560;  ///< with the times beside them

public:
    /// As wide as the labels want, within reason.
    [[nodiscard]] static double width(const BreakdownPlot& plot) {
        constexpr double widest_letter = 7.4;
        std::size_t longest = 0;
        for (const BreakdownBar& bar : plot.bars) {
            longest = std::max(longest, bar.label.size());
        }
        return std::clamp(room_for_bars + 40 + widest_letter * static_cast<double>(longest), 940.0,
                          1800.0);
    }

    [[nodiscard]] static double height(std::size_t bars) {
        return top + 12 + row_height * static_cast<double>(std::max<std::size_t>(bars, 1)) + bottom;
    }

    BreakdownDrawing(Canvas& canvas, const BreakdownPlot& plot) : canvas_(canvas), plot_(plot) {
        for (const BreakdownBar& bar : plot.bars) {
            left_ = std::max(left_, canvas.width_of(bar.label, label_font_) + 40);
            most_ = std::max(most_, total_of(bar));
        }
        left_ = std::min(left_, canvas.width() - room_for_bars);
        const auto [least, longest] = std::minmax_element(
            plot.bars.begin(), plot.bars.end(),
            [](const BreakdownBar& a, const BreakdownBar& b) { return a.finish < b.finish; });
        shares_ =
            !plot.bars.empty() && longest->finish.ps() / spread_for_shares > least->finish.ps();
    }

    void draw() {
        draw_title(canvas_, plot_.title, plot_.subtitle);
        draw_legend(canvas_, {26, 82}, entries());
        const double end = canvas_.width() - 96;
        const Scale scale = shares_ ? Scale::from_zero(100, no_units(), left_, end)
                                    : Scale::from_zero(most_, time_units(), left_, end);
        draw_frame(scale, end);
        for (std::size_t i = 0; i < plot_.bars.size(); ++i) {
            draw_bar(plot_.bars[i], top + 8 + row_height * static_cast<double>(i), scale);
        }
        if (plot_.bars.empty()) {
            canvas_.text({canvas_.width() / 2, top + 20}, "no run has finished",
                         Canvas::Anchor::Middle, {15, false, {0.4, 0.4, 0.4}});
        }
    }

private:
    /// Only what occurs.
    [[nodiscard]] std::vector<LegendEntry> entries() const {
        std::vector<LegendEntry> list;
        for (std::size_t part = 0; part < breakdown_legend().size(); ++part) {
            const bool occurs =
                std::any_of(plot_.bars.begin(), plot_.bars.end(),
                            [&](const BreakdownBar& bar) { return parts_of(bar)[part] != Time(); });
            if (occurs) {
                list.push_back(breakdown_legend()[part]);
            }
        }
        return list;
    }

    void draw_frame(const Scale& scale, double end) {
        draw_bar_frame(canvas_, {left_, top}, {end, canvas_.height() - bottom}, scale,
                       shares_ ? "share of the finish time (%)"
                               : "time of the rank that finishes last (" + scale.unit() + ")");
    }

    void draw_bar(const BreakdownBar& bar, double y, const Scale& scale) {
        canvas_.text({left_ - 10, y + 14}, canvas_.fitting(bar.label, left_ - 36, label_font_),
                     Canvas::Anchor::Right, label_font_);
        const double factor = shares_ && total_of(bar) > 0 ? 100 / total_of(bar) : 1;
        double so_far = 0;
        double end = scale.position(0);
        for (std::size_t part = 0; part < breakdown_legend().size(); ++part) {
            const double value = factor * as_seconds(parts_of(bar)[part]);
            const double start = scale.position(so_far);
            so_far += value;
            end = scale.position(so_far);
            if (value > 0) {
                canvas_.box({start, y}, end - start, row_height - 8,
                            breakdown_legend()[part].colour);
            }
        }
        canvas_.text({end + 8, y + 14}, format_time(bar.finish), Canvas::Anchor::Left,
                     {11.5, false, {0.2, 0.2, 0.2}});
    }

    Canvas& canvas_;
    const BreakdownPlot& plot_;
    Canvas::Font label_font_{12, false, {0.1, 0.1, 0.1}};
    double left_ = 100;
    double most_ = 0;
    bool shares_ = false;
};

}  // namespace

Sheet breakdown_sheet(const BreakdownPlot& plot) {
    return {BreakdownDrawing::width(plot), BreakdownDrawing::height(plot.bars.size()),
            [plot](Canvas& canvas) { BreakdownDrawing(canvas, plot).draw(); }};
}

}  // namespace npunet::report
