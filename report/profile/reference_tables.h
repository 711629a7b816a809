// The tables of TraceViz as it writes them: its columns, its names, its formats of times.
//
//     reference_table(trace, view, KernelTable::ForwardComputation);     // fwd_computation.parquet
//     statistics_table(step_statistics(trace, view));                    // Rank0_statistics.csv
//     overlap_table(step_overlaps(trace, view, false));   // Rank0_commcompOverlap_analysis.csv
#pragma once

#include <string>
#include <vector>

#include "analysis/overlapping_tables.h"
#include "analysis/reference_measures.h"
#include "report/profile/column_table.h"

namespace npunet::report {

/// The rows of a table of kernels. Tracks are numbered as the profile has them.
[[nodiscard]] ColumnTable reference_table(const profiles::EventTable& trace,
                                          const analysis::ReferenceView& view,
                                          analysis::KernelTable which);

[[nodiscard]] ColumnTable statistics_table(const std::vector<analysis::StepStatistics>& statistics);
[[nodiscard]] ColumnTable overlap_table(const std::vector<analysis::StepOverlap>& overlaps);

/// "1.50 s", "12.00 ms", "340.00 us", "7.00 ns".
[[nodiscard]] std::string reference_duration(std::int64_t nanoseconds);

}  // namespace npunet::report
