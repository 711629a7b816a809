#include "cli/record/record_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "cli/command/option_values.h"
#include "generators/transformer/plan_names.h"

namespace npunet::cli {

namespace {

using generators::megatron::GroupRole;
using generators::megatron::Parallelism;
using generators::megatron::ProcessGroups;
using generators::megatron::TrainingRun;

constexpr const char* plan_group = "Plan of the program";

/// Of a program without a plan: all ranks are replicas.
Parallelism replicas(std::int64_t ranks) {
    Parallelism plan;
    plan.dp = ranks;
    return plan;
}

}  // namespace

ToldRanks told_ranks(const Parallelism& plan) {
    const ProcessGroups groups(plan);
    ToldRanks told;
    std::vector<std::int32_t> first(static_cast<std::size_t>(plan.pp), -1);
    for (std::int32_t rank = 0; rank < groups.world(); ++rank) {
        std::int32_t& of_stage = first[static_cast<std::size_t>(groups.stage(Rank(rank)))];
        of_stage = of_stage < 0 ? rank : of_stage;
        told.as_rank.push_back(of_stage);
    }
    for (const GroupRole role : {GroupRole::Tensor, GroupRole::Context, GroupRole::Data}) {
        told.probes.push_back(groups.of(role, Rank(0)).back().value());
    }
    told.probes.push_back(static_cast<std::int32_t>(groups.world() - 1));
    std::sort(told.probes.begin(), told.probes.end());
    told.probes.erase(std::unique(told.probes.begin(), told.probes.end()), told.probes.end());
    return told;
}

void RecordPlanOptions::add_to(CLI::App& command) {
    const auto degree = whole_number(1, generators::most_ranks);
    command.add_option("--tp", tp_, "Tensor parallel ranks")->check(degree)->group(plan_group);
    command.add_option("--cp", cp_, "Context parallel ranks")->check(degree)->group(plan_group);
    command.add_option("--dp", dp_, "Replicas (default: what --npus leaves)")
        ->check(degree)
        ->group(plan_group);
    command.add_option("--pp", pp_, "Pipeline stages")->check(degree)->group(plan_group);
    command.add_option("--ep", ep_, "Parts of the set of experts; adds no ranks")
        ->check(degree)
        ->group(plan_group);
    command
        .add_option("--rank-order", rank_order_,
                    "Which dimension numbers ranks the fastest, and so on (default: "
                    "tp-cp-ep-dp-pp)")
        ->group(plan_group);
    command
        .add_option("--megatron-logs", model_,
                    "Also write logs for npunet megatron, of this model: a name or file, as "
                    "--model of npunet megatron trace")
        ->group(plan_group);
    command.add_option("--micro-batches", micro_batches_, "Of a replica, for --megatron-logs")
        ->check(whole_number(1, generators::most_sequences))
        ->group(plan_group);
    command
        .add_option("--batch,--global-batch-size", global_batch_size_,
                    "Sequences of a step, for --megatron-logs")
        ->check(whole_number(1, generators::most_sequences))
        ->group(plan_group);
}

std::optional<Parallelism> RecordPlanOptions::plan(std::int64_t ranks) const {
    if (!writes_logs() && (micro_batches_ || global_batch_size_)) {
        throw InputError({micro_batches_ ? "--micro-batches" : "--batch", "", "no --megatron-logs",
                          "both: it is for those logs alone", ""});
    }
    if (!tp_ && !cp_ && !dp_ && !pp_ && !ep_ && rank_order_.empty()) {
        return std::nullopt;
    }
    Parallelism plan;
    plan.tp = tp_.value_or(1);
    plan.cp = cp_.value_or(1);
    plan.pp = pp_.value_or(1);
    plan.ep = ep_.value_or(1);
    if (!rank_order_.empty()) {
        plan.rank_order = generators::rank_order_named(rank_order_, "--rank-order");
    }
    plan.dp = 1;
    // Bounded, so that their product is.
    const bool fits = plan.tp <= ranks && plan.cp <= ranks && plan.pp <= ranks &&
                      plan.tp * plan.cp <= ranks && ranks % (plan.tp * plan.cp * plan.pp) == 0;
    plan.dp = dp_.value_or(fits ? ranks / (plan.tp * plan.cp * plan.pp) : 1);
    if (!fits || plan.dp != ranks / (plan.tp * plan.cp * plan.pp)) {
        throw InputError(
            {"--npus", "", fmt::format("{} ranks", ranks),
             fmt::format("tp {} x cp {} x dp {} x pp {}", plan.tp, plan.cp,
                         dp_ ? std::to_string(*dp_) : "N", plan.pp),
             "Correct --tp, --cp, --dp or --pp; without --dp it follows from the others"});
    }
    check_parallelism(plan);
    return plan;
}

void RecordPlanOptions::require_sizes() const {
    if (!tp_ && !cp_ && !dp_ && !pp_) {
        throw InputError({ep_ ? "--ep" : "--rank-order", "", "none of --tp, --cp, --dp and --pp",
                          "one of them with --distinct: ranks of a stage are then taken to do the "
                          "same work",
                          "Leave it out to have such ranks searched for, or give --dp"});
    }
}

TrainingRun RecordPlanOptions::run(std::int64_t ranks) const {
    if (!micro_batches_ || !global_batch_size_) {
        throw InputError(
            {"--megatron-logs", "", micro_batches_ ? "no --batch" : "no --micro-batches",
             "both, as npunet megatron trace has them: the logs' config.json says so", ""});
    }
    TrainingRun run = generators::megatron::npunet_run(model_);
    run.model_size = model_;
    run.parallelism = plan(ranks).value_or(replicas(ranks));
    run.micro_batches = *micro_batches_;
    run.global_batch_size = *global_batch_size_;
    return generators::megatron::resolve_run(run);
}

}  // namespace npunet::cli
