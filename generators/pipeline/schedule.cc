#include "generators/pipeline/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::generators {

namespace {

using Actions = std::vector<PipelineAction>;

Actions gpipe(const PipelineShape& shape) {
    Actions actions;
    for (const ActionKind kind : {ActionKind::Forward, ActionKind::Backward}) {
        for (std::int64_t m = 0; m < shape.micro_batches; ++m) {
            actions.push_back({kind, m, 0});
        }
    }
    return actions;
}

/// `warm` forwards, then forward and backward in turn, then the remaining backwards.
Actions in_turn(std::int64_t warm, const Actions& forwards, const Actions& backwards) {
    const auto ahead = static_cast<std::size_t>(warm);
    Actions actions(forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(ahead));
    for (std::size_t i = 0; i < backwards.size(); ++i) {
        if (ahead + i < forwards.size()) {
            actions.push_back(forwards[ahead + i]);
        }
        actions.push_back(backwards[i]);
    }
    return actions;
}

Actions one_forward_one_backward(const PipelineShape& shape, std::int64_t stage,
                                 ActionKind backward) {
    Actions forwards;
    Actions backwards;
    for (std::int64_t m = 0; m < shape.micro_batches; ++m) {
        forwards.push_back({ActionKind::Forward, m, 0});
        backwards.push_back({backward, m, 0});
    }
    return in_turn(std::min(shape.stages - 1 - stage, shape.micro_batches), forwards, backwards);
}

Actions interleaved(const PipelineShape& shape, std::int64_t stage) {
    Actions forwards;
    Actions backwards;
    for (std::int64_t first = 0; first < shape.micro_batches; first += shape.stages) {
        const std::int64_t end = std::min(first + shape.stages, shape.micro_batches);
        for (std::int64_t c = 0; c < shape.chunks; ++c) {
            for (std::int64_t m = first; m < end; ++m) {
                forwards.push_back({ActionKind::Forward, m, c});
                backwards.push_back({ActionKind::Backward, m, shape.chunks - 1 - c});
            }
        }
    }
    const std::int64_t warm =
        std::min(shape.micro_batches * shape.chunks,
                 2 * (shape.stages - 1 - stage) + (shape.chunks - 1) * shape.stages);
    return in_turn(warm, forwards, backwards);
}

Actions zero_bubble(const PipelineShape& shape, std::int64_t stage) {
    Actions actions;
    for (const PipelineAction& action :
         one_forward_one_backward(shape, stage, ActionKind::InputGradient)) {
        actions.push_back(action);
        if (action.kind == ActionKind::InputGradient && action.micro_batch >= stage) {
            actions.push_back({ActionKind::WeightGradient, action.micro_batch - stage, 0});
        }
    }
    for (std::int64_t m = std::max<std::int64_t>(shape.micro_batches - stage, 0);
         m < shape.micro_batches; ++m) {
        actions.push_back({ActionKind::WeightGradient, m, 0});
    }
    return actions;
}

}  // namespace

const std::vector<std::pair<std::string, Schedule>>& schedules() {
    static const std::vector<std::pair<std::string, Schedule>> all{
        {"1f1b", Schedule::OneForwardOneBackward},
        {"gpipe", Schedule::GPipe},
        {"interleaved", Schedule::Interleaved},
        {"zero-bubble", Schedule::ZeroBubble}};
    return all;
}

std::vector<std::string> schedule_names() {
    std::vector<std::string> names;
    for (const auto& [name, schedule] : schedules()) {
        names.push_back(name);
    }
    return names;
}

Schedule schedule_named(const std::string& name) {
    for (const auto& [known, schedule] : schedules()) {
        if (known == name) {
            return schedule;
        }
    }
    throw InputError({"--schedule", "", fmt::format("'{}'", name),
                      fmt::format("one of {}", fmt::join(schedule_names(), ", ")), ""});
}

std::string name_of(Schedule schedule) {
    for (const auto& [name, value] : schedules()) {
        if (value == schedule) {
            return name;
        }
    }
    return "";
}

void check_pipeline(const PipelineShape& shape, const std::string& remedy) {
    if (shape.schedule != Schedule::Interleaved) {
        if (shape.chunks > 1) {
            throw InputError({fmt::format("--vpp {}", shape.chunks), "",
                              fmt::format("--schedule {}", name_of(shape.schedule)),
                              "--schedule interleaved, the one that has several chunks a stage",
                              "Leave --vpp out or take --schedule interleaved"});
        }
        return;
    }
    if (shape.stages < 2) {
        throw InputError({"--schedule interleaved", "", fmt::format("--pp {}", shape.stages),
                          "a pipeline of 2 stages or more", ""});
    }
    if (shape.micro_batches % shape.stages != 0) {
        throw InputError({"--schedule interleaved", "",
                          fmt::format("{} micro-batches", shape.micro_batches),
                          fmt::format("a multiple of --pp {}", shape.stages), remedy});
    }
}

Actions pipeline_actions(const PipelineShape& shape, std::int64_t stage) {
    switch (shape.schedule) {
        case Schedule::GPipe:
            return gpipe(shape);
        case Schedule::Interleaved:
            return interleaved(shape, stage);
        case Schedule::ZeroBubble:
            return zero_bubble(shape, stage);
        case Schedule::OneForwardOneBackward:
            break;
    }
    return one_forward_one_backward(shape, stage, ActionKind::Backward);
}

}  // namespace npunet::generators
