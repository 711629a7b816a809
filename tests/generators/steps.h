// Models, plans and sums that the tests of generated training steps share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "chakra/trace/node.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"
#include "generators/workload_totals.h"
#include "tests/support/refusals.h"

namespace npunet::generators {

/// Small, with every size different, grouped queries, and heads wider than hidden / heads.
inline ModelSpec small_model() {
    ModelSpec model;
    model.name = "small";
    model.hidden = 64;
    model.layers = 4;
    model.heads = 8;
    model.kv_heads = 2;
    model.head_dim = 16;
    model.ffn = 96;
    model.vocab = 160;
    model.seq = 32;
    return model;
}

/// The same in the style of GPT: biases, layer norms, learned positions, one embedding table.
inline ModelSpec small_gpt() {
    ModelSpec model = small_model();
    model.name = "small-gpt";
    model.kv_heads = 8;
    model.gated = false;
    model.norm = Norm::Layer;
    model.biases = gpt_biases;
    model.positions = Positions::Learned;
    model.tied_embeddings = true;
    return model;
}

/// What gpt-oss and Qwen3 add: some biases, sinks, norms of queries and keys.
inline ModelSpec small_oss() {
    ModelSpec model = small_model();
    model.name = "small-oss";
    model.kv_heads = 8;
    model.biases = {true, false, true, false};
    model.sinks = true;
    model.qk_norm = true;
    return model;
}

/// Latent attention in the proportions of DeepSeek's; low-rank vectors of 24 + 16 + 8 channels.
inline ModelSpec small_latent(std::int64_t q_lora_rank = 24) {
    ModelSpec model = small_model();
    model.name = "small-latent";
    model.kv_heads = model.heads;
    model.mla = {q_lora_rank, 16, 12, 8, 10};
    model.head_dim = 20;
    return model;
}

/// All combinations of degrees, sequence parallelism and schedules; resolved for small_model().
inline std::vector<Plan> many_plans() {
    std::vector<Plan> plans;
    for (const std::int64_t dp : {1, 2}) {
        for (const std::int64_t tp : {1, 2, 4, 8}) {
            for (const std::int64_t cp : {1, 2}) {
                for (const std::int64_t pp : {1, 2, 4}) {
                    for (const bool option : {false, true}) {
                        Plan plan;
                        plan.dp = dp;
                        plan.tp = tp;
                        plan.cp = cp;
                        plan.pp = pp;
                        plan.micro_batch = 2;
                        plan.batch = 3 * dp * plan.micro_batch;
                        plan.sequence_parallel = option;
                        plan.overlap_grad_reduce = option;
                        plan.schedule = option ? Schedule::GPipe : Schedule::OneForwardOneBackward;
                        plans.push_back(resolve_plan(small_model(), plan));
                    }
                }
            }
        }
    }
    return plans;
}

inline std::string describe(const Plan& plan) {
    return "dp " + std::to_string(plan.dp) + " tp " + std::to_string(plan.tp) + " cp " +
           std::to_string(plan.cp) + " pp " + std::to_string(plan.pp) +
           (plan.sequence_parallel ? " sequence-parallel gpipe overlap" : " 1f1b");
}

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// The attribute summed over the nodes of all ranks that `wanted` selects.
inline WideCount sum(const GeneratedWorkload& workload, std::string_view attribute,
                     const std::function<bool(const chakra::Node&)>& wanted) {
    WideCount total = 0;
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        for (const chakra::Node& node : workload.nodes(Rank(r))) {
            if (wanted(node)) {
                total += node.integer(attribute).value();
            }
        }
    }
    return total;
}

/// Where the node of that name stands in the role, from 0.
inline std::size_t position(const Role& role, const std::string& name) {
    for (std::size_t i = 0; i < role.nodes.size(); ++i) {
        if (role.nodes[i].name == name) {
            return i;
        }
    }
    ADD_FAILURE() << "no node " << name;
    return 0;
}

/// before[i][j]: node i waits for node j, directly or through others; both from 0.
inline std::vector<std::vector<bool>> ancestors(const Role& role) {
    std::vector<std::vector<bool>> before(role.nodes.size(), std::vector<bool>(role.nodes.size()));
    for (std::size_t i = 0; i < role.nodes.size(); ++i) {
        for (const std::uint32_t id : role.nodes[i].data_deps) {
            const std::size_t j = id - 1;
            before[i][j] = true;
            for (std::size_t k = 0; k < j; ++k) {
                before[i][k] = before[i][k] || before[j][k];
            }
        }
    }
    return before;
}

/// What resolve_plan() says of a plan; "no error" when it takes it.
inline std::string error_of(const ModelSpec& model, const Plan& plan) {
    return test::message_of<InputError>([&] { return resolve_plan(model, plan); });
}

/// FLOPs of the attention core's products in a training step, for a resolved plan. Queries meet all
/// s keys, or half of them, with d_qk and d_v channels: one product of either width forward (again
/// with recomputation) and two backward; a fused kernel recomputes QK^T.
inline WideCount core_flops(const ModelSpec& model, const Plan& plan) {
    const std::int64_t d_qk = model.head_dim;
    const std::int64_t d_v = model.latent() ? model.mla.v_head_dim : model.head_dim;
    const bool again = plan.attention_kernel == AttentionKernel::Fused &&
                       plan.attention_backward == AttentionBackward::Kernel;
    const std::int64_t channels =
        (plan.recompute == Recompute::None ? 3 : 4) * (d_qk + d_v) + (again ? d_qk : 0);
    return WideCount{plan.causal_flops == CausalFlops::Half ? 1 : 2} * model.layers * model.heads *
           channels * plan.sequence * plan.tokens();
}

/// Whether a compute node's name is that of a matrix multiplication: attention_qkv (latent
/// attention: attention_down, _q_up, _kv_up, decoding also _key_absorption and _value_expansion),
/// attention_scores, attention_context, attention_projection, mlp_up, mlp_down, moe_router, moe_up,
/// moe_down, shared_up, shared_down or lm_head, followed by _forward, _backward, _dgrad or _wgrad.
/// All other compute nodes are element-wise. docs/generators.md has their sums.
inline bool is_multiplication(std::string_view node_name) {
    constexpr std::array<std::string_view, 17> operations{"attention_qkv",
                                                          "attention_down",
                                                          "attention_q_up",
                                                          "attention_kv_up",
                                                          "attention_key_absorption",
                                                          "attention_value_expansion",
                                                          "attention_scores",
                                                          "attention_context",
                                                          "attention_projection",
                                                          "mlp_up",
                                                          "mlp_down",
                                                          "moe_router",
                                                          "moe_up",
                                                          "moe_down",
                                                          "shared_up",
                                                          "shared_down",
                                                          "lm_head"};
    const std::string_view stem = node_name.substr(0, node_name.rfind('_'));
    return std::any_of(operations.begin(), operations.end(), [stem](std::string_view operation) {
        return stem.size() >= operation.size() &&
               stem.substr(stem.size() - operation.size()) == operation;
    });
}

inline bool multiplies(const chakra::Node& node) {
    return node.type == chakra::NodeType::Compute && is_multiplication(node.name);
}

inline bool is_collective(const chakra::Node& node, chakra::CollectiveType type) {
    return node.type == chakra::NodeType::CommCollective &&
           node.integer("comm_type") == static_cast<std::int64_t>(type);
}

}  // namespace npunet::generators
