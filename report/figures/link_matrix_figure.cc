#include "report/figures/link_matrix_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "report/figures/colour_scale.h"
#include "report/figures/link_rows.h"
#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

class LinkMatrixDrawing {
public:
    static constexpr double width = 1000;

    explicit LinkMatrixDrawing(LinkMapPlot plot)
        : plot_(std::move(plot)), rows_(*plot_.load, most_rows, most_bins) {
        const double row =
            wanted_height / static_cast<double>(std::max<std::size_t>(1, rows_.rows()));
        for (const LinkRows::Kind& kind : rows_.kinds()) {
            const auto rows = static_cast<double>(kind.rows);
            heights_.push_back(std::max(least_band, std::clamp(row, least_row, most_row) * rows));
        }
    }

    [[nodiscard]] double height() const {
        double sum = top + bottom;
        for (const double band : heights_) {
            sum += band + gap;
        }
        return sum;
    }

    void draw(Canvas& canvas) const {
        draw_title(canvas, plot_.title, subtitle());
        const Scale time =
            Scale::from_zero(as_seconds(plot_.length), time_units(), left, width - right);
        double y = top;
        for (std::size_t kind = 0; kind < heights_.size(); ++kind) {
            draw_band(canvas, kind, y);
            y += heights_[kind] + gap;
        }
        y -= gap;
        for (const Tick& tick : time.ticks(8)) {
            canvas.line({{tick.position, y}, {tick.position, y + 4}}, edge_pen);
            canvas.text({tick.position, y + 18}, tick.label, Canvas::Anchor::Middle, small_font);
        }
        canvas.text({(left + width - right) / 2, y + 40}, fmt::format("time ({})", time.unit()),
                    Canvas::Anchor::Middle, axis_font);
        draw_bar(canvas);
    }

private:
    static constexpr std::size_t most_rows = 384;
    static constexpr std::size_t most_bins = 256;
    static constexpr double left = 216;
    static constexpr double right = 124;
    static constexpr double top = 84;
    static constexpr double bottom = 48;
    static constexpr double gap = 12;
    static constexpr double wanted_height = 560;
    static constexpr double least_row = 1.5;
    static constexpr double most_row = 14;
    static constexpr double least_band = 46;  ///< for its name and number
    static constexpr double ticks_room = 46;
    static constexpr Colour idle{0.93, 0.93, 0.93};

    [[nodiscard]] std::string subtitle() const {
        std::size_t most = 1;
        for (const LinkRows::Kind& kind : rows_.kinds()) {
            most = std::max(most, kind.per_row);
        }
        std::string text = plot_.subtitle;
        if (most > 1) {
            text += fmt::format("{}a row is the mean of up to {} links", text.empty() ? "" : "; ",
                                most);
        }
        return text;
    }

    void draw_band(Canvas& canvas, std::size_t number, double y) const {
        const LinkRows::Kind& kind = rows_.kinds()[number];
        const double height = heights_[number];
        // As much of the sheet as the bins cover: the last one may end after the run.
        const double length = as_seconds(plot_.length);
        const double covered = as_seconds(rows_.bin()) * static_cast<double>(rows_.bins());
        std::vector<Colour> cells;
        cells.reserve(kind.rows * rows_.bins());
        for (std::size_t row = kind.first; row < kind.first + kind.rows; ++row) {
            for (std::size_t bin = 0; bin < rows_.bins(); ++bin) {
                const double share = rows_.mean(row, bin);
                cells.push_back(share > 0 ? shade(share) : idle);
            }
        }
        const double wide = width - left - right;
        canvas.cells({left, y}, length > 0 ? wide * covered / length : wide, height, rows_.bins(),
                     cells, {left + wide, y + height});
        canvas.line(
            {{left, y}, {left + wide, y}, {left + wide, y + height}, {left, y + height}, {left, y}},
            edge_pen);
        const std::vector<std::string> name =
            canvas.wrapped(kind.name, left - ticks_room - 24, panel_font);
        double base = y + height / 2 + 4 - 7.5 * static_cast<double>(name.size());
        for (const std::string& line : name) {
            canvas.text({24, base}, line, Canvas::Anchor::Left, panel_font);
            base += 15;
        }
        canvas.text({24, base},
                    fmt::format("{} {}", kind.links, kind.links == 1 ? "link" : "links"),
                    Canvas::Anchor::Left, small_font);
        canvas.text({left - 6, y + 10}, "0", Canvas::Anchor::Right, small_font);
        if (kind.links > 1) {
            canvas.text({left - 6, y + height - 1}, std::to_string(kind.links - 1),
                        Canvas::Anchor::Right, small_font);
        }
    }

    void draw_bar(Canvas& canvas) const {
        const double x = width - right + 24;
        const double length = std::clamp(height() - top - bottom - 60, 90.0, 240.0);
        canvas.text({x, top + 8}, "time", Canvas::Anchor::Left, small_font);
        canvas.text({x, top + 23}, "sending (%)", Canvas::Anchor::Left, small_font);
        draw_percent_bar(canvas, {x, top + 40}, length);
    }

    LinkMapPlot plot_;
    LinkRows rows_;
    std::vector<double> heights_;  ///< by kind
};

}  // namespace

Sheet link_matrix_sheet(const LinkMapPlot& plot) {
    const auto drawing = std::make_shared<const LinkMatrixDrawing>(plot);
    return {LinkMatrixDrawing::width, drawing->height(),
            [drawing](Canvas& canvas) { drawing->draw(canvas); }};
}

}  // namespace npunet::report
