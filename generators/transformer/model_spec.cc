#include "generators/transformer/model_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::generators {

namespace {

/// Within these limits no parameter count passes 2^60.
constexpr std::int64_t widest = std::int64_t{1} << 20;
constexpr std::int64_t most_layers = std::int64_t{1} << 14;
constexpr std::int64_t longest = std::int64_t{1} << 24;
constexpr std::int64_t most_experts = std::int64_t{1} << 12;

void check_key(const std::string& source, const char* key, std::int64_t value, std::int64_t most) {
    if (value < 1 || value > most) {
        throw InputError({source, key, fmt::format("{}", value),
                          fmt::format("a whole number from 1 to {}", most),
                          value == 0 ? fmt::format("Give the model's {}", key) : ""});
    }
}

void check_bytes(const std::string& source, const char* key, std::int64_t value) {
    if (value < 1 || value > 64) {
        throw InputError({source, fmt::format("dtypes.{}", key), fmt::format("{}", value),
                          "1 to 64 bytes per element", ""});
    }
}

void check_latent_attention(const ModelSpec& model, const std::string& source) {
    const LatentAttention& mla = model.mla;
    check_key(source, "mla.kv_lora_rank", mla.kv_lora_rank, widest);
    check_key(source, "mla.qk_nope_head_dim", mla.qk_nope_head_dim, widest);
    check_key(source, "mla.qk_rope_head_dim", mla.qk_rope_head_dim, widest);
    check_key(source, "mla.v_head_dim", mla.v_head_dim, widest);
    if (mla.q_lora_rank < 0 || mla.q_lora_rank > widest) {
        throw InputError({source, "mla.q_lora_rank", fmt::format("{}", mla.q_lora_rank),
                          fmt::format("0 (none) to {}", widest), ""});
    }
    if (model.kv_heads != model.heads) {
        throw InputError(
            {source, "kv_heads", fmt::format("{}", model.kv_heads),
             fmt::format("the {} heads: latent attention groups no queries", model.heads),
             "Leave kv_heads out"});
    }
    if (model.head_dim != mla.qk_nope_head_dim + mla.qk_rope_head_dim) {
        throw InputError({source, "head_dim", fmt::format("{}", model.head_dim),
                          fmt::format("qk_nope_head_dim + qk_rope_head_dim = {} + {}",
                                      mla.qk_nope_head_dim, mla.qk_rope_head_dim),
                          "Leave head_dim out"});
    }
    if (model.positions != Positions::Rotary || mla.qk_rope_head_dim % 2 != 0) {
        throw InputError(
            {source, "mla.qk_rope_head_dim",
             fmt::format("{}{}", mla.qk_rope_head_dim,
                         model.positions == Positions::Rotary ? "" : " without rotary positions"),
             "an even number of channels to rotate, and positions: rotary", ""});
    }
    if (model.biases.any()) {
        throw InputError({source, "bias", "biases beside mla", "latent attention without biases",
                          "Leave bias out"});
    }
    if (model.sinks || model.qk_norm) {
        throw InputError({source, model.sinks ? "sinks" : "qk_norm", "true beside mla",
                          "latent attention, whose vectors have norms of their own",
                          "Leave it out"});
    }
    if (model.heads * std::max(mla.qk_nope_head_dim + mla.v_head_dim, model.head_dim) > widest) {
        throw InputError(
            {source, "heads x channels of a head",
             fmt::format("{} x {}", model.heads,
                         std::max(mla.qk_nope_head_dim + mla.v_head_dim, model.head_dim)),
             fmt::format("at most {}", widest), ""});
    }
}

void check_experts(const ModelSpec& model, const std::string& source) {
    const MixtureOfExperts& moe = model.moe;
    check_key(source, "moe.experts", moe.experts, most_experts);
    check_key(source, "moe.ffn", moe.ffn, widest);
    if (moe.top_k < 1 || moe.top_k > moe.experts) {
        throw InputError({source, "moe.top_k", fmt::format("{}", moe.top_k),
                          fmt::format("1 to {}, the number of experts", moe.experts), ""});
    }
    if (moe.dense_layers_first < 0 || moe.dense_layers_first > model.layers) {
        throw InputError({source, "moe.dense_layers_first",
                          fmt::format("{}", moe.dense_layers_first),
                          fmt::format("0 to {}, the number of layers", model.layers), ""});
    }
    if (moe.shared_experts < 0 || moe.shared_experts > 1024) {
        throw InputError(
            {source, "moe.shared_experts", fmt::format("{}", moe.shared_experts), "0 to 1024", ""});
    }
    const double parameters =
        4.0 * static_cast<double>(model.layers) * static_cast<double>(model.hidden) *
        static_cast<double>(moe.experts + moe.shared_experts) * static_cast<double>(moe.ffn);
    if (parameters > 0x1p60) {
        throw InputError({source, "moe",
                          fmt::format("{} experts of {} channels", moe.experts, moe.ffn),
                          "fewer than 2^60 parameters", ""});
    }
}

}  // namespace

ModelSpec dense_model(const DenseSizes& sizes) {
    ModelSpec model;
    model.hidden = sizes.hidden;
    model.layers = sizes.layers;
    model.heads = sizes.heads;
    model.kv_heads = sizes.kv_heads.value_or(sizes.heads);
    model.head_dim = sizes.hidden / sizes.heads;
    model.ffn = sizes.ffn.value_or(4 * sizes.hidden);
    model.vocab = sizes.vocab;
    model.seq = sizes.seq;
    return model;
}

ModelSpec gpt_model(const DenseSizes& sizes) {
    ModelSpec model = dense_model(sizes);
    model.gated = false;
    model.norm = Norm::Layer;
    model.biases = gpt_biases;
    model.positions = Positions::Learned;
    return model;
}

std::int64_t norm_parameters(const ModelSpec& model) {
    return (model.norm == Norm::Layer ? 2 : 1) * model.hidden;
}

std::int64_t position_parameters(const ModelSpec& model) {
    return model.positions == Positions::Learned ? model.seq * model.hidden : 0;
}

namespace {

/// Attention, norms and what biases belong to them: the part that all layers share.
LayerParameters attention_parameters(const ModelSpec& model) {
    LayerParameters count;
    count.replicated = 2 * norm_parameters(model);
    count.matrices = model.value_width() * model.hidden;
    if (model.latent()) {
        const LatentAttention& mla = model.mla;
        const std::int64_t queries_from = mla.q_lora_rank > 0 ? mla.q_lora_rank : model.hidden;
        count.matrices += model.hidden * model.latent_width() + queries_from * model.query_width() +
                          mla.kv_lora_rank * model.heads * (mla.qk_nope_head_dim + mla.v_head_dim);
        // The low-rank vectors are normalised each.
        count.replicated +=
            (model.norm == Norm::Layer ? 2 : 1) * (mla.q_lora_rank + mla.kv_lora_rank);
    } else {
        count.matrices += model.hidden * model.qkv_width();
    }
    count.split_biases = model.biases.qkv ? model.qkv_width() : 0;
    count.split_biases += model.sinks ? model.heads : 0;
    count.head_norms =
        model.qk_norm ? 2 * (norm_parameters(model) / model.hidden) * model.head_dim : 0;
    count.replicated += count.head_norms + (model.biases.projection ? model.hidden : 0);
    return count;
}

/// Matrices of an MLP with `ffn` inner channels: up (and gate) and down.
std::int64_t mlp_weights(const ModelSpec& model, std::int64_t ffn) {
    return (model.gated ? 3 : 2) * model.hidden * ffn;
}

}  // namespace

LayerParameters layer_parameters(const ModelSpec& model) {
    LayerParameters count = attention_parameters(model);
    count.matrices += mlp_weights(model, model.ffn);
    if (model.biases.mlp) {
        count.split_biases += model.up_width();
        count.replicated += model.hidden;
    }
    return count;
}

LayerParameters moe_layer_parameters(const ModelSpec& model) {
    const MixtureOfExperts& moe = model.moe;
    LayerParameters count = attention_parameters(model);
    count.matrices += mlp_weights(model, model.shared_width());
    count.router = model.hidden * moe.experts;
    count.router_bias = moe.router_bias ? moe.experts : 0;
    count.trained_bias = model.biases.router ? moe.experts : 0;
    count.replicated += count.router + count.router_bias + count.trained_bias;
    count.expert_weights = mlp_weights(model, moe.ffn);
    count.experts = moe.experts * count.expert_weights;
    if (model.biases.mlp) {
        const std::int64_t up = (model.gated ? 2 : 1) * moe.ffn;
        count.experts += moe.experts * (up + model.hidden);
        count.split_biases += moe.shared_experts * up;
        count.replicated += moe.shared_experts > 0 ? model.hidden : 0;
    }
    return count;
}

std::int64_t moe_layers(const ModelSpec& model) {
    return model.moe.experts > 0 ? model.layers - model.moe.dense_layers_first : 0;
}

std::int64_t parameter_count(const ModelSpec& model) {
    const std::int64_t tables = (model.tied_embeddings ? 1 : 2) * model.vocab * model.hidden;
    const std::int64_t sparse = moe_layers(model);
    return tables + position_parameters(model) + norm_parameters(model) +
           (model.layers - sparse) * layer_parameters(model).total() +
           sparse * moe_layer_parameters(model).total();
}

std::int64_t active_parameter_count(const ModelSpec& model) {
    const MixtureOfExperts& moe = model.moe;
    if (moe.experts == 0) {
        return parameter_count(model);
    }
    const std::int64_t expert = moe_layer_parameters(model).experts / moe.experts;
    return parameter_count(model) - moe_layers(model) * (moe.experts - moe.top_k) * expert;
}

std::int64_t multiplying_weights(const ModelSpec& model) {
    const std::int64_t sparse = moe_layers(model);
    const LayerParameters moe = moe_layer_parameters(model);
    return (model.layers - sparse) * layer_parameters(model).matrices +
           sparse * (moe.matrices + moe.router + model.moe.top_k * moe.expert_weights) +
           model.vocab * model.hidden;
}

void check_model(const ModelSpec& model, const std::string& source) {
    check_key(source, "hidden", model.hidden, widest);
    check_key(source, "layers", model.layers, most_layers);
    check_key(source, "heads", model.heads, widest);
    check_key(source, "kv_heads", model.kv_heads, widest);
    check_key(source, "head_dim", model.head_dim, widest);
    check_key(source, "ffn", model.ffn, 4 * widest);
    check_key(source, "vocab", model.vocab, longest);
    check_key(source, "seq", model.seq, longest);
    if (model.heads % model.kv_heads != 0) {
        throw InputError({source, "kv_heads", fmt::format("{}", model.kv_heads),
                          fmt::format("a divisor of the {} heads", model.heads), ""});
    }
    if (model.query_width() > widest) {
        throw InputError({source, "heads x head_dim",
                          fmt::format("{} x {}", model.heads, model.head_dim),
                          fmt::format("at most {}", widest), ""});
    }
    if (model.latent()) {
        check_latent_attention(model, source);
    }
    if (model.moe.experts > 0) {
        check_experts(model, source);
    }
    if (model.positions == Positions::Rotary && !model.latent() && model.head_dim % 2 != 0) {
        throw InputError({source, "head_dim", fmt::format("{}", model.head_dim),
                          "an even number: rotary positions rotate pairs of channels", ""});
    }
    if (model.biases.router && model.moe.experts == 0) {
        throw InputError({source, "bias", "router in a model without experts",
                          "biases of layers that the model has", "Leave router out"});
    }
    if (model.sliding_window < 0 || model.sliding_window > longest) {
        throw InputError({source, "sliding_window", fmt::format("{}", model.sliding_window),
                          fmt::format("0 (all tokens) to {}", longest), ""});
    }
    if (model.vocab_divisible_by < 0 || model.vocab_divisible_by > widest) {
        throw InputError({source, "vocab_divisible_by", fmt::format("{}", model.vocab_divisible_by),
                          fmt::format("0 (never pad) to {}", widest), ""});
    }
    check_bytes(source, "weights", model.dtypes.weights);
    check_bytes(source, "activations", model.dtypes.activations);
    check_bytes(source, "gradients", model.dtypes.gradients);
    check_bytes(source, "optimizer", model.dtypes.optimizer);
}

}  // namespace npunet::generators
