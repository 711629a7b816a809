#include "generators/transformer/local_sizes.h"

#include <algorithm>

namespace npunet::generators {

namespace {

void set_plain_attention(LocalSizes& local, const ModelSpec& model, const Plan& plan) {
    local.query_width = local.heads * model.head_dim;
    local.gather_heads = model.kv_heads < plan.tp;
    local.keys_width = std::max<std::int64_t>(model.kv_heads / plan.tp, 1) * model.head_dim;
    local.values_width = local.keys_width;
    local.core_width = local.query_width;
    local.value_width = local.query_width;
    local.rotary_width = local.query_width + local.keys_width;
    local.qk_norm_width = model.qk_norm ? local.query_width + local.keys_width : 0;
    local.qkv_width = model.qkv_width() / plan.tp;
}

void set_latent_attention(LocalSizes& local, const ModelSpec& model, const Plan& plan) {
    const LatentAttention& mla = model.mla;
    local.latent = mla;
    local.latent_width = model.latent_width();
    local.absorbed = plan.mode == Mode::Decode;
    local.query_width = local.heads * model.head_dim;
    local.keys_width = local.query_width;
    local.values_width = local.heads * mla.v_head_dim;
    local.core_width = local.values_width;
    local.value_width = local.values_width;
    local.rotary_width = (local.heads + 1) * mla.qk_rope_head_dim;
    local.qkv_width = local.latent_width / plan.tp + (mla.q_lora_rank > 0 ? 0 : local.query_width);
    if (local.absorbed) {
        // All heads share one key, the cached vector, whose first part is the value.
        local.query_width = local.heads * (mla.kv_lora_rank + mla.qk_rope_head_dim);
        local.keys_width = mla.kv_lora_rank + mla.qk_rope_head_dim;
        local.values_width = 0;
        local.core_width = local.heads * mla.kv_lora_rank;
    }
}

}  // namespace

LocalSizes local_sizes(const ModelSpec& model, const Plan& plan) {
    LocalSizes local;
    local.sequences = plan.micro_batch;
    local.queries = plan.sequence / plan.cp;
    local.keys = plan.mode == Mode::Decode ? plan.context : plan.sequence;
    local.tokens = local.sequences * local.queries;
    local.sequence_parallel = plan.sequence_parallel && plan.tp > 1;
    local.shard_tokens = local.sequence_parallel ? local.tokens / plan.tp : local.tokens;
    local.hidden = model.hidden;
    local.heads = model.heads / plan.tp;
    if (model.latent()) {
        set_latent_attention(local, model, plan);
    } else {
        set_plain_attention(local, model, plan);
    }
    local.fused_core = plan.attention_kernel == AttentionKernel::Fused;
    local.scores_again = local.fused_core && plan.attention_backward == AttentionBackward::Kernel;
    // The query of a decode step meets the whole cache.
    local.causal_half = plan.causal_flops == CausalFlops::Half && plan.mode != Mode::Decode;
    local.dropout = model.dropout && plan.trains();
    local.recompute_core = plan.recompute == Recompute::Selective;
    local.full_ops = plan.step_ops == StepOps::Full;
    local.fp8 = plan.precision == Precision::Fp8;
    local.tp_comm_overlap = plan.tp_comm_overlap;
    local.ffn = model.ffn / plan.tp;
    local.vocab = padded_vocab(model, plan.tp) / plan.tp;
    local.tp = plan.tp;
    local.cp = plan.cp;
    local.context_comm = plan.context_comm;
    local.gated = model.gated;
    local.norm = model.norm;
    local.positions = model.positions;
    local.dtypes = model.dtypes;
    return local;
}

namespace {

/// Routed experts of one layer: ep parts of the set, etp parts of every matrix.
std::int64_t own_experts(const ModelSpec& model, const Plan& plan) {
    const MixtureOfExperts& moe = model.moe;
    if (moe.experts == 0) {
        return 0;
    }
    std::int64_t expert = moe_layer_parameters(model).expert_weights / plan.etp;
    if (model.biases.mlp) {
        expert += (model.gated ? 2 : 1) * moe.ffn / plan.etp + model.hidden;
    }
    return moe.experts / plan.ep * expert;
}

}  // namespace

OwnParameters own_parameters(const ModelSpec& model, const Plan& plan) {
    const LayerParameters layer = layer_parameters(model);
    OwnParameters own;
    own.layer = (layer.matrices + layer.split_biases) / plan.tp + layer.replicated;
    // Low-rank vectors are normalised by every tp rank for all tokens.
    const std::int64_t latent_norms =
        (model.norm == Norm::Layer ? 2 : 1) * (model.mla.q_lora_rank + model.mla.kv_lora_rank);
    own.layer_replicated = layer.replicated - latent_norms;
    const LayerParameters sparse = moe_layer_parameters(model);
    own.router_bias = sparse.router_bias;
    const std::int64_t replicated = sparse.replicated - own.router_bias;
    own.moe_layer = (sparse.matrices + sparse.split_biases) / plan.tp + replicated;
    own.moe_layer_replicated = replicated - latent_norms;
    own.router = sparse.router + sparse.trained_bias;
    own.head_norms = layer.head_norms;
    own.experts = own_experts(model, plan);
    own.token_embedding = padded_vocab(model, plan.tp) / plan.tp * model.hidden;
    own.positions = position_parameters(model);
    own.final_norm = norm_parameters(model);
    // A tied head is the embedding itself on one stage, and a copy of it across stages.
    own.head = model.tied_embeddings && plan.pp == 1 ? 0 : own.token_embedding;
    return own;
}

}  // namespace npunet::generators
