// One iteration of a run, all its ranks together: pipeline groups, model replicas, clocks,
// stragglers, speeds of collectives.
//
//     RunProfile run = measure_run(std::move(ranks), groups_file, TimeAlignment::Corrected);
//
// Alignment says what zero the times of a group's ranks have: Global, the wall clock of all of them
// (right as far as the machines' clocks agree); Individual, each rank's own first kernel (no
// statement between ranks); Corrected, the wall clock less what the ends of collectives say of its
// error: a collective ends on all its ranks at nearly the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/collective_speed.h"
#include "analysis/rank_profile.h"
#include "profiles/parallel_groups_file.h"

namespace npunet::analysis {

enum class TimeAlignment : std::uint8_t { Global, Individual, Corrected };

/// Of one rank in a pipeline group.
struct PipelineRank {
    std::int32_t rank = 0;
    TimeSpan span;  ///< of its forward and backward steps, from the group's zero
    std::int64_t busy_ns =
        0;  ///< in them: kernels but the pipeline's sends and receives, as a union
};

struct PipelineGroup {
    std::size_t index = 0;              ///< among the run's groups, whether profiled or not
    std::vector<std::int32_t> ranks;    ///< first stage first
    std::vector<PipelineRank> stages;   ///< empty: not every rank was profiled
    std::int64_t length_ns = 0;         ///< from the first start of all to the last end
    double bubble = 0;                  ///< 1 - busy / (stages x length)
    std::vector<std::int32_t> missing;  ///< ranks that were not profiled
};

struct ModelGroup {
    std::size_t index = 0;
    std::vector<std::int32_t> ranks;
    std::vector<std::size_t> pipelines;  ///< indexes of the pipeline groups within
    std::vector<std::int32_t> missing;
    std::int64_t length_ns = 0;               ///< 0: not every rank was profiled
    std::vector<std::int64_t> stage_busy_ns;  ///< of each stage the mean of its ranks
    std::int32_t critical_stage = -1;         ///< the busiest; -1: not known
};

/// A rank's clock against the lowest rank's that it is linked with.
struct ClockOffset {
    std::int32_t rank = 0;
    bool known = false;          ///< linked by collectives
    std::int64_t offset_ns = 0;  ///< to subtract from its times
    std::int64_t spread_ns = 0;  ///< median deviation of the collectives' ends from it
    std::uint64_t collectives = 0;
};

/// How often a rank was the last to arrive at a collective, and how much later than the median
/// rank.
struct Straggler {
    std::int32_t rank = 0;
    std::uint64_t last = 0;
    std::uint64_t collectives = 0;
    std::int64_t late_ns = 0;
};

struct RunProfile {
    std::string iteration;
    TimeAlignment alignment = TimeAlignment::Global;
    std::vector<RankProfile> ranks;  ///< ascending
    std::vector<PipelineGroup> pipelines;
    std::vector<ModelGroup> models;
    std::vector<ClockOffset> clocks;
    std::vector<Straggler> stragglers;  ///< the one that others wait for most first
    std::vector<CollectiveSpeed> speeds;
    std::vector<std::string> notes;
};

/// The ranks of one iteration. Groups are the file's, else those that the profiles list with
/// Megatron-LM's descriptions; without either there are none, and a note.
[[nodiscard]] RunProfile measure_run(std::vector<RankProfile> ranks,
                                     const profiles::ParallelGroupsFile* groups,
                                     TimeAlignment alignment);

}  // namespace npunet::analysis
