#include "generators/transformer/model_file.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/yaml_document.h"
#include "base/yaml_field.h"
#include "generators/transformer/model_section.h"
#include "generators/transformer/moe_routing.h"

namespace npunet::generators {

namespace {

/// Bytes per element: a name or a number.
std::int64_t element_bytes(const ModelSection& section, const char* key, std::int64_t otherwise) {
    if (!section.has(key)) {
        return otherwise;
    }
    const std::string text = section.scalar(key);
    for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::int64_t>>{
             {"fp8", 1}, {"bf16", 2}, {"fp16", 2}, {"fp32", 4}}) {
        if (name == text) {
            return bytes;
        }
    }
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
        section.refuse(key, fmt::format("'{}'", text),
                       "fp8, bf16, fp16, fp32 or a number of bytes");
    }
    return section.integer(key, otherwise);
}

DataTypes read_dtypes(const YamlField& map) {
    const ModelSection section(map, {"weights", "activations", "gradients", "optimizer"});
    DataTypes types;
    types.weights = element_bytes(section, "weights", types.weights);
    types.activations = element_bytes(section, "activations", types.activations);
    types.gradients = element_bytes(section, "gradients", types.gradients);
    types.optimizer = element_bytes(section, "optimizer", types.optimizer);
    return types;
}

LatentAttention read_latent_attention(const YamlField& map) {
    const ModelSection section(
        map, {"q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"});
    LatentAttention mla;
    mla.q_lora_rank = section.integer("q_lora_rank", 0);
    mla.kv_lora_rank = section.required_integer("kv_lora_rank");
    mla.qk_nope_head_dim = section.required_integer("qk_nope_head_dim");
    mla.qk_rope_head_dim = section.required_integer("qk_rope_head_dim");
    mla.v_head_dim = section.required_integer("v_head_dim");
    if (mla.kv_lora_rank < 1) {
        section.refuse("kv_lora_rank", fmt::format("{}", mla.kv_lora_rank),
                       "a whole number from 1 on");
    }
    return mla;
}

/// uniform, zipf:S or the path of a file, from the model file's folder.
Routing read_routing(const ModelSection& section, const std::filesystem::path& file) {
    Routing routing;
    const std::string text = section.has("routing") ? section.scalar("routing") : "uniform";
    try {
        routing = routing_named(text, file.string());
    } catch (const InputError&) {
        section.refuse("routing", fmt::format("'{}'", text),
                       "uniform, zipf:EXPONENT from 0 to 64, or a file");
    }
    if (routing.kind == Routing::Kind::File) {
        routing.file = (file.parent_path() / text).string();
        if (!std::filesystem::is_regular_file(routing.file)) {
            section.refuse("routing", fmt::format("'{}'", text),
                           "uniform, zipf:EXPONENT or a file that exists");
        }
    }
    return routing;
}

MixtureOfExperts read_experts(const std::filesystem::path& file, const YamlField& map,
                              std::int64_t model_ffn) {
    const ModelSection section(
        map, {"experts", "top_k", "ffn", "shared_experts", "dense_layers_first", "router_bias",
              "routing", "capacity_factor", "dropless"});
    MixtureOfExperts moe;
    moe.experts = section.required_integer("experts");
    moe.top_k = section.required_integer("top_k");
    moe.ffn = section.integer("ffn", model_ffn);
    moe.shared_experts = section.integer("shared_experts", 0);
    moe.dense_layers_first = section.integer("dense_layers_first", 0);
    moe.router_bias = section.flag("router_bias", false);
    moe.routing = read_routing(section, file);
    moe.capacity_factor = section.positive_number("capacity_factor", 0.0);
    const bool dropless = section.flag("dropless", !section.has("capacity_factor"));
    if (dropless == section.has("capacity_factor")) {
        section.refuse(
            "dropless",
            dropless ? "true beside a capacity_factor" : "false without a capacity_factor",
            "either a capacity_factor or dropless: true");
    }
    if (moe.experts < 1) {
        section.refuse("experts", fmt::format("{}", moe.experts), "a whole number from 1 on",
                       "A model without experts has no section moe");
    }
    return moe;
}

/// true, false, or a list of the layers that have biases.
Biases read_biases(const ModelSection& section) {
    if (!section.has("bias")) {
        return {};
    }
    const YamlField field = section.at("bias");
    if (!field.is_list()) {
        return section.flag("bias", false) ? gpt_biases : Biases{};
    }
    Biases biases;
    for (const YamlField& item : field.items()) {
        const std::string layer = one_of(item, {"qkv", "projection", "mlp", "router"});
        bool& has = layer == "qkv"          ? biases.qkv
                    : layer == "projection" ? biases.projection
                    : layer == "mlp"        ? biases.mlp
                                            : biases.router;
        has = true;
    }
    return biases;
}

/// Where the sizes do not say which.
void read_attention(const ModelSection& section, ModelSpec& model) {
    const std::string natural = section.has("mla")              ? "mla"
                                : model.kv_heads == model.heads ? "mha"
                                                                : "gqa";
    const std::string kind = section.choice<std::string>(
        "attention", natural, {{"mha", "mha"}, {"gqa", "gqa"}, {"mla", "mla"}});
    if (kind != "mla" && section.has("mla")) {
        section.refuse("attention", kind, "mla, since there is a section of that name");
    }
    if (kind == "mla") {
        if (!section.has("mla")) {
            section.refuse("attention", "mla without its sizes", "a section mla",
                           "Add mla: {kv_lora_rank: ..., qk_nope_head_dim: ..., "
                           "qk_rope_head_dim: ..., v_head_dim: ...}");
        }
        model.mla = read_latent_attention(section.at("mla"));
    }
    if (kind == "mha" && model.kv_heads != model.heads) {
        section.refuse("attention", "mha",
                       fmt::format("gqa: {} kv_heads serve {} heads", model.kv_heads, model.heads));
    }
    if (kind == "gqa" && !section.has("kv_heads")) {
        section.refuse("attention", "gqa without kv_heads", "the number of key and value heads",
                       "Add the line 'kv_heads: NUMBER'");
    }
}

/// Channels of a query that meet a key.
std::int64_t default_head_dim(const ModelSection& section, const ModelSpec& model) {
    if (model.latent()) {
        return model.mla.qk_nope_head_dim + model.mla.qk_rope_head_dim;
    }
    if (model.heads < 1 || model.hidden < 1) {
        return 1;  // which check_model() refuses by their own names
    }
    if (section.has("head_dim") || model.hidden % model.heads == 0) {
        return model.hidden / model.heads;
    }
    section.refuse("heads", fmt::format("{}", model.heads),
                   fmt::format("a divisor of hidden {}", model.hidden),
                   "Or give head_dim, the channels of one head");
}

}  // namespace

ModelSpec read_model_file(const std::filesystem::path& file) {
    const ModelSection section(
        YamlField(file.string(), read_yaml(file, "a model file",
                                           "Check the path, or give the name of a shipped model")),
        {"name",
         "hidden",
         "layers",
         "heads",
         "kv_heads",
         "head_dim",
         "ffn",
         "vocab",
         "seq",
         "gated",
         "norm",
         "bias",
         "sinks",
         "qk_norm",
         "sliding_window",
         "positions",
         "tied_embeddings",
         "vocab_divisible_by",
         "attention",
         "mla",
         "moe",
         "dropout",
         "dtypes"});
    ModelSpec model;
    model.name = section.has("name") ? section.scalar("name") : file.stem().string();
    model.hidden = section.required_integer("hidden");
    model.layers = section.required_integer("layers");
    model.heads = section.required_integer("heads");
    model.kv_heads = section.integer("kv_heads", model.heads);
    read_attention(section, model);
    model.head_dim = section.integer("head_dim", default_head_dim(section, model));
    model.ffn = section.required_integer("ffn");
    model.vocab = section.required_integer("vocab");
    model.seq = section.required_integer("seq");
    model.gated = section.flag("gated", model.gated);
    model.norm = section.choice("norm", model.norm, {{"rms", Norm::Rms}, {"layer", Norm::Layer}});
    model.biases = read_biases(section);
    model.sinks = section.flag("sinks", model.sinks);
    model.qk_norm = section.flag("qk_norm", model.qk_norm);
    model.sliding_window = section.integer("sliding_window", model.sliding_window);
    model.positions = section.choice("positions", model.positions,
                                     {{"rotary", Positions::Rotary},
                                      {"learned", Positions::Learned},
                                      {"none", Positions::None}});
    model.tied_embeddings = section.flag("tied_embeddings", model.tied_embeddings);
    model.vocab_divisible_by = section.integer("vocab_divisible_by", model.vocab_divisible_by);
    model.dropout = section.flag("dropout", model.norm == Norm::Layer);
    if (section.has("moe")) {
        model.moe = read_experts(file, section.at("moe"), model.ffn);
    }
    if (section.has("dtypes")) {
        model.dtypes = read_dtypes(section.at("dtypes"));
    }
    try {
        check_model(model, file.string());
    } catch (const InputError& error) {
        throw section.located(error);
    }
    return model;
}

}  // namespace npunet::generators
