#include "generators/transformer/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "generators/option_checks.h"
#include "generators/transformer/plan_names.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& found,
                         const std::string& expected, const std::string& remedy = "") {
    throw InputError({option, "", found, expected, remedy});
}

void check_context_parallel(const ModelSpec& model, const Plan& plan) {
    if (plan.cp == 1) {
        return;
    }
    if (plan.context_comm == ContextComm::PointToPoint && plan.sequence % (2 * plan.cp) != 0) {
        refuse("--cp with --cp-comm p2p", fmt::format("{}", plan.cp),
               fmt::format("2 cp = {} to divide the {} tokens of a sequence into zigzag chunks",
                           2 * plan.cp, plan.sequence),
               "Choose another --seq, or --cp-comm all_gather");
    }
    if (plan.context_comm != ContextComm::AllToAll) {
        return;
    }
    const std::int64_t heads = model.heads / plan.tp;
    if (heads % plan.cp != 0) {
        refuse("--cp with --cp-comm a2a", fmt::format("{}", plan.cp),
               fmt::format("a divisor of the {} heads of a rank ({} / --tp {})", heads, model.heads,
                           plan.tp),
               "Choose --cp-comm p2p or all_gather");
    }
    const std::int64_t kv_heads = std::max<std::int64_t>(model.kv_heads / plan.tp, 1);
    if (kv_heads % plan.cp != 0 && plan.cp % kv_heads != 0) {
        refuse("--cp with --cp-comm a2a", fmt::format("{}", plan.cp),
               fmt::format("a multiple or a divisor of the {} kv_heads of a rank", kv_heads),
               "Choose --cp-comm p2p or all_gather");
    }
}

void check_without_experts(const Plan& plan) {
    if (plan.ep != 1 || plan.etp != plan.tp) {
        refuse(plan.ep != 1 ? "--ep" : "--etp",
               fmt::format("{} with a model without experts", plan.ep != 1 ? plan.ep : plan.etp),
               "a model with a mixture of experts", "Leave it out");
    }
}

void check_experts(const ModelSpec& model, const Plan& plan) {
    const MixtureOfExperts& moe = model.moe;
    if (!(moe.routing.exponent >= 0.0 && moe.routing.exponent <= 64.0)) {
        refuse("the exponent of zipf", fmt::format("{}", moe.routing.exponent), "0 to 64");
    }
    if (!(moe.capacity_factor >= 0.0 && moe.capacity_factor <= largest_capacity_factor)) {
        refuse("--capacity-factor", fmt::format("{}", moe.capacity_factor),
               "0 (nothing is dropped) to 2^20");
    }
    check_divides("--ep", plan.ep, "experts", model.moe.experts);
    check_divides("--etp", plan.etp, "channels of an expert", model.moe.ffn);
    check_divides("--tp", plan.tp, "channels of the shared experts",
                  model.moe.shared_experts * model.moe.ffn);
    const std::int64_t stage_ranks = plan.world() / plan.pp;
    if (stage_ranks % (plan.etp * plan.ep) != 0) {
        refuse("--etp x --ep", fmt::format("{} x {} = {}", plan.etp, plan.ep, plan.etp * plan.ep),
               fmt::format("a divisor of the {} ranks of a stage (tp {} x cp {} x dp {})",
                           stage_ranks, plan.tp, plan.cp, plan.dp),
               "ep adds no ranks; etp is tp if left out");
    }
    // A rank routes its own share of the micro-batch's tokens.
    check_divides("--tp", plan.tp, "tokens of a rank's micro-batch, of which each routes its share",
                  plan.micro_batch * plan.sequence / plan.cp,
                  plan.mode == Mode::Decode
                      ? "A decode step has one token of each sequence: take a larger --micro-batch"
                      : "");
}

void check_grids(const Plan& plan) {
    if (plan.pp == 1) {
        return;
    }
    const std::string order = fmt::format("--rank-order {}", rank_order_name(plan.rank_order));
    const bool pipeline_last = plan.rank_order.back() == GridAxis::Pipeline;
    if (!pipeline_last && plan.expert_replicas() != plan.dp) {
        refuse(
            order,
            fmt::format("--dp {}, and {} copies of an expert (ranks of a stage / (etp {} ep {}))",
                        plan.dp, plan.expert_replicas(), plan.etp, plan.ep),
            "pp last, or as many copies of an expert as --dp");
    }
    const std::int64_t decoder = decoder_grid(plan).stride(GridAxis::Pipeline);
    const std::int64_t experts = expert_grid(plan).stride(GridAxis::Pipeline);
    if (decoder != experts) {
        refuse(order,
               fmt::format("stages {} ranks apart in the decoder's grid and {} in the experts'",
                           decoder, experts),
               "the same pipelines in both grids", "Put pp last");
    }
}

void check_zero(const Plan& plan) {
    if (plan.zero < 0 || plan.zero > 3) {
        refuse("--zero", fmt::format("{}", plan.zero), "0, 1, 2 or 3");
    }
    if (plan.overlap_param_gather && plan.zero == 0) {
        refuse("--overlap-param-gather", "--zero 0: every replica holds all parameters",
               "parameters that are gathered", "Add --distributed-optimizer (--zero 1)");
    }
}

}  // namespace

void check_parallel_dimensions(const ModelSpec& model, const Plan& plan) {
    check_context_parallel(model, plan);
    check_zero(plan);
    if (model.moe.experts == 0) {
        check_without_experts(plan);
        return;
    }
    check_experts(model, plan);
    check_grids(plan);
}

}  // namespace npunet::generators
