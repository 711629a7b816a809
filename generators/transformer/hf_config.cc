#include "generators/transformer/hf_config.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/json_document.h"
#include "base/json_object.h"
#include "base/suggest.h"

namespace npunet::generators {

namespace {

using Json = nlohmann::ordered_json;

/// The keys of a configuration. A null counts as absent unless a function says otherwise.
class Config {
public:
    Config(std::string file, const Json& root) : keys_(std::move(file), root) {}

    [[nodiscard]] bool has(const char* key) const {
        return keys_.contains(key) && !keys_[key].is_null();
    }
    [[nodiscard]] std::int64_t size(const char* key) const {
        if (!has(key)) {
            throw InputError({keys_.file(), key, "nothing", "a whole number",
                              "Take the config.json that comes with the model's weights"});
        }
        return keys_.integer(key, 0, 0, largest);
    }
    [[nodiscard]] std::int64_t size(const char* key, std::int64_t otherwise) const {
        return has(key) ? size(key) : otherwise;
    }
    [[nodiscard]] bool flag(const char* key, bool otherwise) const {
        return has(key) ? keys_.flag(key) : otherwise;
    }
    /// Without a null in its place.
    [[nodiscard]] bool absent(const char* key) const { return !keys_.contains(key); }
    /// The sliding window: a null is none, and an absent key `of_class`, the default of the class
    /// that reads it.
    [[nodiscard]] std::int64_t window(std::int64_t of_class) const {
        return absent("sliding_window") ? of_class : size("sliding_window", 0);
    }
    [[nodiscard]] const JsonObject<Json>& keys() const { return keys_; }

    /// Refuses every other value than this one, which is what an absent key means.
    void require(const char* key, const Json& value) const {
        if (has(key) && keys_[key] != value) {
            keys_.refuse(key, keys_[key], value.dump(),
                         "Models with another value cannot be described here");
        }
    }

private:
    static constexpr std::int64_t largest = 1'000'000'000;
    JsonObject<Json> keys_;
};

/// What Llama and all that followed it have in common. `heads_by_default`: without a number of
/// key-value heads each query head has one; a null means that everywhere.
ModelSpec llama_like(const Config& config, bool heads_by_default = false) {
    ModelSpec model;
    model.hidden = config.size("hidden_size");
    model.layers = config.size("num_hidden_layers");
    model.heads = config.size("num_attention_heads");
    model.kv_heads = config.absent("num_key_value_heads") && !heads_by_default
                         ? config.size("num_key_value_heads")
                         : config.size("num_key_value_heads", model.heads);
    model.ffn = config.size("intermediate_size");
    model.vocab = config.size("vocab_size");
    model.seq = config.size("max_position_embeddings");
    if (!config.has("head_dim") && (model.heads == 0 || model.hidden % model.heads != 0)) {
        config.keys().refuse("num_attention_heads", config.keys()["num_attention_heads"],
                             fmt::format("a divisor of hidden_size {}", model.hidden));
    }
    model.head_dim = config.has("head_dim") ? config.size("head_dim") : model.hidden / model.heads;
    model.tied_embeddings = config.flag("tie_word_embeddings", false);
    return model;
}

void read_attention_bias(const Config& config, ModelSpec& model, bool otherwise = false) {
    model.biases.qkv = model.biases.projection = config.flag("attention_bias", otherwise);
}

ModelSpec llama(const Config& config) {
    ModelSpec model = llama_like(config, true);
    read_attention_bias(config, model);
    model.biases.mlp = config.flag("mlp_bias", false);
    return model;
}

ModelSpec mistral(const Config& config) {
    ModelSpec model = llama_like(config);
    model.sliding_window = config.window(4096);
    return model;
}

ModelSpec mixtral(const Config& config) {
    ModelSpec model = llama_like(config);
    model.sliding_window = config.window(0);
    model.moe.experts = config.size("num_local_experts");
    model.moe.top_k = config.size("num_experts_per_tok");
    model.moe.ffn = model.ffn;
    return model;
}

/// `sliding_window` stands in configurations that do not use it.
void read_optional_window(const Config& config, ModelSpec& model) {
    if (config.flag("use_sliding_window", false)) {
        model.sliding_window = config.window(4096);
    }
}

ModelSpec qwen2(const Config& config) {
    ModelSpec model = llama_like(config);
    model.biases.qkv = true;
    read_optional_window(config, model);
    return model;
}

ModelSpec qwen3(const Config& config) {
    ModelSpec model = llama_like(config);
    model.qk_norm = true;
    read_attention_bias(config, model);
    read_optional_window(config, model);
    return model;
}

ModelSpec qwen3_moe(const Config& config) {
    ModelSpec model = qwen3(config);
    config.require("decoder_sparse_step", 1);
    config.require("mlp_only_layers", Json::array());
    model.moe.experts = config.size("num_experts");
    model.moe.top_k = config.size("num_experts_per_tok");
    model.moe.ffn = config.size("moe_intermediate_size");
    return model;
}

ModelSpec gpt_oss(const Config& config) {
    ModelSpec model = mixtral(config);
    model.sliding_window = config.window(128);
    read_attention_bias(config, model, true);
    model.biases.mlp = true;
    model.biases.router = true;
    model.sinks = true;
    return model;
}

ModelSpec deepseek_v3(const Config& config) {
    ModelSpec model = llama_like(config);
    config.require("attention_bias", false);
    config.require("moe_layer_freq", 1);
    model.mla.q_lora_rank = config.size("q_lora_rank", 0);
    model.mla.kv_lora_rank = config.size("kv_lora_rank");
    model.mla.qk_nope_head_dim = config.size("qk_nope_head_dim");
    model.mla.qk_rope_head_dim = config.size("qk_rope_head_dim");
    model.mla.v_head_dim = config.size("v_head_dim");
    // Some files give the rotated channels, or those of a value, as head_dim.
    model.head_dim = model.mla.qk_nope_head_dim + model.mla.qk_rope_head_dim;
    model.moe.experts = config.size("n_routed_experts");
    model.moe.top_k = config.size("num_experts_per_tok");
    model.moe.ffn = config.size("moe_intermediate_size");
    model.moe.shared_experts = config.size("n_shared_experts", 0);
    model.moe.dense_layers_first = config.size("first_k_dense_replace");
    model.moe.router_bias = true;
    return model;
}

ModelSpec gpt2(const Config& config) {
    DenseSizes sizes;
    sizes.hidden = config.size("n_embd");
    sizes.layers = config.size("n_layer");
    sizes.heads = config.size("n_head");
    sizes.vocab = config.size("vocab_size");
    sizes.seq = config.size("n_positions");
    sizes.ffn = config.size("n_inner", 4 * sizes.hidden);
    if (sizes.heads == 0 || sizes.hidden % sizes.heads != 0) {
        config.keys().refuse("n_head", config.keys()["n_head"],
                             fmt::format("a divisor of n_embd {}", sizes.hidden));
    }
    ModelSpec model = gpt_model(sizes);
    model.dropout = true;
    model.vocab_divisible_by = 128;  // as in the shipped GPT models
    model.tied_embeddings = config.flag("tie_word_embeddings", true);
    return model;
}

using Reader = std::function<ModelSpec(const Config&)>;

const std::vector<std::pair<std::string, Reader>>& readers() {
    static const std::vector<std::pair<std::string, Reader>> list{
        {"deepseek_v3", deepseek_v3}, {"gpt2", gpt2},       {"gpt_oss", gpt_oss}, {"llama", llama},
        {"mistral", mistral},         {"mixtral", mixtral}, {"qwen2", qwen2},     {"qwen3", qwen3},
        {"qwen3_moe", qwen3_moe}};
    return list;
}

/// The name of the file, or of its folder where it is a plain config.json.
std::string name_of(const std::filesystem::path& file) {
    const std::string folder = std::filesystem::absolute(file).parent_path().filename().string();
    return file.stem() == "config" && !folder.empty() ? folder : file.stem().string();
}

}  // namespace

ModelSpec read_hf_config(const std::filesystem::path& file) {
    const auto root = read_json_object<Json>(
        file,
        {"the config.json of a model", "Check the path, or give the name of a shipped model"});
    const Config config(file.string(), root);
    const std::string type = config.keys().text("model_type");
    std::vector<std::string> types;
    for (const auto& [known, read] : readers()) {
        if (known == type) {
            ModelSpec model = read(config);
            model.name = name_of(file);
            check_model(model, file.string());
            return model;
        }
        types.push_back(known);
    }
    const std::string nearest = did_you_mean(type, types);
    throw InputError({file.string(), "model_type", fmt::format("'{}'", type),
                      fmt::format("one of {}", fmt::join(types, ", ")),
                      (nearest.empty() ? "Describe" : nearest + " Or describe") +
                          " the model in a model file (.yml): docs/inputs.md"});
}

}  // namespace npunet::generators
