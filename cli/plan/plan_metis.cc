#include "cli/plan/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "cli/plan/search_progress.h"
#include "report/plans/plan_output.h"

namespace npunet::cli {

namespace {

namespace metis = planner::metis;
using report::RankedPlan;
using report::RankedPlans;

std::vector<std::pair<std::string, double>> parts_of(const metis::CostParts& parts) {
    return {{"execution", parts.execution_ms}, {"fb_sync", parts.fb_sync_ms},
            {"optimizer", parts.optimizer_ms}, {"gradients", parts.gradients_ms},
            {"pipeline", parts.pipeline_ms},   {"batch_generator", parts.batch_generator_ms}};
}

/// What Metis gets wrong in a plan.
std::vector<std::string> notes_on(const metis::Plan& plan, std::int64_t layers) {
    std::vector<std::string> notes;
    const auto stages = static_cast<std::int64_t>(plan.device_groups.size());
    if (plan.costed_stages < stages) {
        notes.push_back(fmt::format("its cost is that of the first {} of {} stages alone.",
                                    plan.costed_stages, stages));
    }
    const std::int64_t lost = layers - plan.layer_partition.back();
    if (lost > 0) {
        notes.push_back(
            fmt::format("{} {} on no stage.", lost, lost == 1 ? "layer is" : "layers are"));
    }
    for (std::size_t i = 1; i < plan.layer_partition.size(); ++i) {
        if (plan.layer_partition[i] == plan.layer_partition[i - 1]) {
            notes.push_back(fmt::format("stage {} has no layers.", i - 1));
        }
    }
    return notes;
}

RankedPlan ranked_plan(const metis::Plan& plan, std::int64_t layers) {
    RankedPlan ranked;
    ranked.cost_ms = plan.cost_ms;
    ranked.parts = parts_of(plan.parts);
    ranked.node_sequence = plan.node_sequence;
    ranked.device_groups = plan.device_groups;
    ranked.strategies = plan.strategies;
    ranked.batches = plan.batches;
    ranked.layer_partition = plan.layer_partition;
    ranked.memory_mb = plan.memory_mb;
    ranked.capacity_mb = plan.capacity_mb;
    ranked.notes = notes_on(plan, layers);
    return ranked;
}

/// So many times the memory with which there is a plan; none up to 1024 times.
std::optional<int> enough_memory(const MetisTask& task) {
    MetisTask larger = task;
    larger.arguments.keep = 1;
    for (int factor = 2; factor <= 1024; factor *= 2) {
        for (planner::ClusterEntry& entry : larger.inputs.cluster) {
            entry.memory_gib *= 2;
        }
        if (metis::search(larger.inputs, larger.arguments).size() > 0) {
            return factor;
        }
    }
    return std::nullopt;
}

[[noreturn]] void refuse_without_plans(const MetisTask& task, const metis::SearchResult& result) {
    if (result.plans_dropped() > 0) {
        throw InputError({task.inputs.profile_folder.string(), "",
                          fmt::format("{} plans, none of which has a cost", result.plans_dropped()),
                          "profiles of every micro-batch, with time between the passes",
                          "Make them with a larger one (npunet plan profiles), or lower "
                          "--max-micro-batch"});
    }
    const std::optional<int> factor = enough_memory(task);
    const std::string found =
        fmt::format("no plan among {} inter-stage plans", result.inter_stage_plans());
    if (factor) {
        throw InputError({task.inputs.cluster_file.string(), "memory", found,
                          "memory for the layers of at least one plan",
                          fmt::format("{} times the memory is enough", *factor)});
    }
    throw InputError({task.inputs.profile_folder.string(), "", found,
                      "a plan within --max-tp and --max-micro-batch",
                      "More memory alone does not help: raise those, or --batch"});
}

void write_log(const PlanSearchOptions& options, const metis::SearchResult& result,
               const RankedPlans& ranked, std::int64_t layers) {
    AtomicFile file(std::filesystem::path(options.log_folder) /
                    fmt::format("{}_{}.log", options.model_name, options.model_size));
    report::PlanLog log(file.stream(), ranked.average_ms(), ranked.steps);
    for (const std::size_t number : result.best(result.size())) {
        log.add(ranked_plan(result.plan(number), layers));
    }
    file.commit();
}

}  // namespace

MetisTask::MetisTask(const PlanSearchOptions& options)
    : inputs(metis::read_inputs(options.hostfile, options.cluster_file, options.profiles)) {
    std::int64_t most_tp = 1;
    std::int64_t most_batch = 1;
    std::size_t fewest_layers = std::numeric_limits<std::size_t>::max();
    for (const planner::LayerProfile& profile : inputs.profiles.all()) {
        most_tp = std::max(most_tp, profile.tp);
        most_batch = std::max(most_batch, profile.batch);
        fewest_layers = std::min(fewest_layers, profile.layer_ms.size());
    }
    arguments.num_layers = options.layers.value_or(static_cast<std::int64_t>(fewest_layers));
    arguments.gbs = options.gbs.value();
    arguments.hidden_size = options.hidden;
    arguments.sequence_length = options.sequence;
    arguments.vocab_size = options.vocabulary;
    arguments.max_profiled_tp_degree = options.max_tp.value_or(most_tp);
    arguments.max_profiled_batch_size = options.max_batch.value_or(most_batch);
    arguments.min_group_scale_variance = options.min_group_scale_variance;
    arguments.max_permute_len = options.max_permute_len;
    arguments.device_order = options.device_order;
    arguments.first_profile = std::filesystem::path(options.first_profile).filename().string();
    arguments.strategy =
        options.strategy == "headroom" ? metis::Strategy::Headroom : metis::Strategy::Metis;
    arguments.threads = static_cast<std::size_t>(options.jobs);
}

TimedSearch timed_search(const metis::Inputs& inputs, const metis::Arguments& arguments,
                         const metis::Progress& progress) {
    const auto begin = std::chrono::steady_clock::now();
    TimedSearch search{metis::search(inputs, arguments, progress)};
    search.ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return search;
}

RankedPlans search_as_metis(const PlanSearchOptions& options, CommandContext& context) {
    MetisTask task(options);
    const auto top = static_cast<std::size_t>(options.top);
    task.arguments.keep = options.log_folder.empty() ? top : 0;
    RankedPlans ranked;
    ranked.dialect = "metis";
    ranked.strategy = options.strategy;
    SearchProgress progress(context, options.quiet, "inter-stage plans");
    std::optional<metis::SearchResult> result;
    for (std::int64_t trial = 0; trial < options.trials; ++trial) {
        TimedSearch search = timed_search(task.inputs, task.arguments,
                                          [&progress](std::uint64_t done, std::uint64_t total) {
                                              return progress.update(done, total);
                                          });
        progress.end();
        ranked.trial_ms.push_back(search.ms);
        result.emplace(std::move(search.result));
    }
    if (result->size() == 0) {
        refuse_without_plans(task, *result);
    }
    ranked.steps = result->steps();
    ranked.plans_costed = result->plans_costed();
    ranked.counts = {{"plans_dropped", static_cast<double>(result->plans_dropped())},
                     {"inter_stage_plans", static_cast<double>(result->inter_stage_plans())}};
    for (const std::size_t number : result->best(top)) {
        ranked.plans.push_back(ranked_plan(result->plan(number), task.arguments.num_layers));
    }
    if (result->plans_dropped() > 0) {
        ranked.notes.push_back(
            fmt::format("{} plans have no cost: profiles of their micro-batches are missing, or "
                        "there is no time between the passes.",
                        result->plans_dropped()));
    }
    if (!options.log_folder.empty()) {
        write_log(options, *result, ranked, task.arguments.num_layers);
    }
    return ranked;
}

}  // namespace npunet::cli
