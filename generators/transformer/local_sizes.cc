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
    return own;
}

}  // namespace npunet::generators
