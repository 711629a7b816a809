#include "generators/transformer/model_spec.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace npunet::generators {

namespace {

/// Within these limits no parameter count passes 2^60.
constexpr std::int64_t widest = std::int64_t{1} << 20;
constexpr std::int64_t most_layers = std::int64_t{1} << 14;
constexpr std::int64_t longest = std::int64_t{1} << 24;

void check_range(const std::string& source, const char* key, std::int64_t value,
                 std::int64_t most) {
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

}  // namespace

std::int64_t norm_parameters(const ModelSpec& model) {
    return (model.norm == Norm::Layer ? 2 : 1) * model.hidden;
}

std::int64_t position_parameters(const ModelSpec& model) {
    return model.positions == Positions::Learned ? model.seq * model.hidden : 0;
}

LayerParameters layer_parameters(const ModelSpec& model) {
    LayerParameters count;
    count.matrices = model.hidden * (model.qkv_width() + model.query_width()) +
                     model.hidden * (model.up_width() + model.ffn);
    count.replicated = 2 * norm_parameters(model);
    if (model.bias) {
        count.split_biases = model.qkv_width() + model.up_width();
        count.replicated += 2 * model.hidden;
    }
    return count;
}

std::int64_t parameter_count(const ModelSpec& model) {
    const LayerParameters layer = layer_parameters(model);
    const std::int64_t tables = (model.tied_embeddings ? 1 : 2) * model.vocab * model.hidden;
    return tables + position_parameters(model) + norm_parameters(model) +
           model.layers * (layer.matrices + layer.split_biases + layer.replicated);
}

std::int64_t multiplying_weights(const ModelSpec& model) {
    return model.layers * layer_parameters(model).matrices + model.vocab * model.hidden;
}

void check_model(const ModelSpec& model, const std::string& source) {
    check_range(source, "hidden", model.hidden, widest);
    check_range(source, "layers", model.layers, most_layers);
    check_range(source, "heads", model.heads, widest);
    check_range(source, "kv_heads", model.kv_heads, widest);
    check_range(source, "head_dim", model.head_dim, widest);
    check_range(source, "ffn", model.ffn, 4 * widest);
    check_range(source, "vocab", model.vocab, longest);
    check_range(source, "seq", model.seq, longest);
    if (model.heads % model.kv_heads != 0) {
        throw InputError({source, "kv_heads", fmt::format("{}", model.kv_heads),
                          fmt::format("a divisor of the {} heads", model.heads), ""});
    }
    if (model.query_width() > widest) {
        throw InputError({source, "heads x head_dim",
                          fmt::format("{} x {}", model.heads, model.head_dim),
                          fmt::format("at most {}", widest), ""});
    }
    if (model.positions == Positions::Rotary && model.head_dim % 2 != 0) {
        throw InputError({source, "head_dim", fmt::format("{}", model.head_dim),
                          "an even number: rotary positions rotate pairs of channels", ""});
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
