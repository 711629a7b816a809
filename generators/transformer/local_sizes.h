// What one rank holds and works on: the model's sizes divided by the plan's.
#pragma once

#include <cstdint>

#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"

namespace npunet::generators {

/// Sizes of one micro-batch on one rank.
struct LocalSizes {
    std::int64_t sequences = 0;  ///< of the micro-batch
    std::int64_t queries = 0;    ///< tokens of a sequence on this rank: sequence / cp
    std::int64_t keys = 0;       ///< tokens that a query attends to: the whole sequence
    std::int64_t tokens = 0;     ///< sequences x queries
    /// Tokens of norms, residuals and messages between stages: tokens / tp with sequence parallel.
    std::int64_t shard_tokens = 0;

    std::int64_t hidden = 0;
    std::int64_t query_width = 0;    ///< channels of this rank's query heads
    std::int64_t keys_width = 0;     ///< channels that the core reads of a token's keys
    std::int64_t values_width = 0;   ///< and of its values; 0 where they are read with the keys
    std::int64_t core_width = 0;     ///< channels of the core's result
    std::int64_t value_width = 0;    ///< channels of the projection's input
    std::int64_t rotary_width = 0;   ///< rotated channels of queries and keys
    std::int64_t qk_norm_width = 0;  ///< normalised channels of queries and keys; 0: no such norms
    std::int64_t qkv_width = 0;      ///< columns of QKV computed here
    std::int64_t heads = 0;          ///< query heads
    std::int64_t ffn = 0;
    std::int64_t vocab = 0;

    std::int64_t tp = 1;
    std::int64_t cp = 1;
    ContextComm context_comm = ContextComm::PointToPoint;
    bool sequence_parallel = false;  ///< false where tp is 1
    /// tp exceeds kv_heads: QKV's columns are split evenly and gathered, and a rank picks its heads
    /// (Megatron-LM, SelfAttention.get_query_key_value_tensors).
    bool gather_heads = false;
    LatentAttention latent;         ///< the model's; no rank of it is divided
    std::int64_t latent_width = 0;  ///< channels of a token's low-rank vectors; 0: plain attention
    bool absorbed = false;  ///< latent attention works on the cached vectors themselves (decode)
    bool fused_core = true;
    bool scores_again = false;  ///< the core's backward pass recomputes QK^T
    bool causal_half = false;   ///< half of the scores are computed
    bool dropout = false;
    bool recompute_core = false;  ///< in the backward pass
    bool full_ops = false;        ///< StepOps::Full of a training step
    bool fp8 = false;             ///< products of linear layers
    bool cast_weights = false;    ///< to FP8, in this pass; else they have been
    double tp_comm_overlap = 0;
    bool gated = false;
    Norm norm = Norm::Rms;
    Positions positions = Positions::None;
    DataTypes dtypes;

    /// Columns of the MLP's first matrix computed here: gate and up are one multiplication.
    [[nodiscard]] std::int64_t up_columns() const { return (gated ? 2 : 1) * ffn; }
    /// Bytes of an element of a linear layer's inputs: activations, gradients of them, weights.
    [[nodiscard]] std::int64_t operand_bytes() const { return fp8 ? 1 : dtypes.activations; }
    [[nodiscard]] std::int64_t weight_bytes() const { return fp8 ? 1 : dtypes.weights; }
};

/// Needs a resolved plan.
[[nodiscard]] LocalSizes local_sizes(const ModelSpec& model, const Plan& plan);

/// Parameters that one rank of a stage owns, unit by unit. A unit's gradient is reduced at once.
struct OwnParameters {
    std::int64_t layer = 0;            ///< one decoder layer
    std::int64_t token_embedding = 0;  ///< the rank's rows of the table
    std::int64_t positions = 0;        ///< learned positions, whole
    std::int64_t head = 0;             ///< the LM head's rows, when they are a table of their own
    std::int64_t final_norm = 0;
    /// Of a layer: what every tp rank holds whole but sees the gradient of its own tokens only,
    /// with sequence parallel.
    std::int64_t layer_replicated = 0;
    /// The same two of a layer with experts, without the routed experts themselves and without
    /// what has no gradient.
    std::int64_t moe_layer = 0;
    std::int64_t moe_layer_replicated = 0;
    std::int64_t router = 0;      ///< the router's weights and trained biases, of both
    std::int64_t head_norms = 0;  ///< norms of queries and keys: each tp rank has its own heads
    /// Of a layer with experts: the bias of the experts' scores, which is set from counts of tokens
    /// and neither has a gradient nor an optimizer's state (DeepSeek-V3, 2024, section 2.1.2;
    /// Megatron-LM's expert_bias, a buffer).
    std::int64_t router_bias = 0;
    std::int64_t experts = 0;  ///< this rank's parts of its routed experts of one layer
};

[[nodiscard]] OwnParameters own_parameters(const ModelSpec& model, const Plan& plan);

}  // namespace npunet::generators
