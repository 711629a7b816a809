#include "analysis/kernel_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/launches.h"
#include "analysis/training_threads.h"

namespace npunet::analysis {

using profiles::CollectiveArgs;
using profiles::EventCategory;

namespace {

constexpr std::array<std::string_view, phase_count> phase_names = {
    "fwd", "bwd", "recompute", "pipeline", "gradients", "optimizer", "other"};
constexpr std::array<std::string_view, 3> kind_names = {"computation", "communication", "memory"};

/// What the frames around an event say.
struct Frames {
    KernelPhase phase = KernelPhase::Other;
    EventId step = no_event;
};

class Classifier {
public:
    Classifier(const EventTable& trace, const PatternTable& patterns,
               const profiles::ParallelGroupsFile* groups)
        : trace_(trace),
          nesting_(trace, Overlap::Clipped),
          marks_(patterns, trace.strings),
          threads_(training_threads(trace, nesting_)),
          launches_(trace),
          groups_(groups, trace.groups, trace.world_size),
          tensor_only_(groups != nullptr && groups->ep.value_or(1) == 1 &&
                       groups->cp.value_or(1) == 1) {}

    KernelClasses classify() {
        result_.partial_overlaps = nesting_.overlaps();
        read_frames();
        read_arguments();
        for (const EventId event : nesting_.order()) {
            if (is_gpu_work(trace_.category[event])) {
                result_.kernels.push_back(classified(event));
            }
        }
        number_steps();
        return std::move(result_);
    }

private:
    /// The phase of every event, parents first, and the steps.
    void read_frames() {
        frames_.resize(trace_.size());
        for (const EventId event : nesting_.order()) {
            const EventId parent = nesting_.parent(event);
            const Frames around = parent == no_event ? Frames{} : frames_[parent];
            frames_[event] = within(around, event);
            if (frames_[event].step != no_event) {
                result_.source = PhaseSource::Frames;
            }
            if (frames_[event].phase == KernelPhase::Backward && frames_[event].step == event) {
                backward_steps_.push_back(event);
            }
        }
        for (const profiles::CpuOpArgs& operation : trace_.cpu_ops) {
            if (operation.sequence >= 0) {
                recorded_.insert(operation.event);
            }
        }
        if (result_.source == PhaseSource::Nothing && (threads_.known() || !recorded_.empty())) {
            result_.source = PhaseSource::Autograd;
        }
    }

    [[nodiscard]] Frames within(Frames around, EventId event) const {
        const profiles::StringId name = trace_.name[event];
        const auto is = [&](Mark mark) { return marks_.has(name, mark); };
        if (trace_.category[event] == EventCategory::GpuUserAnnotation ||
            is_gpu_work(trace_.category[event]) || marks_.marks(name) == 0) {
            return around;
        }
        const bool in_step = around.phase == KernelPhase::Forward ||
                             around.phase == KernelPhase::Backward ||
                             around.phase == KernelPhase::Recompute;
        if (is(Mark::BackwardFrame)) {
            return {KernelPhase::Backward, event};
        }
        if (is(Mark::ForwardFrame)) {
            // The reference has one step for nested frames of one kind: schedules.py and the
            // model's own forward_step.
            return around.phase == KernelPhase::Forward ? around
                                                        : Frames{KernelPhase::Forward, event};
        }
        if (is(Mark::RecomputeFrame) &&
            (around.phase == KernelPhase::Backward ||
             (threads_.known() && trace_.track[event] == threads_.backward))) {
            return {KernelPhase::Recompute, around.step};
        }
        if (in_step || around.phase != KernelPhase::Other) {
            return around;
        }
        if (is(Mark::PipelineFrame)) {
            return {KernelPhase::Pipeline, no_event};
        }
        if (is(Mark::OptimizerFrame)) {
            return {KernelPhase::Optimizer, no_event};
        }
        return is(Mark::DataParallelFrame) ? Frames{KernelPhase::Gradients, no_event} : around;
    }

    /// Arguments of collectives by the operation that they stand on.
    void read_arguments() {
        for (const CollectiveArgs& args : trace_.collectives) {
            if (args.collective != 0 && trace_.external_id[args.event] != profiles::absent &&
                !is_gpu_work(trace_.category[args.event])) {
                by_external_id_.try_emplace(trace_.external_id[args.event], &args);
            }
        }
    }

    [[nodiscard]] const CollectiveArgs* arguments_of(EventId event, EventId launch) const {
        const CollectiveArgs* own = trace_.collective_of(event);
        if (own != nullptr) {
            return own;
        }
        const auto linked = by_external_id_.find(trace_.external_id[event]);
        if (linked != by_external_id_.end()) {
            return linked->second;
        }
        for (EventId up = launch; up != no_event; up = nesting_.parent(up)) {
            const CollectiveArgs* around = trace_.collective_of(up);
            if (around != nullptr && around->collective != 0) {
                return around;
            }
        }
        return nullptr;
    }

    ClassifiedKernel classified(EventId event) {
        ClassifiedKernel kernel;
        kernel.event = event;
        kernel.launch = launches_.call_of(event);
        result_.without_launch += kernel.launch == no_event ? 1 : 0;
        kernel.kind = kind_of(event);
        const Frames frames = frames_of(kernel.launch);
        kernel.phase = frames.phase;
        kernel.step = frames.step;
        if (kernel.kind == KernelKind::Communication) {
            kernel.collective = arguments_of(event, kernel.launch);
            kernel.dimension = dimension_of(kernel);
            result_.without_dimension += kernel.dimension == ParallelDimension::Unknown ? 1 : 0;
        }
        return kernel;
    }

    [[nodiscard]] KernelKind kind_of(EventId event) const {
        const EventCategory category = trace_.category[event];
        if (category != EventCategory::Kernel) {
            return KernelKind::Memory;
        }
        const CollectiveArgs* args = trace_.collective_of(event);
        if (marks_.has(trace_.name[event], Mark::CommunicationKernel) ||
            (args != nullptr && args->collective != 0)) {
            return KernelKind::Communication;
        }
        return marks_.has(trace_.name[event], Mark::MemoryKernel) ? KernelKind::Memory
                                                                  : KernelKind::Computation;
    }

    [[nodiscard]] Frames frames_of(EventId launch) const {
        if (launch == no_event) {
            return {};
        }
        Frames frames = frames_[launch];
        const bool elsewhere = frames.step == no_event && (frames.phase == KernelPhase::Other ||
                                                           frames.phase == KernelPhase::Recompute ||
                                                           frames.phase == KernelPhase::Gradients);
        if (elsewhere && result_.source == PhaseSource::Frames) {
            const EventId step = backward_step_around(launch);
            if (step != no_event) {
                return {frames.phase == KernelPhase::Recompute ? KernelPhase::Recompute
                                                               : KernelPhase::Backward,
                        step};
            }
        }
        return result_.source == PhaseSource::Autograd && frames.phase == KernelPhase::Other
                   ? phase_of_autograd(launch)
                   : frames;
    }

    /// A backward step of another thread in which a launch begins.
    [[nodiscard]] EventId backward_step_around(EventId launch) const {
        const std::int64_t time = trace_.start_ns[launch];
        const auto after = std::upper_bound(
            backward_steps_.begin(), backward_steps_.end(), time,
            [&](std::int64_t at, EventId step) { return at < trace_.start_ns[step]; });
        if (after == backward_steps_.begin()) {
            return no_event;
        }
        const EventId step = *(after - 1);
        return trace_.track[step] != trace_.track[launch] && time <= trace_.end_ns(step) ? step
                                                                                         : no_event;
    }

    [[nodiscard]] Frames phase_of_autograd(EventId launch) const {
        bool recorded = false;
        bool gradient = threads_.known() && trace_.track[launch] == threads_.backward;
        for (EventId up = launch; up != no_event; up = nesting_.parent(up)) {
            if (trace_.category[up] == EventCategory::UserAnnotation &&
                trace_.name_of(up).starts_with("Optimizer.step")) {
                return {KernelPhase::Optimizer, no_event};
            }
            recorded = recorded || recorded_.contains(up);
            gradient =
                gradient || trace_.name_of(up).starts_with("autograd::engine::evaluate_function");
        }
        if (gradient) {
            return {KernelPhase::Backward, no_event};
        }
        return {recorded ? KernelPhase::Forward : KernelPhase::Other, no_event};
    }

    [[nodiscard]] ParallelDimension dimension_of(const ClassifiedKernel& kernel) {
        if (kernel.collective != nullptr) {
            const CollectiveArgs& args = *kernel.collective;
            const auto described = dimension_of_description(trace_.strings[args.group_description]);
            if (described) {
                return *described;
            }
            const auto known = groups_.of(trace_.strings[args.group_name],
                                          profiles::ranks_of(trace_.strings[args.group_ranks])
                                              .value_or(std::vector<std::int32_t>{}));
            if (known) {
                return *known;
            }
        }
        const ParallelDimension guess = guess_by_frames(kernel);
        result_.dimensions_by_frames += guess == ParallelDimension::Unknown ? 0 : 1;
        return guess;
    }

    [[nodiscard]] ParallelDimension guess_by_frames(const ClassifiedKernel& kernel) const {
        for (EventId up = kernel.launch; up != no_event; up = nesting_.parent(up)) {
            if (marks_.has(trace_.name[up], Mark::PipelineFrame)) {
                return ParallelDimension::Pipeline;
            }
            if (marks_.has(trace_.name[up], Mark::DataParallelFrame)) {
                return ParallelDimension::Data;
            }
        }
        return tensor_only_ && kernel.step != no_event ? ParallelDimension::Tensor
                                                       : ParallelDimension::Unknown;
    }

    /// Steps that have kernels, by start.
    void number_steps() {
        std::vector<EventId> forward;
        std::vector<EventId> backward;
        for (const ClassifiedKernel& kernel : result_.kernels) {
            if (kernel.step != no_event) {
                (kernel.phase == KernelPhase::Forward ? forward : backward).push_back(kernel.step);
            }
        }
        const auto number = [&](std::vector<EventId>& steps) {
            std::sort(steps.begin(), steps.end(), [&](EventId a, EventId b) {
                return std::pair(trace_.start_ns[a], a) < std::pair(trace_.start_ns[b], b);
            });
            steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
            std::unordered_map<EventId, std::int32_t> numbers;
            for (const EventId step : steps) {
                numbers.emplace(step, static_cast<std::int32_t>(numbers.size()));
            }
            return numbers;
        };
        const auto of_forward = number(forward);
        const auto of_backward = number(backward);
        result_.forward_steps = static_cast<std::int32_t>(forward.size());
        result_.backward_steps = static_cast<std::int32_t>(backward.size());
        for (ClassifiedKernel& kernel : result_.kernels) {
            if (kernel.step != no_event) {
                kernel.micro_batch =
                    (kernel.phase == KernelPhase::Forward ? of_forward : of_backward)
                        .at(kernel.step);
            }
        }
    }

    const EventTable& trace_;
    Nesting nesting_;
    NameMarks marks_;
    TrainingThreads threads_;
    Launches launches_;
    GroupDimensions groups_;
    bool tensor_only_;
    KernelClasses result_;
    std::vector<Frames> frames_;
    std::vector<EventId> backward_steps_;  ///< by start
    std::unordered_set<EventId> recorded_;
    std::unordered_map<std::int64_t, const CollectiveArgs*> by_external_id_;
};

}  // namespace

std::string_view name_of(KernelPhase phase) {
    return phase_names[static_cast<std::size_t>(phase)];
}

KernelClasses classify(const EventTable& trace, const PatternTable& patterns,
                       const profiles::ParallelGroupsFile* groups) {
    return Classifier(trace, patterns, groups).classify();
}

std::string class_name(const ClassifiedKernel& kernel) {
    const std::string_view kind = kind_names[static_cast<std::size_t>(kernel.kind)];
    const std::string_view dimension = name_of(kernel.dimension);
    return fmt::format("{}_{}{}{}", name_of(kernel.phase), dimension, dimension.empty() ? "" : "_",
                       kind);
}

}  // namespace npunet::analysis
