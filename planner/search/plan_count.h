// How many plans there are, whether or not they fit into memory: what a search has to choose from.
#pragma once

#include <vector>

#include "planner/search/problem.h"
#include "planner/search/schedule_search.h"
#include "planner/search/stage_sets.h"

namespace npunet::planner {

struct PlanCount {
    double plans = 0;  ///< a double: it passes 2^64 early
    /// Splitting nodes makes too many plans to be counted; these are those of whole nodes.
    bool whole_nodes_only = false;
};

/// Equal nodes count as one, and so do split nodes that look alike to the stages to come. `choices`
/// are all schedules.
[[nodiscard]] PlanCount count_plans(const Problem& problem, const std::vector<StageSet>& sets,
                                    const std::vector<ScheduleChoice>& choices);

}  // namespace npunet::planner
