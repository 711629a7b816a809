// What was measured of one rank's profile: little enough to keep for every rank of a run.
//
//     const RankProfile profile = measure_rank(trace, classes);
//     for (const MicroBatch& one : profile.micro_batches) { ... one.overlap_ns ... }
//
// Times are nanoseconds of the wall clock (base_time_ns is in), unless they are lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/kernel_classes.h"
#include "analysis/overlapping_tables.h"
#include "analysis/reference_measures.h"
#include "analysis/run_timeline.h"
#include "analysis/time_spans.h"

namespace npunet::analysis {

/// The rows that one rank's profile adds to a run's timeline.
struct RankTimeline {
    struct Row {
        Interval interval;  ///< lane and name are numbers of `names`; without start, end and group
        TimeSpan span;      ///< wall clock
    };
    std::vector<std::string> names;
    std::vector<Row> rows;
    std::vector<std::size_t> collectives;  ///< rows of RankProfile::collectives, in their order
};

struct ClassTime {
    std::uint64_t kernels = 0;
    std::int64_t time_ns = 0;  ///< sum of durations
};

struct MicroBatch {
    bool forward = true;
    std::int32_t index = 0;
    TimeSpan span;                    ///< from the first kernel's start to the last one's end
    std::int64_t computation_ns = 0;  ///< measures of unions; recomputation is in the backward's
    std::int64_t communication_ns = 0;
    std::int64_t overlap_ns = 0;
    /// Neither.
    [[nodiscard]] std::int64_t idle_ns() const {
        return span.end - span.start - computation_ns - communication_ns + overlap_ns;
    }
};

/// One kernel of communication.
struct CollectiveRun {
    std::string type;  ///< "all_reduce", "all_gather", "send_recv"; by kernel or args
    ParallelDimension dimension = ParallelDimension::Unknown;
    std::vector<std::int32_t> ranks;  ///< of its group, ascending; empty when not known
    std::int64_t group_size = 0;      ///< 0: not known
    std::int64_t bytes = 0;           ///< whole buffer (collective_speed.h); 0: not known
    TimeSpan span;
};

/// A kernel of one of the reference's tables, with --kernels.
struct ReferenceKernel {
    std::int64_t start_ns = 0;  ///< as the profile has it
    std::int64_t duration_ns = 0;
    std::string name;
    std::string launch;
    std::int64_t correlation = 0;
    std::int64_t step_start_ns = 0;
    std::string step;
};

struct RankProfile {
    std::int32_t rank = 0;
    std::string iteration;  ///< name of its folder
    std::string file;
    std::uint64_t events = 0;
    std::uint64_t kernels = 0;  ///< of category kernel
    std::map<std::string, ClassTime> by_class;
    std::vector<MicroBatch> micro_batches;  ///< forward ones first, by index
    TimeSpan span;                          ///< of all GPU work
    std::int64_t computation_ns = 0;        ///< measures of unions over the whole profile
    std::int64_t communication_ns = 0;
    std::int64_t overlap_ns = 0;
    std::int64_t memory_ns = 0;
    /// Forward, backward and recomputation without the pipeline's sends and receives, as a union.
    TimeSpans steps;
    std::vector<CollectiveRun> collectives;  ///< by start
    std::vector<profiles::ProcessGroup> groups;
    std::int32_t world_size = 0;
    PhaseSource source = PhaseSource::Nothing;
    std::vector<std::string> notes;  ///< what the user has to know of this rank

    std::map<std::string, std::vector<ReferenceKernel>> reference_kernels;  ///< by table, if wanted
    /// What the reference's tables hold of steps, by the wall clock; empty unless its figures are
    /// wanted.
    std::vector<StepStatistics> reference_steps;

    RankTimeline timeline;  ///< empty unless the run's timeline is wanted

    /// Neither computation nor communication nor copies, between first and last GPU work.
    std::int64_t idle_ns = 0;
};

[[nodiscard]] RankProfile measure_rank(const EventTable& trace, const KernelClasses& classes);

/// Puts the classes and micro-batches of the reference in place of ours.
void take_reference(const EventTable& trace, const ReferenceView& view, bool kernels,
                    RankProfile& profile);

/// What is damaged, missing or unknown in a profile, a sentence each.
[[nodiscard]] std::vector<std::string> notes_of(const EventTable& trace,
                                                const KernelClasses& classes);

}  // namespace npunet::analysis
