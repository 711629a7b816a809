#include "report/html/drawings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/units.h"
#include "report/figures/scale.h"
#include "report/html/svg.h"

namespace npunet::report {

namespace {

using engine::NpuResult;

struct ColumnPart {
    const char* name;
    const char* shape_class;
    Time NpuResult::*time;
};

constexpr std::array<ColumnPart, 4> column_parts{
    {{"compute", "compute", &NpuResult::compute},
     {"exposed communication", "communication", &NpuResult::exposed_communication},
     {"exposed memory", "memory", &NpuResult::exposed_memory},
     {"idle", "idle", &NpuResult::idle}}};

/// What the columns show, from left to right.
std::vector<const NpuResult*> shown_npus(const std::vector<NpuResult>& npus, std::size_t each) {
    std::vector<const NpuResult*> shown;
    for (std::size_t first = 0; first < npus.size(); first += each) {
        const std::size_t end = std::min(first + each, npus.size());
        const NpuResult* last = &npus[first];
        for (std::size_t i = first; i < end; ++i) {
            last = npus[i].finish > last->finish ? &npus[i] : last;
        }
        shown.push_back(last);
    }
    return shown;
}

bool same_parts(const NpuResult& a, const NpuResult& b) {
    return std::all_of(column_parts.begin(), column_parts.end(),
                       [&](const ColumnPart& part) { return a.*part.time == b.*part.time; });
}

class NpuColumnsDrawing {
    static constexpr double width = 760;
    static constexpr double height = 330;
    static constexpr Spot upper_left{84, 16};
    static constexpr double right = 748;
    static constexpr double bottom = 270;
    static constexpr double widest_column = 40;

public:
    explicit NpuColumnsDrawing(const engine::Results& results)
        : results_(results),
          each_((results.npus.size() + most_columns - 1) / most_columns),
          columns_(shown_npus(results.npus, each_)),
          time_(Scale::from_zero(1.04 * as_seconds(results.finish), time_units(), bottom,
                                 upper_left.y)),
          svg_(width, height, "Where the time of each NPU went",
               "Columns over the ranks: compute, exposed communication, exposed memory, idle. The "
               "table below has the numbers.") {
        column_width_ = std::min(widest_column,
                                 (right - upper_left.x - 4) / static_cast<double>(columns_.size()));
        edge_ = left_of(columns_.size()) + 2;
    }

    std::string html() {
        draw_axes();
        draw_columns();
        return figure_html(svg_, legend(), caption());
    }

private:
    [[nodiscard]] double left_of(std::size_t column) const {
        return upper_left.x + 2 + column_width_ * static_cast<double>(column);
    }

    void draw_axes() {
        for (const Tick& tick : time_.ticks()) {
            svg_.line({upper_left.x, tick.position}, {edge_, tick.position}, "grid");
            svg_.text({upper_left.x - 8, tick.position + 4}, tick.label, "tick",
                      Svg::Anchor::Right);
        }
        svg_.text_upwards({18, (upper_left.y + bottom) / 2}, "time (" + time_.unit() + ")",
                          "axis-name");
        // As many labels as there is room for, at round numbers.
        std::size_t step = 1;
        for (std::size_t i = 0; static_cast<double>(step) * column_width_ < 36; ++i) {
            step = i % 3 == 0 ? step * 2 : i % 3 == 1 ? step / 2 * 5 : step * 2;
        }
        for (std::size_t i = 0; i < columns_.size(); i += step) {
            svg_.text({left_of(i) + column_width_ / 2, bottom + 18}, fmt::format("{}", i * each_),
                      "tick", Svg::Anchor::Middle);
        }
        svg_.text({std::max((upper_left.x + edge_) / 2, 160.0), bottom + 42},
                  "rank (number of NPU)", "axis-name", Svg::Anchor::Middle);
    }

    /// Equal neighbours are one shape, but for the gaps between wide columns.
    void draw_columns() {
        const double gap = column_width_ >= 8 ? 2 : 0;
        std::array<std::string, 4> commands;
        for (std::size_t first = 0; first < columns_.size();) {
            std::size_t end = first + 1;
            while (gap == 0 && end < columns_.size() &&
                   same_parts(*columns_[first], *columns_[end])) {
                ++end;
            }
            Time below;
            for (std::size_t k = 0; k < column_parts.size(); ++k) {
                const Time part = columns_[first]->*column_parts[k].time;
                if (part > Time()) {
                    const double foot = time_.position(as_seconds(below));
                    const double top = time_.position(as_seconds(below + part));
                    commands[k] += fmt::format(
                        "M{} {}h{}v{}h{}z", coordinate(left_of(first)), coordinate(foot),
                        coordinate(left_of(end) - left_of(first) - gap), coordinate(top - foot),
                        coordinate(left_of(first) - left_of(end) + gap));
                }
                below += part;
            }
            first = end;
        }
        for (std::size_t k = 0; k < column_parts.size(); ++k) {
            if (!commands[k].empty()) {
                svg_.path(commands[k], column_parts[k].shape_class);
            }
        }
        svg_.line({upper_left.x, bottom}, {edge_, bottom}, "edge");
        const double finish = time_.position(as_seconds(results_.finish));
        svg_.line({upper_left.x, finish}, {edge_, finish}, "finish");
    }

    /// From top to bottom as in the columns; only what occurs.
    [[nodiscard]] std::vector<Swatch> legend() const {
        std::vector<Swatch> swatches;
        for (auto part = column_parts.rbegin(); part != column_parts.rend(); ++part) {
            const Time NpuResult::*const time = part->time;
            if (std::any_of(columns_.begin(), columns_.end(),
                            [time](const NpuResult* npu) { return npu->*time > Time(); })) {
                swatches.push_back({part->shape_class, part->name});
            }
        }
        return swatches;
    }

    [[nodiscard]] std::string caption() const {
        std::string text = fmt::format(
            "Where the time of each NPU went. The dashed line is the finish of the run, {}.",
            format_time(results_.finish));
        if (each_ > 1) {
            text += fmt::format(" A column shows, of {} NPUs, the one that finishes last.", each_);
        }
        return text;
    }

    const engine::Results& results_;
    std::size_t each_;  ///< NPUs that a column stands for
    std::vector<const NpuResult*> columns_;
    double column_width_ = 0;
    double edge_ = 0;  ///< the right one
    Scale time_;
    Svg svg_;
};

}  // namespace

std::string npu_columns(const engine::Results& results) {
    if (results.npus.empty() || results.finish <= Time()) {
        return "";
    }
    return NpuColumnsDrawing(results).html();
}

}  // namespace npunet::report
