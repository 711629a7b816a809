#include "generators/pipeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace npunet::generators {

namespace {

/// Virtual stage, micro-batch, and whether it is the forward pass.
using Result = std::tuple<std::int64_t, std::int64_t, bool>;

class Timeline {
public:
    Timeline(const PipelineShape& shape, const PassTimes& times) : shape_(shape), times_(times) {}

    std::vector<std::vector<TimedAction>> run() {
        const auto stages = static_cast<std::size_t>(shape_.stages);
        std::vector<std::vector<PipelineAction>> actions;
        for (std::int64_t stage = 0; stage < shape_.stages; ++stage) {
            actions.push_back(pipeline_actions(shape_, stage));
        }
        std::vector<std::vector<TimedAction>> done(stages);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t stage = 0; stage < stages; ++stage) {
                while (done[stage].size() < actions[stage].size() &&
                       place(actions[stage][done[stage].size()], stage, done[stage])) {
                    moved = true;
                }
            }
        }
        return done;
    }

private:
    bool place(const PipelineAction& action, std::size_t stage, std::vector<TimedAction>& done) {
        const std::int64_t at = action.chunk * shape_.stages + static_cast<std::int64_t>(stage);
        const std::optional<std::int64_t> input = input_of(action, at);
        if (!input) {
            return false;
        }
        const std::int64_t start = std::max(done.empty() ? 0 : done.back().end, *input);
        const std::int64_t end = start + length(action.kind);
        done.push_back({action, start, end});
        if (action.kind != ActionKind::WeightGradient) {
            ends_[{at, action.micro_batch, action.kind == ActionKind::Forward}] = end;
        }
        return true;
    }

    [[nodiscard]] std::optional<std::int64_t> input_of(const PipelineAction& action,
                                                       std::int64_t at) const {
        const bool forward = action.kind == ActionKind::Forward;
        if ((forward && at == 0) || action.kind == ActionKind::WeightGradient) {
            return 0;  // the stage's own order sees to it
        }
        const bool turns = !forward && at + 1 == shape_.virtual_stages();
        const auto found = forward ? ends_.find({at - 1, action.micro_batch, true})
                                   : ends_.find({turns ? at : at + 1, action.micro_batch, turns});
        return found == ends_.end() ? std::nullopt : std::optional(found->second);
    }

    [[nodiscard]] std::int64_t length(ActionKind kind) const {
        switch (kind) {
            case ActionKind::Forward:
                return times_.forward;
            case ActionKind::Backward:
                return times_.backward + times_.weight;
            case ActionKind::InputGradient:
                return times_.backward;
            case ActionKind::WeightGradient:
                break;
        }
        return times_.weight;
    }

    const PipelineShape& shape_;
    const PassTimes& times_;
    std::map<Result, std::int64_t> ends_;
};

char letter_of(ActionKind kind) {
    switch (kind) {
        case ActionKind::Forward:
            return 'F';
        case ActionKind::Backward:
            return 'B';
        case ActionKind::InputGradient:
            return 'I';
        case ActionKind::WeightGradient:
            break;
    }
    return 'W';
}

}  // namespace

std::vector<std::vector<TimedAction>> pipeline_timeline(const PipelineShape& shape,
                                                        const PassTimes& times) {
    return Timeline(shape, times).run();
}

std::string pipeline_picture(const PipelineShape& shape, const PassTimes& times) {
    const bool chunks = shape.chunks > 1;
    const std::size_t width = 1 + std::to_string(shape.micro_batches - 1).size() + (chunks ? 1 : 0);
    std::string picture;
    std::int64_t stage = 0;
    for (const std::vector<TimedAction>& actions : pipeline_timeline(shape, times)) {
        std::string line =
            fmt::format("stage {:>{}} |", stage++, std::to_string(shape.stages - 1).size());
        std::int64_t now = 0;
        const auto add = [&line, width](const std::string& cell, std::int64_t units) {
            for (std::int64_t i = 0; i < units; ++i) {
                line += fmt::format(" {:<{}}", cell, width);
            }
        };
        for (const TimedAction& timed : actions) {
            add(std::string(width, '.'), timed.start - now);
            now = timed.end;
            if (timed.end == timed.start) {
                continue;
            }
            const PipelineAction& action = timed.action;
            add(fmt::format(
                    "{}{}{}", letter_of(action.kind), action.micro_batch,
                    chunks ? std::string(1, static_cast<char>('a' + action.chunk % 26)) : ""),
                1);
            add(std::string(width, '='), timed.end - timed.start - 1);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        picture += line + '\n';
    }
    return picture;
}

}  // namespace npunet::generators
