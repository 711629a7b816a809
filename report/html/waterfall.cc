#include "report/html/drawings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "report/comparison/gap_table.h"
#include "report/figures/scale.h"
#include "report/html/svg.h"

namespace npunet::report {

namespace {

class WaterfallDrawing {
    static constexpr double width = 760;
    static constexpr double left = 160;
    static constexpr double right = 640;  // labels of bars are beyond
    static constexpr double top = 12;
    static constexpr double row_height = 34;
    static constexpr double bar_height = 20;

public:
    WaterfallDrawing(const NamedTime& start, const std::vector<NamedTime>& changes,
                     const std::string& end)
        : start_(start),
          changes_(changes),
          end_(end),
          floor_(top + row_height * static_cast<double>(changes.size() + 2)),
          axis_(axis()),
          svg_(width, floor_ + 52, "From " + start.name + " to " + end, description()) {}

    std::string html(const std::string& text) {
        draw_axis();
        draw_total(0, start_);
        Time level = start_.time;
        for (std::size_t i = 0; i < changes_.size(); ++i) {
            draw_change(i + 1, level, changes_[i]);
            level += changes_[i].time;
        }
        draw_total(changes_.size() + 1, {end_, level});
        return figure_html(svg_, legend(), text + " Every bar begins where the one above ends.");
    }

private:
    Scale axis() {
        Time level = start_.time;
        Time low = level;
        Time high = level;
        for (const NamedTime& change : changes_) {
            level += change.time;
            low = std::min(low, level);
            high = std::max(high, level);
        }
        const double span = as_seconds(high) - as_seconds(low);
        // Small changes of a long time are not seen beside all of it.
        from_zero_ = span <= 0 || span > 0.25 * as_seconds(high);
        const double least =
            from_zero_ ? std::min(0.0, as_seconds(low)) : as_seconds(low) - 0.2 * span;
        const double most = as_seconds(high) + (from_zero_ ? 0 : 0.02 * span);
        return Scale::between(least, most > least ? most : least + 1, time_units(), left, right);
    }

    [[nodiscard]] std::string description() const {
        std::string text =
            fmt::format("{} finishes after {}", start_.name, format_time(start_.time));
        for (const NamedTime& change : changes_) {
            text += fmt::format(", {} {}", change.name, signed_time(change.time, true));
        }
        return text + ".";
    }

    /// Only what occurs.
    [[nodiscard]] std::vector<Swatch> legend() const {
        std::vector<Swatch> swatches{{"total", "finish time"}};
        const auto any = [&](auto&& holds) {
            return std::any_of(changes_.begin(), changes_.end(),
                               [&](const NamedTime& change) { return holds(change.time); });
        };
        if (any([](Time time) { return time > Time(); })) {
            swatches.push_back({"later", "later"});
        }
        if (any([](Time time) { return time < Time(); })) {
            swatches.push_back({"earlier", "earlier"});
        }
        return swatches;
    }

    [[nodiscard]] static double row(std::size_t number) {
        return top + row_height * static_cast<double>(number) + (row_height - bar_height) / 2;
    }

    void draw_axis() {
        for (const Tick& tick : axis_.ticks()) {
            svg_.line({tick.position, top}, {tick.position, floor_}, "grid");
            svg_.text({tick.position, floor_ + 18}, tick.label, "tick", Svg::Anchor::Middle);
        }
        svg_.line({left, floor_}, {right, floor_}, "edge");
        svg_.text({(left + right) / 2, floor_ + 42},
                  fmt::format("finish time ({}){}", axis_.unit(),
                              from_zero_ ? "" : "; the axis does not begin at 0"),
                  "axis-name", Svg::Anchor::Middle);
    }

    void draw_labels(std::size_t number, const std::string& name, double end,
                     const std::string& value) {
        const double base_line = row(number) + bar_height / 2 + 4;
        svg_.text({left - 12, base_line}, name, "name", Svg::Anchor::Right);
        svg_.text({end + 8, base_line}, value, "value");
    }

    void draw_total(std::size_t number, const NamedTime& total) {
        const double end = axis_.position(as_seconds(total.time));
        svg_.box({left, row(number)}, std::max(end - left, 1.0), bar_height, "total",
                 fmt::format("{}: {} ns", total.name, format_ns(total.time)));
        if (!from_zero_) {
            draw_break(row(number));
        }
        draw_labels(number, total.name, end, format_time(total.time));
        if (number == 0) {
            connect(number, end);
        }
    }

    /// Two strokes through a bar that begins further to the left.
    void draw_break(double y) {
        for (const double x : {left + 10, left + 16}) {
            svg_.line({x, y + bar_height + 2}, {x + 6, y - 2}, "break");
        }
    }

    void draw_change(std::size_t number, Time level, const NamedTime& change) {
        const double from = axis_.position(as_seconds(level));
        const double to = axis_.position(as_seconds(level + change.time));
        const bool earlier = change.time < Time();
        if (change.time != Time()) {
            svg_.box({std::min(from, to), row(number)}, std::max(std::abs(to - from), 1.5),
                     bar_height, earlier ? "earlier" : "later",
                     fmt::format("{}: {}{} ns", change.name, earlier ? "" : "+",
                                 format_ns(change.time)));
        }
        draw_labels(number, change.name, std::max(from, to), signed_time(change.time, true));
        connect(number, to);
    }

    /// From the end of a bar down to where the next one begins.
    void connect(std::size_t number, double x) {
        svg_.line({x, row(number) + (number == 0 ? bar_height : 0)}, {x, row(number + 1)}, "level");
    }

    const NamedTime& start_;
    const std::vector<NamedTime>& changes_;
    const std::string& end_;
    double floor_;
    bool from_zero_ = true;
    Scale axis_;
    Svg svg_;
};

}  // namespace

std::string waterfall(const NamedTime& start, const std::vector<NamedTime>& changes,
                      const std::string& end, const std::string& text) {
    return WaterfallDrawing(start, changes, end).html(text);
}

}  // namespace npunet::report
