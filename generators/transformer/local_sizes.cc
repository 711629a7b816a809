#include "generators/transformer/local_sizes.h"

#include <algorithm>

namespace npunet::generators {

LocalSizes local_sizes(const ModelSpec& model, const Plan& plan) {
    LocalSizes local;
    local.sequences = plan.micro_batch;
    local.queries = plan.sequence / plan.cp;
    local.keys = plan.sequence;
    local.tokens = local.sequences * local.queries;
    local.sequence_parallel = plan.sequence_parallel && plan.tp > 1;
    local.shard_tokens = local.sequence_parallel ? local.tokens / plan.tp : local.tokens;
    local.hidden = model.hidden;
    local.heads = model.heads / plan.tp;
    local.query_width = local.heads * model.head_dim;
    local.gather_heads = model.kv_heads < plan.tp;
    local.key_value_width = std::max<std::int64_t>(model.kv_heads / plan.tp, 1) * model.head_dim;
    local.qkv_width = model.qkv_width() / plan.tp;
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

void add_experts(const ModelSpec& model, const Plan& plan, OwnParameters& own) {
    const MixtureOfExperts& moe = model.moe;
    const std::int64_t up_channels = model.gated ? 2 : 1;
    const std::int64_t matrices_per_channel = (up_channels + 1) * model.hidden;
    const LayerParameters dense = layer_parameters(model);
    const std::int64_t shared = moe.shared_experts * moe.ffn;
    // The MLP makes way for the shared experts, and the router comes in.
    std::int64_t split =
        dense.matrices + dense.split_biases + matrices_per_channel * (shared - model.ffn);
    own.router = model.hidden * moe.experts;
    own.moe_layer_replicated = dense.replicated + own.router;
    std::int64_t expert = matrices_per_channel * moe.ffn / plan.etp;
    if (model.bias) {
        split += up_channels * (shared - model.ffn);
        own.moe_layer_replicated -= shared > 0 ? 0 : model.hidden;
        expert += up_channels * moe.ffn / plan.etp + model.hidden;
    }
    own.moe_layer = split / plan.tp + own.moe_layer_replicated;
    own.experts = moe.experts / plan.ep * expert;
}

}  // namespace

OwnParameters own_parameters(const ModelSpec& model, const Plan& plan) {
    const LayerParameters layer = layer_parameters(model);
    OwnParameters own;
    own.layer = (layer.matrices + layer.split_biases) / plan.tp + layer.replicated;
    own.layer_replicated = layer.replicated;
    own.token_embedding = padded_vocab(model, plan.tp) / plan.tp * model.hidden;
    own.positions = position_parameters(model);
    own.final_norm = norm_parameters(model);
    // A tied head is the embedding itself on one stage, and a copy of it across stages.
    own.head = model.tied_embeddings && plan.pp == 1 ? 0 : own.token_embedding;
    if (model.moe.experts > 0) {
        add_experts(model, plan, own);
    }
    return own;
}

}  // namespace npunet::generators
