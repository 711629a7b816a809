// The timeline of profiles: the table of intervals that simulations fill too, so that both are
// drawn and compared alike.
//
//     profile.timeline = rank_timeline(trace, classes);       // while the trace is there
//     const RunTimeline timeline = measured_timeline(run);    // of all ranks
//
// Lanes are the streams of the GPU. Frames of data parallelism and of the pipeline outside a step
// have the phase Other; what their kernels are tells the dimension.
#pragma once

#include "analysis/rank_profile.h"
#include "analysis/run_profile.h"

namespace npunet::analysis {

/// Every classified kernel, copy and set of one rank.
[[nodiscard]] RankTimeline rank_timeline(const EventTable& trace, const KernelClasses& classes);

/// Of the ranks that have a timeline, at the run's alignment, from 0. Matched collectives are
/// joined.
[[nodiscard]] RunTimeline measured_timeline(const RunProfile& run);

}  // namespace npunet::analysis
