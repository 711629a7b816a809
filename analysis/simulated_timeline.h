// The timeline of a simulation.
//
//     const RunTimeline timeline = simulated_timeline(results);
//     report::write_perfetto_trace(timeline, "timeline.perfetto-trace");
//
// Lanes are the kinds of operations: "compute", "cpu", "send", "receive", "collective", "memory".
// A receive begins when the first byte has left its sender: before that its rank waits for nothing
// that is under way. Phase, parallel dimension and micro-batch are those of operation_roles.h.
#pragma once

#include "analysis/run_timeline.h"
#include "engine/results/results.h"

namespace npunet::analysis {

/// The rows are Results::operations, the k-th collectives of a communicator joined, likewise the
/// k-th send and receive of a source, destination and tag. Empty where the results hold none.
[[nodiscard]] RunTimeline simulated_timeline(const engine::Results& results);

}  // namespace npunet::analysis
