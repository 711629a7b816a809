// Timelines for tests: one written down by hand, and training steps of any size.
#pragma once

#include <cstdint>

#include "analysis/run_timeline.h"

namespace npunet::report {

/// Ranks 0 and 2: two computations, of which one of the optimizer, overlapping collectives of TP
/// and DP that both take part in, a send with its receive, and two links over 4 bins of 50 ns.
[[nodiscard]] analysis::RunTimeline sample_timeline();

struct StepShape {
    std::int32_t stages = 2;
    std::int32_t ranks_of_stage = 2;  ///< which share tensors
    std::int32_t replicas = 1;
    std::int32_t micro_batches = 4;
    std::int32_t layers = 2;  ///< of a stage
    /// Links of a mesh of so many columns among the ranks; 0: none.
    std::int32_t columns = 0;
};

/// A step of GPipe: forward and backward passes of all micro-batches, gradients, optimizer. Ranks
/// of a stage are neighbours.
[[nodiscard]] analysis::RunTimeline step_timeline(const StepShape& shape);

}  // namespace npunet::report
