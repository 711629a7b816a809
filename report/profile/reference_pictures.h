// The figures of TraceViz, under its names, as PNG and as SVG.
//
//     write_rank_pictures(0, steps, overlaps, folder / "rank_0000.pt.trace_kernel_analysis");
//     write_group_pictures(run, folder, threads);
//
// Of a rank overlapping_timeline.png and comm_comp_overlap_combined_rank0.png, of a pipeline group
// PP_group_0/pp_group_1_ranks_0_2_global.png, of a replica Model_Group_0/ with one of each pipeline
// group, those one below the other, and all ranks in one chart.
#pragma once

#include <filesystem>
#include <vector>

#include "analysis/reference_measures.h"
#include "analysis/run_profile.h"

namespace npunet::report {

/// `overlaps` of all passes.
void write_rank_pictures(std::int32_t rank, const std::vector<analysis::StepStatistics>& steps,
                         const std::vector<analysis::StepOverlap>& overlaps,
                         const std::filesystem::path& folder);

/// Of the groups of which every rank was profiled, from RankProfile::reference_steps. Times have
/// one zero for all ranks of a pipeline group, or of a replica in its figures; with individual
/// alignment each rank has its own. `threads`: as for_each_in_parallel() takes them.
void write_group_pictures(const analysis::RunProfile& run, const std::filesystem::path& folder,
                          std::size_t threads);

}  // namespace npunet::report
