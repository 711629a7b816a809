#include "report/figures/stage_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/figures/plot_frame.h"
#include "report/figures/scale.h"

namespace npunet::report {

namespace {

constexpr double seconds_per_ms = 1e-3;
constexpr double bytes_per_mib = 1024.0 * 1024;

const Colour capacity_colour{0.83, 0.83, 0.83};

const std::array<LegendEntry, 4>& stage_legend() {
    static const std::array<LegendEntry, 4> entries{{{"computing", palette(0)},
                                                     {"transfers", palette(4)},
                                                     {"memory", palette(2)},
                                                     {"capacity", capacity_colour}}};
    return entries;
}

/// "0: 4 A100 dp 4 tp 1, layers 0-3".
std::string label_of(std::size_t number, const PlannedStage& stage) {
    std::vector<std::pair<std::string, std::int64_t>> types;
    for (const PlannedStage::Share& share : stage.shares) {
        const auto known = std::find_if(types.begin(), types.end(),
                                        [&](const auto& type) { return type.first == share.type; });
        if (known == types.end()) {
            types.emplace_back(share.type, share.devices);
        } else {
            known->second += share.devices;
        }
    }
    std::string devices;
    for (const auto& [type, count] : types) {
        devices += fmt::format("{}{} {}", devices.empty() ? "" : " + ", count, type);
    }
    const std::int64_t last = stage.first_layer + stage.layers - 1;
    return fmt::format("{}: {}, dp {} tp {}, {} {}", number, devices, stage.dp, stage.tp,
                       stage.layers == 1 ? "layer" : "layers",
                       stage.layers == 1 ? fmt::format("{}", last)
                                         : fmt::format("{}-{}", stage.first_layer, last));
}

double computing(const PlannedStage& stage) {
    return (stage.computing_ms + stage.tensor_ms) * seconds_per_ms;
}

double period(const PlannedStage& stage) {
    return computing(stage) + stage.transfer_ms * seconds_per_ms;
}

class StageDrawing {
    static constexpr double row_height = 26;
    static constexpr double top = 106;
    static constexpr double bottom = 60;
    static constexpr double gap = 40;
    static constexpr double margin = 40;

public:
    [[nodiscard]] static double height(std::size_t stages) {
        return top + 12 + row_height * static_cast<double>(std::max<std::size_t>(stages, 1)) +
               bottom;
    }

    StageDrawing(Canvas& canvas, const StagePlot& plot) : canvas_(canvas), plot_(plot) {
        for (std::size_t s = 0; s < plot.stages.size(); ++s) {
            left_ = std::max(left_, canvas.width_of(label_of(s, plot.stages[s]), label_font_) + 40);
            longest_ = std::max(longest_, period(plot.stages[s]));
            most_ = std::max(most_, std::max(plot.stages[s].memory_mb, plot.stages[s].capacity_mb) *
                                        bytes_per_mib);
        }
        left_ = std::min(left_, widest_bar_label);
        middle_ = left_ + (canvas.width() - margin - left_) * 0.6;
    }

    void draw() {
        draw_title(canvas_, plot_.title, plot_.subtitle);
        draw_legend(canvas_, {26, 82}, {stage_legend().begin(), stage_legend().end()});
        const Scale time = Scale::from_zero(longest_, time_units(), left_, middle_ - gap / 2);
        const Scale memory =
            Scale::from_zero(most_, byte_units(), middle_ + gap / 2, canvas_.width() - margin);
        draw_frame(time, left_, middle_ - gap / 2, "time of a micro-batch");
        draw_frame(memory, middle_ + gap / 2, canvas_.width() - margin, "memory of a device");
        for (std::size_t s = 0; s < plot_.stages.size(); ++s) {
            draw_stage(s, top + 8 + row_height * static_cast<double>(s), time, memory);
        }
    }

private:
    void draw_frame(const Scale& scale, double from, double to, const char* name) {
        draw_bar_frame(canvas_, {from, top}, {to, canvas_.height() - bottom}, scale,
                       fmt::format("{} ({})", name, scale.unit()), 5);
    }

    void draw_stage(std::size_t number, double y, const Scale& time, const Scale& memory) {
        const PlannedStage& stage = plot_.stages[number];
        const double thickness = row_height - 8;
        canvas_.text({left_ - 10, y + 14},
                     canvas_.fitting(label_of(number, stage), left_ - 36, label_font_),
                     Canvas::Anchor::Right, label_font_);
        bar(time, 0, computing(stage), y, thickness, stage_legend()[0].colour);
        bar(time, computing(stage), period(stage), y, thickness, stage_legend()[1].colour);
        bar(memory, 0, stage.capacity_mb * bytes_per_mib, y, thickness, capacity_colour);
        bar(memory, 0, stage.memory_mb * bytes_per_mib, y + 3, thickness - 6,
            stage_legend()[2].colour);
    }

    void bar(const Scale& scale, double from, double to, double y, double thickness,
             const Colour& colour) {
        const double start = scale.position(from);
        if (scale.position(to) > start) {
            canvas_.box({start, y}, scale.position(to) - start, thickness, colour);
        }
    }

    Canvas& canvas_;
    const StagePlot& plot_;
    Canvas::Font label_font_{12, false, {0.1, 0.1, 0.1}};
    double left_ = 100;
    double middle_ = 0;
    double longest_ = 0;
    double most_ = 0;
};

}  // namespace

Figure stage_figure(const StagePlot& plot) {
    return draw_figure(1040, StageDrawing::height(plot.stages.size()),
                       [&](Canvas& canvas) { StageDrawing(canvas, plot).draw(); });
}

}  // namespace npunet::report
