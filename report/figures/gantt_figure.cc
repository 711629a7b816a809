#include "report/figures/gantt_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/figures/canvas.h"
#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"
#include "report/timeline/activity_grid.h"

namespace npunet::report {

namespace {

/// "3", or "0-7" of ranks that share a row.
std::string label_of(const std::vector<Rank>& ranks) {
    return ranks.size() == 1 ? fmt::format("{}", ranks.front().value())
                             : fmt::format("{}-{}", ranks.front().value(), ranks.back().value());
}

class GanttDrawing {
    static constexpr double left = 104;
    static constexpr double right = 30;
    static constexpr double top = 76;
    static constexpr double legend_line = 20;
    static constexpr double panel_title = 24;
    static constexpr double panel_gap = 14;
    static constexpr double bottom = 62;
    static constexpr double tallest_row = 44;
    static constexpr double lowest_row = 6;
    static constexpr double wanted_height = 660;
    static constexpr double computation_part = 0.58;
    static constexpr double label_height = 13;
    static constexpr int shades = 4;

public:
    static constexpr double width = 1200;

    explicit GanttDrawing(const GanttPlot& plot) : plot_(plot) {
        std::size_t ranks = 0;
        for (const GanttPanel& panel : plot.panels) {
            ranks += panel.ranks.size();
            length_ = std::max(length_, panel.timeline->length);
        }
        const std::size_t panels = std::max<std::size_t>(plot.panels.size(), 1);
        // Fine columns for few rows; a file of many does not grow beyond what can be seen.
        const double pixels = ranks > 2 * GanttPlot::most_rows   ? 3
                              : ranks > GanttPlot::most_rows / 2 ? 2
                                                                 : 1;
        const auto columns = static_cast<std::size_t>((width - left - right) / pixels);
        std::array<bool, activities> there{};
        std::size_t rows = 0;
        for (const GanttPanel& panel : plot.panels) {
            rows_.push_back(rows_of_ranks(panel.ranks, GanttPlot::most_rows / panels));
            rows += rows_.back().size();
            grids_.emplace_back(*panel.timeline, rows_.back(), columns, length_);
            for (const Activity activity : grids_.back().occurring()) {
                there[static_cast<std::size_t>(activity)] = true;
            }
        }
        for (std::size_t i = 0; i < activities; ++i) {
            if (there[i]) {
                const auto activity = static_cast<Activity>(i);
                legend_.push_back({name_of(activity), colour_of(activity)});
            }
        }
        row_height_ = std::clamp(
            std::floor(wanted_height / static_cast<double>(std::max<std::size_t>(rows, 1))),
            lowest_row, tallest_row);
        shared_ = rows < ranks;
    }

    [[nodiscard]] double height() const {
        double sum = first_panel() + bottom;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            sum += panel_height(i) + (i > 0 ? panel_gap : 0);
        }
        return sum;
    }

    void draw(Canvas& canvas) const {
        draw_title(canvas, plot_.title, subtitle());
        draw_legend(canvas, {left, top + 6}, legend_);
        const Scale time = Scale::from_zero(as_seconds(length_), time_units(), left, width - right);
        double y = first_panel();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (i > 0) {
                y += panel_gap;
            }
            if (has_title(i)) {
                canvas.text({left, y + 15},
                            canvas.fitting(plot_.panels[i].title, width - left - right, panel_font),
                            Canvas::Anchor::Left, panel_font);
                y += panel_title;
            }
            draw_panel(canvas, i, y, time);
            y += row_height_ * static_cast<double>(rows_[i].size());
        }
        for (const Tick& tick : time.ticks(10)) {
            canvas.text({tick.position, y + 18}, tick.label, Canvas::Anchor::Middle, small_font);
        }
        canvas.text({(left + width - right) / 2, y + 42}, fmt::format("time ({})", time.unit()),
                    Canvas::Anchor::Middle, axis_font);
    }

private:
    [[nodiscard]] double first_panel() const { return top + 2 * legend_line + 4; }
    [[nodiscard]] bool has_title(std::size_t i) const { return !plot_.panels[i].title.empty(); }
    [[nodiscard]] double panel_height(std::size_t i) const {
        return row_height_ * static_cast<double>(rows_[i].size()) +
               (has_title(i) ? panel_title : 0);
    }
    [[nodiscard]] std::string subtitle() const {
        std::string text = plot_.subtitle;
        if (shared_) {
            text += fmt::format("{}up to {} ranks share a row", text.empty() ? "" : "; ",
                                rows_.front().front().size());
        }
        return text + (text.empty() ? "" : "; ") +
               "above in a row computation, below communication; paler: idle in between";
    }

    void draw_panel(Canvas& canvas, std::size_t number, double y, const Scale& time) const {
        const ActivityGrid& grid = grids_[number];
        const double floor = y + row_height_ * static_cast<double>(grid.rows());
        canvas.box({left, y}, width - left - right, floor - y, {0.975, 0.975, 0.975});
        for (const Tick& tick : time.ticks(10)) {
            canvas.line({{tick.position, y}, {tick.position, floor}}, grid_pen);
        }
        for (std::size_t row = 0; row < grid.rows(); ++row) {
            draw_row(canvas, grid, row, y + row_height_ * static_cast<double>(row));
        }
        canvas.line({{left, y}, {left, floor}, {width - right, floor}}, edge_pen);
        draw_labels(canvas, number, y);
        canvas.text_upwards({24, (y + floor) / 2}, "rank", axis_font);
    }

    void draw_labels(Canvas& canvas, std::size_t number, double y) const {
        const std::vector<std::vector<Rank>>& rows = rows_[number];
        const auto step = static_cast<std::size_t>(std::ceil(label_height / row_height_));
        // Whole powers of two look less arbitrary than every third.
        std::size_t each = 1;
        while (each < step) {
            each *= 2;
        }
        for (std::size_t row = 0; row < rows.size(); row += each) {
            const double middle = y + row_height_ * (static_cast<double>(row) + 0.5);
            canvas.line({{left - 4, middle}, {left, middle}}, edge_pen);
            canvas.text({left - 8, middle + 4}, label_of(rows[row]), Canvas::Anchor::Right,
                        small_font);
        }
    }

    void draw_row(Canvas& canvas, const ActivityGrid& grid, std::size_t row, double y) const {
        const double space = row_height_ >= 12 ? 2 : row_height_ >= 8 ? 1 : 0.5;
        const double inner = row_height_ - space;
        const std::array<double, bands> from{y + space / 2,
                                             y + space / 2 + inner * computation_part};
        const std::array<double, bands> high{inner * computation_part,
                                             inner * (1 - computation_part)};
        const double column = (width - left - right) / static_cast<double>(grid.columns());
        for (std::size_t band = 0; band < bands; ++band) {
            std::size_t begin = 0;
            for (std::size_t at = 1; at <= grid.columns(); ++at) {
                if (at < grid.columns() &&
                    same(grid.cell(row, band, at), grid.cell(row, band, begin))) {
                    continue;
                }
                const ActivityGrid::Cell& cell = grid.cell(row, band, begin);
                if (cell.busy > 0) {
                    canvas.box({left + column * static_cast<double>(begin), from[band]},
                               column * static_cast<double>(at - begin), high[band], tone(cell));
                }
                begin = at;
            }
        }
    }

    [[nodiscard]] static int shade_of(const ActivityGrid::Cell& cell) {
        return (cell.busy * shades + ActivityGrid::steps - 1) / ActivityGrid::steps;
    }
    [[nodiscard]] static bool same(const ActivityGrid::Cell& a, const ActivityGrid::Cell& b) {
        return shade_of(a) == shade_of(b) && (a.busy == 0 || a.activity == b.activity);
    }
    /// Towards the ground rather than transparent, so that neighbours do not shine through.
    [[nodiscard]] static Colour tone(const ActivityGrid::Cell& cell) {
        const double part = 0.25 + 0.75 * shade_of(cell) / shades;
        const Colour full = colour_of(cell.activity);
        const auto mix = [part](double value) { return 0.975 + part * (value - 0.975); };
        return {mix(full.red), mix(full.green), mix(full.blue)};
    }

    const GanttPlot& plot_;
    Time length_;
    std::vector<std::vector<std::vector<Rank>>> rows_;  ///< by panel
    std::vector<ActivityGrid> grids_;
    std::vector<LegendEntry> legend_;
    double row_height_ = tallest_row;
    bool shared_ = false;
};

}  // namespace

Figure gantt_figure(const GanttPlot& plot) {
    const GanttDrawing drawing(plot);
    return draw_figure(GanttDrawing::width, drawing.height(),
                       [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace npunet::report
