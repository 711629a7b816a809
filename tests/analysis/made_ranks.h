// Rank profiles made by hand, for tests of what several ranks make together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_profile.h"

namespace npunet::analysis {

inline RankProfile made_rank(std::int32_t rank, TimeSpans steps, std::int32_t world = 0) {
    RankProfile profile;
    profile.rank = rank;
    profile.world_size = world;
    profile.steps = std::move(steps);
    profile.span = hull(profile.steps);
    return profile;
}

inline CollectiveRun made_run(std::string type, std::vector<std::int32_t> ranks, TimeSpan span,
                              std::int64_t bytes = 0) {
    CollectiveRun run;
    run.type = std::move(type);
    run.dimension = ParallelDimension::Tensor;
    run.group_size = static_cast<std::int64_t>(ranks.size());
    run.ranks = std::move(ranks);
    run.bytes = bytes;
    run.span = span;
    return run;
}

}  // namespace npunet::analysis
