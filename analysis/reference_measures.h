// What TraceViz measures of its nine tables: times of each step of each table, and the overlap of
// communication and computation in each step of the forward and the backward pass.
//
//     const ReferenceView view = overlapping_tables(trace, patterns);
//     step_statistics(trace, view);         // Rank0_statistics.csv
//     step_overlaps(trace, view);           // Rank0_commcompOverlap_analysis.csv
//
// A step is the frame that a row names; of the optimizer's table every kernel is a step of its own.
// Steps are numbered from 0 by the start of their first kernel, in each table by itself (in each
// pass, for overlaps).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/overlapping_tables.h"

namespace npunet::analysis {

struct StepStatistics {
    KernelTable table = KernelTable::ForwardComputation;
    std::int32_t micro_batch = 0;
    std::uint32_t slice_id = 0;  ///< ReferenceView::numbers of the step
    std::int64_t start_ns = 0;   ///< of the first kernel
    std::int64_t end_ns = 0;     ///< of the last
    std::int64_t sum_ns = 0;     ///< of the kernels' durations, parallel ones counted twice
};

struct StepOverlap {
    bool forward = true;
    std::int32_t micro_batch = 0;
    std::uint32_t slice_id = 0;
    std::int64_t start_ns = 0;
    std::int64_t wall_ns = 0;           ///< from the first kernel's start to the last one's end
    std::int64_t communication_ns = 0;  ///< measures of unions
    std::int64_t computation_ns = 0;
    std::int64_t overlap_ns = 0;
};

/// By table, then micro-batch.
[[nodiscard]] std::vector<StepStatistics> step_statistics(const EventTable& trace,
                                                          const ReferenceView& view);

/// The backward pass before the forward pass, then by micro-batch. As in TraceViz a pass without
/// any communication, or without any computation, is left out, unless `all_passes`.
[[nodiscard]] std::vector<StepOverlap> step_overlaps(const EventTable& trace,
                                                     const ReferenceView& view, bool all_passes);

}  // namespace npunet::analysis
