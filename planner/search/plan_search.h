// The best parallel plans for a model on a cluster, out of all plans of docs/planner.md.
//
//     Problem problem(cluster, profiles, model, "profiles");
//     PlanSearchResult result = search_plans(problem, {});
//     result.plans[0].cost.step_ms();
//
// The result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/search/plan.h"
#include "planner/search/plan_cost.h"
#include "planner/search/problem.h"
#include "planner/search/schedule_search.h"

namespace npunet::planner {

struct PlanSearchOptions {
    std::size_t keep = 5;  ///< how many plans; at least 1
    bool one_forward_one_backward = true;
    bool interleaved = true;
    std::size_t threads = 0;  ///< 0: as many as cores
    /// Told at times how many of how many parts of the round under way are done.
    std::function<void(std::size_t, std::size_t)> progress;
    /// Ends the search early once it says so; asked by all threads.
    std::function<bool()> stop;
};

struct RankedPlan {
    Plan plan;
    PlanCost cost;
};

struct PlanSearchResult {
    std::vector<RankedPlan> plans;  ///< best first
    SearchCounts counts;
    /// How many plans the space has, whether or not they fit into memory; up to exchange of equal
    /// nodes. A double: it passes 2^64 early.
    double plans_in_space = 0;
    /// Splitting nodes makes more plans than could be counted: plans_in_space lacks those.
    bool counted_whole_nodes_only = false;
    /// Profiles that further plans would have needed.
    std::vector<MissingProfile> missing;
    /// The search was ended early: there may be better plans.
    bool is_partial = false;
};

/// Throws InputError where no plan exists or fits, which says why and what would be enough.
[[nodiscard]] PlanSearchResult search_plans(const Problem& problem,
                                            const PlanSearchOptions& options);

}  // namespace npunet::planner
