#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "base/errors.h"
#include "cli/command/figure_file.h"
#include "cli/command/machine_option.h"
#include "cli/plan/plan_search.h"
#include "cli/plan/search_progress.h"
#include "generators/workload_files.h"
#include "planner/cluster.h"
#include "planner/network_rates.h"
#include "planner/search/infeasibility.h"
#include "planner/search/plan_search.h"
#include "report/figures/stage_figure.h"
#include "study/plan_verification.h"
#include "study/tensor_groups.h"
#include "topology/yaml/network_reader.h"

namespace npunet::cli {

namespace {

using planner::PlanCost;
using planner::Problem;
using planner::StageCost;
using report::PlannedStage;
using report::RankedPlan;
using report::RankedPlans;

constexpr std::size_t most_missing_listed = 3;

planner::TrainingModel model_of(const PlanSearchOptions& options,
                                const planner::ProfileSet& profiles) {
    planner::TrainingModel model;
    std::size_t fewest_layers = std::numeric_limits<std::size_t>::max();
    for (const planner::LayerProfile& profile : profiles.all()) {
        fewest_layers = std::min(fewest_layers, profile.layer_ms.size());
    }
    model.layers = options.layers.value_or(static_cast<std::int64_t>(fewest_layers));
    model.global_batch = options.gbs.value();
    model.hidden = static_cast<double>(options.hidden);
    model.sequence = static_cast<double>(options.sequence);
    model.activation_bytes = static_cast<double>(options.activation_bytes);
    model.memory_factor = options.memory_factor;
    model.skip_missing_profiles = options.skip_missing_profiles;
    model.max_tp = options.max_tp;
    model.max_batch = options.max_batch;
    return model;
}

/// The cluster, and the network to simulate on.
struct Machines {
    explicit Machines(const PlanSearchOptions& options)
        : cluster(planner::make_cluster(
              planner::read_hostfile(options.hostfile, planner::HostfileRules::Npunet),
              options.hostfile,
              planner::read_cluster_file(options.cluster_file, planner::ClusterFileRules::Npunet),
              options.cluster_file)) {
        const std::string file =
            files_of_machine(options.machine, options.network_file, "").network;
        if (file.empty()) {
            network = planner::network_of(cluster);
        } else {
            network = topology::read_network(file, topology::GigaByte::Decimal);
            planner::use_network(cluster, network, file);
        }
    }

    planner::Cluster cluster;
    topology::NetworkDescription network;
};

PlannedStage planned_stage(const Problem& problem, const planner::PlanStage& stage,
                           const StageCost& cost) {
    PlannedStage planned;
    for (const planner::NodeShare& share : stage.shares) {
        const std::size_t type = problem.cluster().nodes[share.node].type;
        planned.shares.push_back(
            {share.node, problem.cluster().types[type], share.first, share.devices});
    }
    planned.first_layer = stage.first_layer;
    planned.layers = stage.layers;
    planned.dp = stage.dp;
    planned.tp = stage.tp;
    planned.micro_batch = stage.batch;
    planned.computing_ms = cost.computing_ms;
    planned.tensor_ms = cost.tensor_ms;
    planned.transfer_ms = cost.transfer_ms;
    planned.gradients_ms = cost.gradients_ms;
    planned.optimizer_ms = cost.optimizer_ms;
    planned.memory_mb = cost.memory_mib;
    planned.capacity_mb = cost.capacity_mib;
    return planned;
}

/// They sum up to the step.
std::vector<std::pair<std::string, double>> parts_of(const planner::Plan& plan,
                                                     const PlanCost& cost) {
    const auto longest = std::max_element(
        cost.stages.begin(), cost.stages.end(),
        [](const StageCost& a, const StageCost& b) { return a.period_ms() < b.period_ms(); });
    const auto update = std::max_element(
        cost.stages.begin(), cost.stages.end(), [](const StageCost& a, const StageCost& b) {
            return a.gradients_ms + a.optimizer_ms < b.gradients_ms + b.optimizer_ms;
        });
    const auto micro_batches = static_cast<double>(plan.micro_batches);
    return {{"computing", micro_batches * (longest->computing_ms + longest->tensor_ms)},
            {"transfers", micro_batches * longest->transfer_ms},
            {"bubble", cost.bubble_ms},
            {"gradients", update->gradients_ms},
            {"optimizer", update->optimizer_ms}};
}

/// "A100+V100".
std::string types_of(const PlannedStage& stage) {
    std::vector<std::string> types;
    for (const PlannedStage::Share& share : stage.shares) {
        if (std::find(types.begin(), types.end(), share.type) == types.end()) {
            types.push_back(share.type);
        }
    }
    return fmt::format("{}", fmt::join(types, "+"));
}

RankedPlan ranked_plan(const Problem& problem, const planner::RankedPlan& found) {
    RankedPlan ranked;
    ranked.cost_ms = found.cost.step_ms();
    ranked.parts = parts_of(found.plan, found.cost);
    ranked.batches = found.plan.micro_batches;
    ranked.chunks = found.plan.chunks;
    ranked.schedule = found.plan.chunks > 1 ? "interleaved" : "1f1b";
    ranked.layer_partition.push_back(0);
    for (std::size_t s = 0; s < found.plan.stages.size(); ++s) {
        const planner::PlanStage& stage = found.plan.stages[s];
        ranked.stages.push_back(planned_stage(problem, stage, found.cost.stages[s]));
        const std::string types = types_of(ranked.stages.back());
        if (ranked.node_sequence.empty() || ranked.node_sequence.back() != types) {
            ranked.node_sequence.push_back(types);
        }
        ranked.device_groups.push_back(stage.devices());
        ranked.strategies.emplace_back(stage.dp, stage.tp);
        ranked.layer_partition.push_back(stage.first_layer + stage.layers);
        ranked.memory_mb.push_back(ranked.stages.back().memory_mb);
        ranked.capacity_mb.push_back(ranked.stages.back().capacity_mb);
    }
    return ranked;
}

void add_counts(const Problem& problem, const planner::PlanSearchResult& result,
                RankedPlans& ranked) {
    const planner::SearchCounts& counts = result.counts;
    ranked.steps = counts.extended;
    ranked.plans_costed = counts.plans_costed;
    const double skipped =
        std::max(0.0, result.plans_in_space - static_cast<double>(counts.plans_costed));
    ranked.counts = {{"plans_in_space", result.plans_in_space},
                     {"plans_skipped", skipped},
                     {"cut_off_by_bounds", static_cast<double>(counts.cut_off)},
                     {"superfluous", static_cast<double>(counts.superfluous)},
                     {"out_of_memory", static_cast<double>(counts.out_of_memory)}};
    ranked.notes.push_back(fmt::format(
        "{}{:.6g} plans in all; {:.6g} need not be costed: {} beginnings of plans cannot be among "
        "the best by proven bounds, {} are nowhere better than others, {} do not fit the memory.",
        result.counted_whole_nodes_only ? "More than " : "", result.plans_in_space, skipped,
        counts.cut_off, counts.superfluous, counts.out_of_memory));
    if (!result.missing.empty()) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < std::min(result.missing.size(), most_missing_listed); ++i) {
            names.push_back(planner::describe(problem, result.missing[i]));
        }
        ranked.notes.push_back(fmt::format(
            "Plans that need one of {} missing profiles are left out: {}{}.", result.missing.size(),
            fmt::join(names, ", "), result.missing.size() > names.size() ? ", ..." : ""));
    }
}

/// Simulates the best plans, and writes their traces where that is asked for.
void verify_plans(const PlanSearchOptions& options, const Problem& problem,
                  const Machines& machines, const planner::PlanSearchResult& result,
                  RankedPlans& ranked) {
    const study::Fidelity fidelity =
        study::fidelity_named(options.verify_fidelity, "--verify-fidelity");
    constexpr double ps_per_ms = 1e9;
    const auto count = std::min(result.plans.size(), static_cast<std::size_t>(options.verify));
    for (std::size_t i = 0; i < count; ++i) {
        const planner::Plan& plan = result.plans[i].plan;
        if (!options.traces.empty()) {
            generators::WorkloadFiles files;
            files.folder = std::filesystem::path(options.traces) / fmt::format("plan{}", i + 1);
            (void)generators::write_workload(study::workload_of(problem, plan), files);
        }
        const study::VerifiedPlan verified =
            study::verify(problem, plan, machines.network, fidelity);
        ranked.plans[i].simulated_ms = static_cast<double>(verified.simulated.ps()) / ps_per_ms;
        ranked.plans[i].link_bound_ms =
            verified.link_bound == Time::max()
                ? std::numeric_limits<double>::infinity()
                : static_cast<double>(verified.link_bound.ps()) / ps_per_ms;
        ranked.plans[i].notes.push_back(fmt::format(
            "simulated at the {} fidelity it takes {:.4f} ms, {:.4f} of the prediction.",
            options.verify_fidelity, ranked.plans[i].simulated_ms, verified.ratio()));
        if (!verified.note.empty()) {
            ranked.plans[i].notes.push_back(verified.note + '.');
        }
    }
}

void draw_stages(const PlanSearchOptions& options, const RankedPlan& plan) {
    const report::Figure figure = report::stage_figure(
        {fmt::format("Stages of the best plan for {} samples a step", options.gbs.value()),
         fmt::format("{:.4f} ms a step, {} micro-batches, {}", plan.cost_ms, plan.batches,
                     plan.chunks > 1 ? fmt::format("interleaved, {} chunks", plan.chunks)
                                     : std::string("1F1B")),
         plan.stages});
    write_figure_file(options.figure, figure);
}

}  // namespace

RankedPlans search_all_plans(const PlanSearchOptions& options, CommandContext& context) {
    const Machines machines(options);
    planner::ProfileSet profiles = planner::read_profiles(options.profiles);
    const planner::TrainingModel model = model_of(options, profiles);
    const Problem problem(machines.cluster, std::move(profiles), model, options.profiles);

    SearchProgress progress(context, options.quiet, "schedules");
    planner::PlanSearchOptions search;
    search.keep = static_cast<std::size_t>(std::max(options.top, options.verify));
    search.one_forward_one_backward = options.schedule != "interleaved";
    search.interleaved = options.schedule != "1f1b";
    search.threads = static_cast<std::size_t>(options.jobs);
    search.progress = [&progress](std::size_t done, std::size_t total) {
        (void)progress.update(done, total);
    };
    search.stop = [&progress] { return progress.is_stopped(); };
    const auto begin = std::chrono::steady_clock::now();
    const planner::PlanSearchResult result = search_plans(problem, search);
    progress.end();

    RankedPlans ranked;
    ranked.dialect = "npunet";
    ranked.strategy = "exact";
    ranked.trial_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
    for (const planner::RankedPlan& plan : result.plans) {
        ranked.plans.push_back(ranked_plan(problem, plan));
        if (std::string note = study::tensor_group_note(problem, plan.plan); !note.empty()) {
            ranked.plans.back().notes.push_back(std::move(note) + '.');
        }
    }
    add_counts(problem, result, ranked);
    if (options.verify > 0) {
        verify_plans(options, problem, machines, result, ranked);
    }
    if (!options.figure.empty()) {
        draw_stages(options, ranked.plans.front());
    }
    return ranked;
}

}  // namespace npunet::cli
