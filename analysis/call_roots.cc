#include "analysis/call_roots.h"

namespace npunet::analysis {

namespace {

struct RootKind {
    Root root;
    Mark mark;
    enum class On : std::uint8_t { Forward, Backward, Any } thread;
};
constexpr std::array<RootKind, root_count> kinds = {
    {{Root::Forward, Mark::ForwardFrame, RootKind::On::Forward},
     {Root::Backward, Mark::BackwardFrame, RootKind::On::Forward},
     {Root::Recompute, Mark::RecomputeFrame, RootKind::On::Backward},
     {Root::Pipeline, Mark::PipelineFrame, RootKind::On::Any},
     {Root::DataParallel, Mark::DataParallelFrame, RootKind::On::Any},
     {Root::Optimizer, Mark::OptimizerFrame, RootKind::On::Any},
     {Root::Loss, Mark::LossFrame, RootKind::On::Any}}};

/// Frames of recomputation have a duration in the reference.
bool counts(const EventTable& trace, const RootKind& kind, EventId event) {
    return kind.root != Root::Recompute || trace.duration_ns[event] > 0;
}

}  // namespace

CallRoots::CallRoots(const EventTable& trace, const Nesting& nesting, const NameMarks& marks,
                     const TrainingThreads& threads, bool one_thread) {
    for (const RootKind& kind : kinds) {
        std::vector<EventId>& roots = roots_[static_cast<std::size_t>(kind.root)];
        roots.assign(trace.size(), no_event);
        const bool any = kind.thread == RootKind::On::Any || !one_thread;
        const std::uint32_t track =
            kind.thread == RootKind::On::Forward ? threads.forward : threads.backward;
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
