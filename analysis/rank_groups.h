// Which ranks form a pipeline, and which a replica of the model, as their communication shows.
//
//     const RankGroups groups = find_rank_groups(timeline);
//     for (const std::vector<Rank>& pipeline : groups.pipelines) { ... }   // by stage
#pragma once

#include <vector>

#include "analysis/run_timeline.h"

namespace npunet::analysis {

struct RankGroups {
    /// Ranks that send each other activations, first stage first; those of two ranks or more, by
    /// lowest rank.
    std::vector<std::vector<Rank>> pipelines;
    /// Ranks that hold one copy of the model together: pipelines whose ranks share tensors or
    /// sequences. By lowest rank, their ranks ascending; every rank is in one.
    std::vector<std::vector<Rank>> replicas;
};

/// Stages are ordered by the start of their first forward computation, then rank. Ranks of
/// intervals with Dimension::Pipeline form a pipeline, with Tensor and Context a replica; where
/// dimensions are not known there are no pipelines, and every rank is a replica. `timeline` must be
/// finished.
[[nodiscard]] RankGroups find_rank_groups(const RunTimeline& timeline);

}  // namespace npunet::analysis
