#include "cli/generate/parallel_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "cli/command/option_values.h"
#include "generators/transformer/moe_routing.h"
#include "generators/transformer/plan_names.h"

namespace npunet::cli {

void ParallelOptions::add_to(CLI::App& command, const std::string& group) {
    command
        .add_option("--cp-comm", context_comm_,
                    "Context-parallel attention: ring exchange of K/V (p2p), all-gather of K/V, or "
                    "all-to-all (Ulysses)")
        ->check(one_of(generators::context_comm_names()))
        ->group(group)
        ->capture_default_str();
    command
        .add_option("--rank-order", rank_order_,
                    "Which dimension numbers ranks the fastest, and so on: tp, cp, ep, dp and pp "
                    "in any order")
        ->group(group)
        ->capture_default_str();
    add_replica_options(command, group);
    add_expert_options(command, group);
}

void ParallelOptions::add_replica_options(CLI::App& command, const std::string& group) {
    command
        .add_option("--zero", zero_,
                    "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights")
        ->check(whole_number(0, 3))
        ->group(group)
        ->capture_default_str();
    command
        .add_flag("--distributed-optimizer", distributed_optimizer_,
                  "Megatron-LM's name for --zero 1")
        ->group(group);
    command
        .add_flag("--overlap-grad-reduce", overlap_grad_reduce_,
                  "Reduce a layer's gradients while earlier layers are still at work")
        ->group(group);
    command
        .add_flag(
            "--overlap-param-gather", overlap_param_gather_,
            "With --zero 1 or 2: gather weights layer by layer beside the first forward pass, "
            "not after the optimizer")
        ->group(group);
    command
        .add_option("--grad-dtype", grad_dtype_,
                    "Gradients are summed in this type (default: the model's, 4 bytes)")
        ->check(one_of({"fp32", "bf16"}))
        ->group(group);
}

void ParallelOptions::add_expert_options(CLI::App& command, const std::string& group) {
    command.add_option("--ep", ep_, "Expert parallel: parts of the set of experts; adds no ranks")
        ->check(whole_number(1, generators::most_ranks))
        ->group(group)
        ->capture_default_str();
    command.add_option("--etp", etp_, "Tensor parallel inside an expert (default: --tp)")
        ->check(whole_number(1, generators::most_ranks))
        ->group(group);
    command
        .add_option("--moe-routing", routing_,
                    "Which experts tokens choose: uniform, zipf:S or a file of counts (default: "
                    "the model's)")
        ->group(group);
    command
        .add_option("--capacity-factor", capacity_factor_,
                    "Copies that an expert takes at most, over the mean; the rest is dropped "
                    "(default: the model's; 0: nothing is dropped)")
        ->check(number(0.0, generators::largest_capacity_factor))
        ->group(group);
}

void ParallelOptions::add_seed_to(CLI::App& command, const std::string& group) {
    command.add_option("--seed", seed_, "Random seed for which experts are popular")
        ->check(whole_number(0))
        ->group(group)
        ->capture_default_str();
}

void ParallelOptions::apply_to_experts(generators::ModelSpec& model) const {
    if (!routing_ && !capacity_factor_) {
        return;
    }
    if (model.moe.experts == 0) {
        throw InputError({routing_ ? "--moe-routing" : "--capacity-factor", "",
                          fmt::format("model {} without experts", model.name),
                          "a model with a mixture of experts", ""});
    }
    if (routing_) {
        model.moe.routing = generators::routing_named(*routing_, "--moe-routing");
    }
    model.moe.capacity_factor = capacity_factor_.value_or(model.moe.capacity_factor);
}

void ParallelOptions::apply(generators::ModelSpec& model, generators::Plan& plan) const {
    plan.context_comm = generators::context_comm_named(context_comm_);
    plan.rank_order = generators::rank_order_named(rank_order_, "--rank-order");
    plan.zero = distributed_optimizer_ ? std::max<std::int64_t>(zero_, 1) : zero_;
    plan.overlap_grad_reduce = overlap_grad_reduce_;
    plan.overlap_param_gather = overlap_param_gather_;
    plan.ep = ep_;
    plan.seed = seed_;
    plan.etp = etp_.value_or(0);
    if (grad_dtype_ && !plan.trains()) {
        throw InputError(
            {"--grad-dtype", "",
             plan.mode == generators::Mode::Prefill ? "--mode prefill" : "--mode decode",
             "a training step: there are no gradients", "Leave --grad-dtype out"});
    }
    if (grad_dtype_) {
        model.dtypes.gradients = *grad_dtype_ == "bf16" ? 2 : 4;
    }
    apply_to_experts(model);
}

}  // namespace npunet::cli
