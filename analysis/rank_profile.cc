#include "analysis/rank_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/collective_speed.h"
#include "analysis/reference_measures.h"

namespace npunet::analysis {

namespace {

struct StepSpans {
    TimeSpans computation;
    TimeSpans communication;
};

TimeSpan joined(const TimeSpans& a, const TimeSpans& b) {
    TimeSpans both = a;
    both.insert(both.end(), b.begin(), b.end());
    return hull(both);
}

MicroBatch micro_batch_of(bool forward, std::int32_t index, StepSpans spans) {
    MicroBatch batch;
    batch.forward = forward;
    batch.index = index;
    batch.span = joined(spans.computation, spans.communication);
    const TimeSpans computation = united(std::move(spans.computation));
    const TimeSpans communication = united(std::move(spans.communication));
    batch.computation_ns = length(computation);
    batch.communication_ns = length(communication);
    batch.overlap_ns = overlap(computation, communication);
    return batch;
}

/// Collects the spans of one rank's kernels.
class RankMeasurement {
public:
    RankMeasurement(const EventTable& trace, const KernelClasses& classes)
        : trace_(trace), classes_(classes) {}

    RankProfile measure() {
        profile_.rank = trace_.rank.value_or(0);
        profile_.file = trace_.file;
        profile_.events = trace_.events;
        profile_.groups = trace_.groups;
        profile_.world_size = trace_.world_size;
        profile_.source = classes_.source;
        profile_.notes = notes_of(trace_, classes_);
        for (const ClassifiedKernel& kernel : classes_.kernels) {
            add(kernel);
        }
        finish();
        return std::move(profile_);
    }

private:
    void add(const ClassifiedKernel& kernel) {
        const TimeSpan span{trace_.base_time_ns + trace_.start_ns[kernel.event],
                            trace_.base_time_ns + trace_.end_ns(kernel.event)};
        if (trace_.category[kernel.event] == profiles::EventCategory::Kernel) {
            ++profile_.kernels;
        }
        ClassTime& of_class = profile_.by_class[class_name(kernel)];
        ++of_class.kernels;
        of_class.time_ns += span.end - span.start;
        if (kernel.kind == KernelKind::Memory) {
            memory_.push_back(span);
            return;
        }
        const bool communicates = kernel.kind == KernelKind::Communication;
        (communicates ? communication_ : computation_).push_back(span);
        if (communicates) {
            profile_.collectives.push_back(collective_run(trace_, kernel, span));
        }
        const bool step = kernel.phase == KernelPhase::Forward ||
                          kernel.phase == KernelPhase::Backward ||
                          kernel.phase == KernelPhase::Recompute;
        if (step && kernel.dimension != ParallelDimension::Pipeline) {
            profile_.steps.push_back(span);
        }
        if (kernel.micro_batch >= 0) {
            StepSpans& spans = batches_[{kernel.phase != KernelPhase::Forward, kernel.micro_batch}];
            (communicates ? spans.communication : spans.computation).push_back(span);
        }
    }

    void finish() {
        for (auto& [key, spans] : batches_) {
            profile_.micro_batches.push_back(
                micro_batch_of(!key.first, key.second, std::move(spans)));
        }
        profile_.steps = united(std::move(profile_.steps));
        const TimeSpans computation = united(std::move(computation_));
        const TimeSpans communication = united(std::move(communication_));
        const TimeSpans memory = united(std::move(memory_));
        profile_.computation_ns = length(computation);
        profile_.communication_ns = length(communication);
        profile_.memory_ns = length(memory);
        profile_.overlap_ns = overlap(computation, communication);
        TimeSpans all = computation;
        all.insert(all.end(), communication.begin(), communication.end());
        all.insert(all.end(), memory.begin(), memory.end());
        profile_.span = hull(all);
        profile_.idle_ns = profile_.span.end - profile_.span.start - length(united(std::move(all)));
    }

    const EventTable& trace_;
    const KernelClasses& classes_;
    RankProfile profile_;
    TimeSpans computation_;
    TimeSpans communication_;
    TimeSpans memory_;
    std::map<std::pair<bool, std::int32_t>, StepSpans> batches_;  ///< backward?, index
};

}  // namespace

RankProfile measure_rank(const EventTable& trace, const KernelClasses& classes) {
    return RankMeasurement(trace, classes).measure();
}

void take_reference(const EventTable& trace, const ReferenceView& view, bool kernels,
                    RankProfile& profile) {
    profile.by_class.clear();
    profile.micro_batches.clear();
    for (std::size_t i = 0; i < kernel_table_count; ++i) {
        if (view.tables[i].empty()) {
            continue;
        }
        const std::string name(name_of(static_cast<KernelTable>(i)));
        ClassTime& of_class = profile.by_class[name];
        for (const TableRow& row : view.tables[i]) {
            ++of_class.kernels;
            of_class.time_ns += trace.duration_ns[row.kernel];
            if (kernels) {
                const bool step = row.step != no_event;
                profile.reference_kernels[name].push_back(
                    {trace.start_ns[row.kernel], trace.duration_ns[row.kernel],
                     std::string(trace.name_of(row.kernel)), std::string(trace.name_of(row.launch)),
                     trace.correlation[row.kernel], step ? trace.start_ns[row.step] : 0,
                     step ? std::string(trace.name_of(row.step)) : ""});
            }
        }
    }
    for (const StepOverlap& step : step_overlaps(trace, view, true)) {
        const std::int64_t start = trace.base_time_ns + step.start_ns;
        profile.micro_batches.push_back({step.forward,
                                         step.micro_batch,
                                         {start, start + step.wall_ns},
                                         step.computation_ns,
                                         step.communication_ns,
                                         step.overlap_ns});
    }
    std::stable_partition(profile.micro_batches.begin(), profile.micro_batches.end(),
                          [](const MicroBatch& one) { return one.forward; });
}

std::vector<std::string> notes_of(const EventTable& trace, const KernelClasses& classes) {
    std::vector<std::string> notes;
    if (trace.damage.cut_off) {
        notes.push_back(
            "the file ends before its end: what came later is missing, so that its sums are too "
            "small and its last micro-batch may be a part of one");
    }
    if (trace.damage.skipped_events + trace.damage.repaired_events > 0) {
        notes.push_back(fmt::format("{} events could not be read and {} were repaired{}",
                                    trace.damage.skipped_events, trace.damage.repaired_events,
                                    trace.damage.first_text()));
    } else if (!trace.damage.cut_off && !trace.damage.first.empty()) {
        notes.push_back("not everything beside the events could be read" +
                        trace.damage.first_text());
    }
    if (classes.kernels.empty()) {
        notes.push_back("no work of a GPU: record with ProfilerActivity.CUDA");
    } else if (classes.source == PhaseSource::Autograd) {
        notes.push_back(
            "no Python frames of forward or backward steps (record with with_stack=True): phases "
            "are what autograd recorded, and micro-batches are not known");
    } else if (classes.source == PhaseSource::Nothing) {
        notes.push_back(
            "neither Python frames (with_stack=True) nor autograd's records: phases and "
            "micro-batches are not known");
    }
    if (classes.without_launch > 0) {
        notes.push_back(fmt::format(
            "{} of {} kernels and copies without the call that launched them: their phase is "
            "'other'",
            classes.without_launch, classes.kernels.size()));
    }
    if (classes.without_dimension > 0) {
        notes.push_back(fmt::format(
            "{} kernels of communication whose group is not known: their dimension is 'unknown'",
            classes.without_dimension));
    }
    if (classes.dimensions_by_frames > 0) {
        notes.push_back(
            fmt::format("{} kernels of communication have their dimension by Python frames alone",
                        classes.dimensions_by_frames));
    }
    return notes;
}

}  // namespace npunet::analysis
