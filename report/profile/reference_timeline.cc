#include "report/profile/reference_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace npunet::report {

using analysis::KernelTable;
using analysis::TimeSpan;

namespace {

constexpr double most_pixels = 40e6;
constexpr double most_pixels_high = 30000;

void outline(Canvas& canvas, Spot corner, double wide, double high, const Canvas::Pen& pen) {
    const double right = corner.x + wide;
    const double floor = corner.y + high;
    canvas.line({corner, {right, corner.y}, {right, floor}, {corner.x, floor}, corner}, pen);
}

class ChartDrawing {
    static constexpr double left = 125;
    static constexpr double plot_width = 1000;
    static constexpr double top = 62;
    static constexpr double row_height = 150;
    static constexpr double row_gap = 30;
    static constexpr double axis_height = 62;
    static constexpr double legend_row = 25;
    static constexpr double bottom = 26;
    static constexpr double point = 100.0 / 72;
    static constexpr int tick_steps = 10;
    static inline const Canvas::Font title_font{20, true, reference_black};
    static inline const Canvas::Font axis_font{18, true, reference_black};
    static inline const Canvas::Font row_font{15, false, reference_black};
    static inline const Canvas::Font legend_font{13.5, false, reference_black};

public:
    static constexpr double width = left + plot_width + 35;

    ChartDrawing(const ReferenceChart& chart, const std::vector<KernelTable>& order)
        : chart_(chart) {
        for (const KernelTable table : order) {
            const bool present =
                std::any_of(chart.rows.begin(), chart.rows.end(), [&](const ReferenceRow& row) {
                    return std::any_of(row.bars.begin(), row.bars.end(),
                                       [&](const RowBar& bar) { return bar.table == table; });
                });
            if (present) {
                tables_.push_back(table);
            }
        }
        shapes_ = bar_shapes(tables_);
        std::sort(shapes_.begin(), shapes_.end(),
                  [](const BarShape& a, const BarShape& b) { return a.level < b.level; });
        const auto rows = static_cast<double>(chart.rows.size());
        plot_height_ = rows * row_height + std::max(0.0, rows - 1) * row_gap;
    }

    [[nodiscard]] double height() const {
        return top + plot_height_ + axis_height + legend_height() + bottom;
    }

    void draw(Canvas& canvas, double above) const {
        const double start = above + top;
        const double floor = start + plot_height_;
        canvas.text({left + plot_width / 2, above + 34},
                    canvas.fitting(chart_.title, plot_width, title_font), Canvas::Anchor::Middle,
                    title_font);
        draw_axis(canvas, start, floor);
        const double pitch =
            plot_height_ / static_cast<double>(std::max<std::size_t>(chart_.rows.size(), 1));
        for (std::size_t i = 0; i < chart_.rows.size(); ++i) {
            const double middle = start + pitch * (static_cast<double>(i) + 0.5);
            draw_bars(canvas, chart_.rows[i], middle, pitch);
            canvas.line({{left - 5, middle}, {left, middle}}, {reference_black, 1, {}});
            canvas.text({left - 10, middle + 5}, fmt::format("Rank {}", chart_.rows[i].rank),
                        Canvas::Anchor::Right, row_font);
        }
        outline(canvas, {left, start}, plot_width, plot_height_, {reference_black, 1.2, {}});
        canvas.text_upwards({22, (start + floor) / 2},
                            canvas.fitting("PP Group Rank ID", plot_height_ + 60, axis_font),
                            axis_font);
        draw_legend(canvas, floor + axis_height);
    }

private:
    [[nodiscard]] double legend_height() const {
        const LegendGrid grid = legend_grid(tables_.size());
        return grid.rows == 0 ? 0 : 12 + legend_row * static_cast<double>(grid.rows);
    }

    [[nodiscard]] double position(std::int64_t time) const {
        const auto range = static_cast<double>(std::max<std::int64_t>(chart_.range_ns, 1));
        return left + plot_width * static_cast<double>(time) / range;
    }

    void draw_axis(Canvas& canvas, double start, double floor) const {
        const double step_ms = static_cast<double>(chart_.range_ns) / tick_steps / 1e6;
        // One decimal, unless neighbouring ticks would then read alike.
        const int decimals = step_ms > 0 && step_ms < 0.1
                                 ? static_cast<int>(std::ceil(-std::log10(step_ms) - 1e-9))
                                 : 1;
        for (int i = 0; i <= tick_steps; ++i) {
            const double x = left + plot_width * i / tick_steps;
            if (i > 0 && i < tick_steps) {
                canvas.line({{x, start}, {x, floor}}, {{0.88, 0.88, 0.88}, 0.8, {4, 3}});
            }
            canvas.line({{x, floor}, {x, floor + 5}}, {reference_black, 1, {}});
            canvas.text({x, floor + 20}, fmt::format("{:.{}f}", step_ms * i, decimals),
                        Canvas::Anchor::Middle, reference_tick_font);
        }
        canvas.text({left + plot_width / 2, floor + 44}, "Wall Clock Time (ms)",
                    Canvas::Anchor::Middle, axis_font);
    }

    void draw_bars(Canvas& canvas, const ReferenceRow& row, double middle, double pitch) const {
        const std::vector<RowSegment> segments = row_segments(row.bars, tables_);
        for (const BarShape& shape : shapes_) {
            const Colour colour = colour_of_code(reference_colour(name_of(shape.table)));
            const double high = shape.height * pitch;
            double drawn = 0;  // up to here
            for (const TimeSpan& run : runs_of(segments, shape.table)) {
                double from = position(run.start);
                double to = position(run.end);
                if (to - from < plot_width / 1000) {
                    const double centre = (from + to) / 2;
                    from = centre - point / 2;
                    to = centre + point / 2;
                }
                // Thousands of kernels may lie on one spot: once is enough to see them.
                if (to > drawn + point / 8) {
                    canvas.box({from, middle - high / 2}, to - from, high, colour);
                    drawn = to;
                }
            }
        }
    }

    void draw_legend(Canvas& canvas, double start) const {
        if (tables_.empty()) {
            return;
        }
        const LegendGrid grid = legend_grid(tables_.size());
        std::vector<double> widths(grid.columns, 0);
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            double& wide = widths[legend_cell(i, tables_.size()).column];
            const std::string name(name_of(tables_[i]));
            wide = std::max(wide, canvas.width_of(name, legend_font) + 62);
        }
        std::vector<double> columns(1, 0);
        for (const double wide : widths) {
            columns.push_back(columns.back() + wide);
        }
        const double wide = columns.back();
        const double from = left + (plot_width - wide) / 2;
        canvas.box({from + 3, start + 3}, wide, legend_height(), {0.55, 0.55, 0.55});
        canvas.box({from, start}, wide, legend_height(), {1, 1, 1});
        outline(canvas, {from, start}, wide, legend_height(), {reference_black, 1.4, {}});
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            const LegendCell cell = legend_cell(i, tables_.size());
            const std::string name(name_of(tables_[i]));
            const double x = from + columns[cell.column] + 10;
            const double y = start + 6 + legend_row * (static_cast<double>(cell.row) + 0.5);
            canvas.box({x, y - 5}, 28, 10, colour_of_code(reference_colour(name)));
            canvas.text({x + 38, y + 5}, name, Canvas::Anchor::Left, legend_font);
        }
    }

    const ReferenceChart& chart_;
    std::vector<KernelTable> tables_;  ///< those that have bars
    std::vector<BarShape> shapes_;     ///< from below to above
    double plot_height_ = 0;
};

}  // namespace

Figure reference_timeline(const std::vector<ReferenceChart>& charts,
                          const std::vector<KernelTable>& order) {
    std::vector<ChartDrawing> drawings;
    double height = 0;
    for (const ReferenceChart& chart : charts) {
        drawings.emplace_back(chart, order);
        height += drawings.back().height();
    }
    const double pixels = std::min(
        {3.0, most_pixels_high / height, std::sqrt(most_pixels / (ChartDrawing::width * height))});
    return draw_figure(
        ChartDrawing::width, height,
        [&](Canvas& canvas) {
            double above = 0;
            for (const ChartDrawing& drawing : drawings) {
                drawing.draw(canvas, above);
                above += drawing.height();
            }
        },
        pixels);
}

}  // namespace npunet::report
