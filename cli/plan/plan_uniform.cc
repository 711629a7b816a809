#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/errors.h"
#include "cli/plan/plan_search.h"
#include "planner/metis/uniform_search.h"

namespace npunet::cli {

namespace {

namespace metis = planner::metis;
using report::RankedPlan;
using report::RankedPlans;

RankedPlan ranked_plan(const metis::UniformPlan& plan, const std::string& type, std::int64_t gbs) {
    const auto stages = static_cast<std::size_t>(plan.pp);
    RankedPlan ranked;
    ranked.cost_ms = plan.cost_ms;
    ranked.node_sequence = {type};
    ranked.device_groups.assign(stages, plan.dp * plan.tp);
    ranked.strategies.assign(stages, {plan.dp, plan.tp});
    ranked.batches = gbs / plan.dp / plan.micro_batch;
    ranked.layer_partition = {0};
    for (const std::int64_t layers : plan.layers) {
        ranked.layer_partition.push_back(ranked.layer_partition.back() + layers);
    }
    ranked.memory_mb = {plan.memory_mb};
    return ranked;
}

}  // namespace

RankedPlans search_uniform_plans(const PlanSearchOptions& options) {
    const MetisTask task(options);
    RankedPlans ranked;
    ranked.dialect = options.dialect;
    ranked.strategy = "homogeneous";
    std::optional<metis::UniformResult> result;
    for (std::int64_t trial = 0; trial < options.trials; ++trial) {
        const auto begin = std::chrono::steady_clock::now();
        result = metis::uniform_search(task.inputs, task.arguments, options.homogeneous);
        ranked.trial_ms.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                .count());
    }
    if (result->plans.empty()) {
        throw InputError(
            {options.profiles, "",
             fmt::format("{} plans, none of which has its profile", result->plans_dropped),
             "profiles of " + options.homogeneous + " for some tp and micro-batch",
             "npunet plan profiles makes them"});
    }
    ranked.plans_costed = result->plans.size();
    ranked.steps = ranked.plans_costed + result->plans_dropped;
    ranked.counts = {{"plans_dropped", static_cast<double>(result->plans_dropped)}};
    const std::vector<std::size_t> best = result->best();
    for (std::size_t i = 0; i < std::min(best.size(), static_cast<std::size_t>(options.top)); ++i) {
        ranked.plans.push_back(
            ranked_plan(result->plans[best[i]], options.homogeneous, task.arguments.gbs));
    }
    ranked.notes.emplace_back("Memory is that of the fullest stage, and not compared.");
    return ranked;
}

}  // namespace npunet::cli
