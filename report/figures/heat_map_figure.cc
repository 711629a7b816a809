#include "report/figures/heat_map_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "report/figures/canvas.h"
#include "report/figures/colour_scale.h"
#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

/// "1.5 GiB"
std::string in_bytes(double bytes) {
    const ScaleUnit& unit = unit_below(bytes, byte_units());
    return fmt::format("{:.4g} {}", bytes / unit.second, unit.first);
}

/// 1, 2, 4, 5 or 8 times a power of ten: about ten ticks on the axis.
std::int64_t tick_step(std::int64_t side) {
    for (std::int64_t power = 1;; power *= 10) {
        for (const std::int64_t digit : {1, 2, 4, 5, 8}) {
            if (side <= digit * power * 12) {
                return digit * power;
            }
        }
    }
}

class HeatMapDrawing {
    static constexpr double margin = 26;
    static constexpr double top = 72;
    static constexpr double panel_left = 62;  ///< for ranks and the axis's name
    static constexpr double panel_top = 40;
    static constexpr double panel_bottom = 54;
    static constexpr double panel_right = 22;
    static constexpr double wanted_side = 400;
    static constexpr double least_cell = 2;
    static constexpr double bar_room = 112;
    static inline const Canvas::Font rank_font{12.5, false, {0.1, 0.1, 0.1}};
    static inline const Canvas::Font heading{13.5, true, {0.1, 0.1, 0.1}};

public:
    explicit HeatMapDrawing(const HeatMapPlot& plot) : plot_(plot) {
        block_ = std::max<std::int64_t>(
            1, (plot.side + HeatMapPlot::most_cells - 1) / HeatMapPlot::most_cells);
        cells_ = std::max<std::int64_t>(1, (plot.side + block_ - 1) / block_);
        cell_ = std::max(least_cell, std::floor(wanted_side / static_cast<double>(cells_)));
        side_ = cell_ * static_cast<double>(cells_);
        for (const HeatMapPanel& panel : plot.panels) {
            panels_.push_back(blocks_of(panel));
            for (const auto& [place, bytes] : panels_.back()) {
                least_ = least_ == 0 ? bytes : std::min(least_, bytes);
                most_ = std::max(most_, bytes);
            }
        }
        columns_ = std::max<std::size_t>(1, std::min<std::size_t>(plot.panels.size(), 2));
    }

    [[nodiscard]] double width() const {
        return margin + static_cast<double>(columns_) * panel_width() + bar_room + margin;
    }
    [[nodiscard]] double height() const {
        const std::size_t rows =
            std::max<std::size_t>(1, (plot_.panels.size() + columns_ - 1) / columns_);
        return top + static_cast<double>(rows) * panel_height() + 8;
    }

    void draw(Canvas& canvas) const {
        draw_title(canvas, plot_.title, subtitle());
        for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
            const auto column = static_cast<double>(i % columns_);
            const auto row = static_cast<double>(i / columns_);
            draw_panel(canvas, i,
                       {margin + column * panel_width() + panel_left,
                        top + row * panel_height() + panel_top});
        }
        draw_bar(canvas);
    }

private:
    using Blocks = std::map<std::pair<std::int64_t, std::int64_t>, double>;

    [[nodiscard]] double panel_width() const { return panel_left + side_ + panel_right; }
    [[nodiscard]] double panel_height() const { return panel_top + side_ + panel_bottom; }

    [[nodiscard]] Blocks blocks_of(const HeatMapPanel& panel) const {
        Blocks blocks;
        for (const HeatMapCell& cell : panel.cells) {
            if (cell.bytes > 0) {
                blocks[{cell.row / block_, cell.column / block_}] += cell.bytes;
            }
        }
        return blocks;
    }

    [[nodiscard]] std::string subtitle() const {
        if (block_ == 1) {
            return plot_.subtitle;
        }
        return fmt::format("{}{}each cell is the sum over {} x {} ranks", plot_.subtitle,
                           plot_.subtitle.empty() ? "" : "; ", block_, block_);
    }

    [[nodiscard]] double part_of(double bytes) const {
        return most_ > least_ ? std::log(bytes / least_) / std::log(most_ / least_) : 0.75;
    }

    void draw_panel(Canvas& canvas, std::size_t number, Spot corner) const {
        const HeatMapPanel& panel = plot_.panels[number];
        double total = 0;
        for (const HeatMapCell& cell : panel.cells) {
            total += cell.bytes;
        }
        canvas.text(
            {corner.x, corner.y - 12},
            canvas.fitting(panel.title + (total > 0 ? ": " + in_bytes(total) + " in all" : ""),
                           side_ + panel_right, heading),
            Canvas::Anchor::Left, heading);
        canvas.box(corner, side_, side_, {0.955, 0.955, 0.955});
        for (const auto& [place, bytes] : panels_[number]) {
            canvas.box({corner.x + cell_ * static_cast<double>(place.second),
                        corner.y + cell_ * static_cast<double>(place.first)},
                       cell_, cell_, shade(part_of(bytes)));
        }
        if (total == 0) {
            canvas.text({corner.x + side_ / 2, corner.y + side_ / 2 + 4}, "no traffic",
                        Canvas::Anchor::Middle, rank_font);
        }
        draw_axes(canvas, corner);
    }

    void draw_axes(Canvas& canvas, Spot corner) const {
        const double floor = corner.y + side_;
        canvas.line({corner,
                     {corner.x + side_, corner.y},
                     {corner.x + side_, floor},
                     {corner.x, floor},
                     corner},
                    edge_pen);
        const std::int64_t step = tick_step(plot_.side);
        for (std::int64_t rank = 0; rank < plot_.side; rank += step) {
            const double at = cell_ * (static_cast<double>(rank / block_) + 0.5);
            const std::string label = fmt::format("{}", rank);
            canvas.line({{corner.x - 4, corner.y + at}, {corner.x, corner.y + at}}, edge_pen);
            canvas.text({corner.x - 7, corner.y + at + 4}, label, Canvas::Anchor::Right,
                        small_font);
            canvas.line({{corner.x + at, floor}, {corner.x + at, floor + 4}}, edge_pen);
            canvas.text({corner.x + at, floor + 17}, label, Canvas::Anchor::Middle, small_font);
        }
        canvas.text({corner.x + side_ / 2, floor + 36}, plot_.column_name, Canvas::Anchor::Middle,
                    rank_font);
        canvas.text_upwards({corner.x - 46, corner.y + side_ / 2}, plot_.row_name, rank_font);
    }

    /// The legend: what the colours mean.
    void draw_bar(Canvas& canvas) const {
        if (most_ == 0) {
            return;
        }
        const double x = canvas.width() - margin - bar_room + 8;
        const double length = std::min(side_, 320.0);
        const double y = top + panel_top;
        canvas.text({x, y - 12}, "bytes", Canvas::Anchor::Left, heading);
        const ColourBar bar(canvas, {x, y}, length);
        bar.draw(64, [&](double part) { return shade(most_ > least_ ? part : 0.75); });
        if (most_ == least_) {
            bar.label(length / 2, in_bytes(most_));
            return;
        }
        bar.label(0, in_bytes(most_));
        bar.label(length, in_bytes(least_));
        draw_bar_ticks(bar, length);
    }

    /// Powers of two, ten or 1024 bytes apart enough, away from the two ends.
    void draw_bar_ticks(const ColourBar& bar, double length) const {
        const double octaves = std::log2(most_ / least_);
        const double apart = octaves > 30 ? 10 : octaves > 12 ? 5 : octaves > 5 ? 2 : 1;
        for (double power = 0; power < 1024 && std::exp2(power) < most_; power += apart) {
            const double at = length * (1 - part_of(std::max(std::exp2(power), least_)));
            if (std::exp2(power) > least_ && at > 14 && at < length - 14) {
                bar.label(at, in_bytes(std::exp2(power)));
            }
        }
    }

    const HeatMapPlot& plot_;
    std::int64_t block_ = 1;
    std::int64_t cells_ = 1;
    double cell_ = 1;
    double side_ = 1;
    double least_ = 0;
    double most_ = 0;
    std::size_t columns_ = 1;
    std::vector<Blocks> panels_;
};

}  // namespace

Figure heat_map_figure(const HeatMapPlot& plot) {
    const HeatMapDrawing drawing(plot);
    return draw_figure(drawing.width(), drawing.height(),
                       [&](Canvas& canvas) { drawing.draw(canvas); });
}

}  // namespace npunet::report
