#include "analysis/call_roots.h"

namespace npunet::analysis {

namespace {

struct Kind {
    Root root;
    Mark mark;
    enum class On : std::uint8_t { Forward, Backward, Any } thread;
};
constexpr std::array<Kind, root_count> kinds = {
    {{Root::Forward, Mark::ForwardFrame, Kind::On::Forward},
     {Root::Backward, Mark::BackwardFrame, Kind::On::Forward},
     {Root::Recompute, Mark::RecomputeFrame, Kind::On::Backward},
     {Root::Pipeline, Mark::PipelineFrame, Kind::On::Any},
     {Root::DataParallel, Mark::DataParallelFrame, Kind::On::Any},
     {Root::Optimizer, Mark::OptimizerFrame, Kind::On::Any},
     {Root::Loss, Mark::LossFrame, Kind::On::Any}}};

/// Frames of recomputation have a duration in the reference.
bool counts(const EventTable& trace, const Kind& kind, EventId event) {
    return kind.root != Root::Recompute || trace.duration_ns[event] > 0;
}

}  // namespace

CallRoots::CallRoots(const EventTable& trace, const Nesting& nesting, const NameMarks& marks,
                     const TrainingThreads& threads, bool one_thread) {
    for (const Kind& kind : kinds) {
        std::vector<EventId>& roots = roots_[static_cast<std::size_t>(kind.root)];
        roots.assign(trace.size(), no_event);
        const bool any = kind.thread == Kind::On::Any || !one_thread;
        const std::uint32_t track =
            kind.thread == Kind::On::Forward ? threads.forward : threads.backward;
        for (const EventId event : nesting.order()) {
            const EventId parent = nesting.parent(event);
            if (parent != no_event && roots[parent] != no_event) {
                roots[event] = roots[parent];
            } else if (marks.has(trace.name[event], kind.mark) &&
                       (any || trace.track[event] == track) && counts(trace, kind, event)) {
                roots[event] = event;
            }
        }
    }
}

std::vector<EventId> CallRoots::all(Root root, const Nesting& nesting) const {
    std::vector<EventId> found;
    for (const EventId event : nesting.order()) {
        if (of(root, event) == event) {
            found.push_back(event);
        }
    }
    return found;
}

}  // namespace npunet::analysis
