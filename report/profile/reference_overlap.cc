#include "report/profile/reference_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/figures/scale.h"
#include "report/profile/reference_layout.h"

namespace npunet::report {

using analysis::StepOverlap;

namespace {

constexpr double sheet_width = 1200;  // hundredths of an inch
constexpr double sheet_height = 1000;
constexpr double sheet_left = 85;
constexpr double sheet_right = 20;
constexpr double panel_height = 350;
constexpr double first_panel = 70;
constexpr double second_panel = 520;
constexpr double seconds_per_ns = 1e-9;

const Colour wall_colour = colour_of_code("#6A0DAD");
const Canvas::Font phase_font{17, true, reference_black};

Colour computation_colour() {
    return colour_of_code(reference_colour("fwd_computation"));
}
Colour both_colour() {
    return colour_of_code(reference_colour("pp_communication"));
}
Colour communication_colour() {
    return colour_of_code(reference_colour("dp_communication"));
}

class OverlapPanel {
    static constexpr double bar_part = 0.6;  // of a step
    static constexpr double label_distance = 14;
    static inline const Canvas::Font axis_font{15, true, reference_black};
    static inline const Canvas::Font batch_font{12, false, reference_black};

public:
    OverlapPanel(Canvas& canvas, const std::vector<StepOverlap>& overlaps, bool forward, double top)
        : canvas_(canvas), forward_(forward), top_(top), floor_(top + panel_height) {
        std::copy_if(overlaps.begin(), overlaps.end(), std::back_inserter(steps_),
                     [&](const StepOverlap& step) { return step.forward == forward; });
        step_width_ = (sheet_width - sheet_left - sheet_right) /
                      static_cast<double>(std::max<std::size_t>(steps_.size(), 1));
    }

    void draw() {
        const std::string name = forward_ ? "Forward" : "Backward";
        canvas_.text({(sheet_left + sheet_width - sheet_right) / 2, top_ - 12}, name + " Phase",
                     Canvas::Anchor::Middle, phase_font);
        if (steps_.empty()) {
            canvas_.text({(sheet_left + sheet_width - sheet_right) / 2, (top_ + floor_) / 2},
                         fmt::format("No {} data available", name), Canvas::Anchor::Middle,
                         {17, false, {0.5, 0.5, 0.5}});
        } else {
            draw_steps();
        }
        canvas_.line({{sheet_left, top_},
                      {sheet_width - sheet_right, top_},
                      {sheet_width - sheet_right, floor_},
                      {sheet_left, floor_},
                      {sheet_left, top_}},
                     {reference_black, 1.1, {}});
    }

private:
    void draw_steps() {
        std::int64_t most = 0;
        for (const StepOverlap& step : steps_) {
            most = std::max(most, std::max(step.wall_ns, busy(step)));
        }
        const Scale time = Scale::from_zero(static_cast<double>(most) * seconds_per_ns * 1.05,
                                            {{"ms", 1e-3}}, floor_, top_);
        for (const Tick& tick : time.ticks()) {
            canvas_.line({{sheet_left, tick.position}, {sheet_width - sheet_right, tick.position}},
                         {{0.88, 0.88, 0.88}, 0.8, {4, 3}});
            canvas_.line({{sheet_left - 5, tick.position}, {sheet_left, tick.position}},
                         {reference_black, 1, {}});
            canvas_.text({sheet_left - 9, tick.position + 5}, tick.label, Canvas::Anchor::Right,
                         reference_tick_font);
        }
        canvas_.text_upwards({22, (top_ + floor_) / 2}, "Time (ms)", axis_font);
        canvas_.text({(sheet_left + sheet_width - sheet_right) / 2, floor_ + 52}, "MBS ID",
                     Canvas::Anchor::Middle, axis_font);
        std::vector<Spot> wall;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            wall.push_back(draw_step(steps_[i], middle_of(i), time));
        }
        canvas_.line(wall, {wall_colour, 2.4, {}});
        for (const Spot& spot : wall) {
            canvas_.marker(spot, Canvas::Marker::Disc, std::min(4.0, 1 + step_width_ / 3),
                           wall_colour);
        }
        draw_numbers();
    }

    /// Gives the spot of its wall clock.
    Spot draw_step(const StepOverlap& step, double middle, const Scale& time) {
        const std::int64_t alone = step.computation_ns - step.overlap_ns;
        std::int64_t below = 0;
        const auto add = [&](std::int64_t part, const Colour& colour) {
            const double from = at(time, below);
            below += part;
            const double to = at(time, below);
            if (part > 0) {
                canvas_.box({middle - step_width_ * bar_part / 2, to}, step_width_ * bar_part,
                            from - to, colour);
            }
        };
        add(alone, computation_colour());
        add(step.overlap_ns, both_colour());
        add(step.communication_ns - step.overlap_ns, communication_colour());
        const Spot wall{middle, at(time, step.wall_ns)};
        if (step.wall_ns > below) {
            canvas_.line({{middle, at(time, below)}, wall}, {{0.5, 0.5, 0.5}, 1, {1.2, 2}});
        }
        return wall;
    }

    void draw_numbers() {
        std::size_t each = 1;
        while (static_cast<double>(each) * step_width_ < label_distance) {
            each *= 2;
        }
        for (std::size_t i = 0; i < steps_.size(); i += each) {
            const std::string number = fmt::format("{}", steps_[i].micro_batch);
            canvas_.line({{middle_of(i), floor_}, {middle_of(i), floor_ + 5}},
                         {reference_black, 1, {}});
            canvas_.text_upwards(
                {middle_of(i) + 4, floor_ + 10 + canvas_.width_of(number, batch_font) / 2}, number,
                batch_font);
        }
    }

    [[nodiscard]] double middle_of(std::size_t index) const {
        return sheet_left + step_width_ * (static_cast<double>(index) + 0.5);
    }
    [[nodiscard]] static double at(const Scale& time, std::int64_t nanoseconds) {
        return time.position(static_cast<double>(nanoseconds) * seconds_per_ns);
    }
    [[nodiscard]] static std::int64_t busy(const StepOverlap& step) {
        return step.computation_ns + step.communication_ns - step.overlap_ns;
    }

    Canvas& canvas_;
    bool forward_;
    double top_;
    double floor_;
    double step_width_ = 0;
    std::vector<StepOverlap> steps_;
};

void draw_legend(Canvas& canvas, bool any_overlap) {
    const Canvas::Font legend_font{12.5, false, reference_black};
    struct Entry {
        const char* text;
        Colour colour;
        bool line;
    };
    Colour both = both_colour();
    both.opacity = any_overlap ? 1 : 0.3;
    const std::vector<Entry> entries = {
        {"Computation Execution Time", computation_colour(), false},
        {any_overlap ? "Comm-Comp Overlap Time" : "Comm-Comp Overlap Time (None)", both, false},
        {"Communication Execution Time", communication_colour(), false},
        {"Wall Clock", wall_colour, true}};
    double wide = 0;
    for (const Entry& entry : entries) {
        wide += canvas.width_of(entry.text, legend_font) + 62;
    }
    const double from = (sheet_width - wide) / 2;
    constexpr double top = 950;
    constexpr double floor = 978;
    constexpr double middle = (top + floor) / 2;
    canvas.line({{from, top}, {from + wide, top}, {from + wide, floor}, {from, floor}, {from, top}},
                {reference_black, 1.1, {}});
    double x = from + 10;
    for (const Entry& entry : entries) {
        if (entry.line) {
            canvas.line({{x, middle}, {x + 28, middle}}, {entry.colour, 2.4, {}});
            canvas.marker({x + 14, middle}, Canvas::Marker::Disc, 4, entry.colour);
        } else {
            canvas.box({x, middle - 5}, 28, 10, entry.colour);
        }
        canvas.text({x + 37, middle + 4.5}, entry.text, Canvas::Anchor::Left, legend_font);
        x += canvas.width_of(entry.text, legend_font) + 62;
    }
}

}  // namespace

Figure reference_overlap(std::int32_t rank, const std::vector<StepOverlap>& overlaps) {
    const bool any_overlap =
        std::any_of(overlaps.begin(), overlaps.end(),
                    [](const StepOverlap& step) { return step.overlap_ns > 0; });
    return draw_figure(sheet_width, sheet_height, [&](Canvas& canvas) {
        canvas.text({(sheet_left + sheet_width - sheet_right) / 2, 34},
                    fmt::format("Communication & Computation Overlap Analysis (Rank {})", rank),
                    Canvas::Anchor::Middle, phase_font);
        OverlapPanel(canvas, overlaps, true, first_panel).draw();
        OverlapPanel(canvas, overlaps, false, second_panel).draw();
        draw_legend(canvas, any_overlap);
    });
}

}  // namespace npunet::report
