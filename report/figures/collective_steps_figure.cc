#include "report/figures/collective_steps_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"
#include "report/figures/shapes.h"

namespace npunet::report {

namespace {

class CollectiveStepsDrawing {
public:
    static constexpr double width = 1100;

    explicit CollectiveStepsDrawing(CollectiveSteps steps) : steps_(std::move(steps)) {
        std::set<std::uint32_t> phases;
        std::set<std::uint32_t> chunks;
        for (const CollectiveStep& step : steps_.steps) {
            phases.insert(step.phase);
            chunks.insert(step.chunk);
            Row& row = rows_[step.sender];
            row.lines = std::max(row.lines, line_of(row, step) + 1);
        }
        ranks_ = rows_.size();
        while (rows_.size() > CollectiveSteps::most_rows) {
            rows_.erase(std::prev(rows_.end()));
        }
        for (const std::uint32_t phase : phases) {
            legend_.push_back({fmt::format("phase {}", phase), colour_of(phase)});
        }
        chunks_ = chunks.size();
        std::size_t lines = 0;
        for (const auto& [rank, row] : rows_) {
            lines += row.lines;
        }
        line_ = std::clamp(560.0 / static_cast<double>(std::max<std::size_t>(1, lines)), 3.0, 18.0);
    }

    [[nodiscard]] double height() const { return floor() + 56; }

    void draw(Canvas& canvas) const {
        draw_title(canvas, steps_.title, subtitle());
        draw_legend(canvas, {left, 80}, legend_);
        const Scale time =
            Scale::from_zero(as_seconds(steps_.length), time_units(), left, width - right);
        for (const Tick& tick : time.ticks(8)) {
            canvas.line({{tick.position, top()}, {tick.position, floor()}}, grid_pen);
            canvas.text({tick.position, floor() + 18}, tick.label, Canvas::Anchor::Middle,
                        small_font);
        }
        double y = top();
        for (const auto& [rank, row] : rows_) {
            draw_row(canvas, rank, row, y, time);
            y += height_of(row);
        }
        canvas.line({{left, top()}, {left, floor()}, {width - right, floor()}}, edge_pen);
        canvas.text({(left + width - right) / 2, floor() + 40},
                    fmt::format("time ({})", time.unit()), Canvas::Anchor::Middle, axis_font);
        canvas.text_upwards({24, (top() + floor()) / 2}, "rank that sends", axis_font);
    }

private:
    /// Messages that a rank has under way at one time are below each other.
    struct Row {
        std::size_t lines = 0;
        std::vector<std::pair<const CollectiveStep*, std::size_t>> bars;  ///< and their line
        std::vector<Time> free_from;                                      ///< by line
    };

    static constexpr double left = 78;
    static constexpr double right = 28;
    static constexpr double row_gap = 6;

    static std::size_t line_of(Row& row, const CollectiveStep& step) {
        std::size_t line = 0;
        while (line < row.free_from.size() && row.free_from[line] > step.start) {
            ++line;
        }
        if (line == row.free_from.size()) {
            row.free_from.emplace_back();
        }
        row.free_from[line] = step.end;
        row.bars.emplace_back(&step, line);
        return line;
    }

    static Colour colour_of(std::uint32_t phase, std::uint32_t chunk = 0) {
        // Dark text is read on these.
        static constexpr std::size_t order[] = {5, 4, 2, 3, 1, 0};
        static constexpr double tints[] = {0, 0.35, 0.6, 0.2};
        const Colour full = palette(order[phase % std::size(order)]);
        const double tint = tints[chunk % std::size(tints)];
        const auto lighter = [&](double part) { return part + tint * (1 - part); };
        return {lighter(full.red), lighter(full.green), lighter(full.blue)};
    }

    [[nodiscard]] std::string subtitle() const {
        std::string text = steps_.subtitle;
        if (has_numbers()) {
            text += "; chunks are numbered";
        }
        if (ranks_ > rows_.size()) {
            text += fmt::format("; the first {} of {} ranks", rows_.size(), ranks_);
        }
        return text;
    }

    [[nodiscard]] bool has_numbers() const { return chunks_ > 1 && line_ >= 11; }
    [[nodiscard]] double top() const { return 80 + legend_height(legend_, width - left) + 4; }
    [[nodiscard]] double height_of(const Row& row) const {
        return line_ * static_cast<double>(row.lines) + row_gap;
    }
    [[nodiscard]] double floor() const {
        double y = top();
        for (const auto& [rank, row] : rows_) {
            y += height_of(row);
        }
        return y;
    }

    void draw_row(Canvas& canvas, Rank rank, const Row& row, double y, const Scale& time) const {
        static const Canvas::Font chunk_font{9.5, false, {0.05, 0.05, 0.05}};
        const double middle = y + height_of(row) / 2;
        canvas.line({{left - 4, middle}, {left, middle}}, edge_pen);
        canvas.text({left - 8, middle + 4}, std::to_string(rank.value()), Canvas::Anchor::Right,
                    small_font);
        for (const auto& [step, line] : row.bars) {
            const double from = time.position(as_seconds(step->start));
            const double wide = time.position(as_seconds(step->end)) - from;
            const Spot corner{from, y + row_gap / 2 + line_ * static_cast<double>(line)};
            const double high = line_ - (line_ > 5 ? 1 : 0);
            canvas.box(corner, std::max(wide - 0.6, 0.4), high,
                       colour_of(step->phase, step->chunk));
            if (has_numbers()) {
                draw_first_fitting(canvas, {from + wide / 2, corner.y + high / 2 + 3.5}, wide - 2,
                                   {std::to_string(step->chunk)}, chunk_font);
            }
        }
    }

    CollectiveSteps steps_;
    std::map<Rank, Row> rows_;
    std::size_t ranks_ = 0;
    std::size_t chunks_ = 0;
    double line_ = 18;
    std::vector<LegendEntry> legend_;
};

}  // namespace

Sheet collective_steps_sheet(const CollectiveSteps& steps) {
    const auto drawing = std::make_shared<const CollectiveStepsDrawing>(steps);
    return {CollectiveStepsDrawing::width, drawing->height(),
            [drawing](Canvas& canvas) { drawing->draw(canvas); }};
}

}  // namespace npunet::report
