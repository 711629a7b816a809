// What a decoder-only transformer is made of, and how many parameters that makes.
//
//     ModelSpec model = load_model("llama2-7b");     // transformer/model_library.h
//     parameter_count(model);                        // 6'738'415'616
//
// Sizes are counts of elements; data types are bytes per element.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace npunet::generators {

enum class Norm {
    Rms,   ///< one weight per channel
    Layer  ///< a weight and a bias per channel
};

enum class Positions {
    Rotary,   ///< rotates queries and keys; no parameters
    Learned,  ///< a table of `seq` vectors, added to the token embedding
    None
};

/// Bytes of an element that is computed with or kept in full precision, whatever the data types.
constexpr std::int64_t fp32 = 4;

/// Bytes per element.
struct DataTypes {
    std::int64_t weights = 2;       ///< bf16
    std::int64_t activations = 2;   ///< bf16; also the gradients of activations
    std::int64_t gradients = fp32;  ///< fp32; gradients of parameters, summed and reduced
    std::int64_t optimizer = 12;    ///< per parameter: fp32 master weight and two Adam moments
};

/// Multi-head latent attention (DeepSeek-V2, 2024): keys and values from one low-rank vector per
/// token, which is all that the cache keeps beside the rotary part of the key.
struct LatentAttention {
    std::int64_t q_lora_rank = 0;  ///< 0: queries straight from the hidden vector
    std::int64_t kv_lora_rank = 0;
    std::int64_t qk_nope_head_dim = 0;  ///< channels of a head without rotation
    std::int64_t qk_rope_head_dim = 0;  ///< rotated channels; their key is shared by all heads
    std::int64_t v_head_dim = 0;
};

/// Which linear layers have biases. The LM head never has one.
struct Biases {
    bool qkv = false;         ///< queries, keys and values
    bool projection = false;  ///< the result of attention
    bool mlp = false;         ///< both products of the MLP, of every expert too
    bool router = false;      ///< trained, unlike MixtureOfExperts::router_bias
    [[nodiscard]] bool any() const { return qkv || projection || mlp || router; }
};

/// As in GPT: every linear layer but router and head.
constexpr Biases gpt_biases{true, true, true, false};

/// Which experts the tokens choose.
struct Routing {
    enum class Kind {
        Uniform,  ///< equal counts
        Zipf,     ///< expert ranks weighted 1 / i^exponent, shuffled per layer and step
        File      ///< counts from a file
    };
    Kind kind = Kind::Uniform;
    double exponent = 0.0;  ///< of Zipf
    std::string file;
};

struct MixtureOfExperts {
    std::int64_t experts = 0;  ///< 0: every layer is dense
    std::int64_t top_k = 0;    ///< experts of a token
    std::int64_t ffn = 0;      ///< inner width of an expert
    std::int64_t shared_experts = 0;
    std::int64_t dense_layers_first = 0;
    bool router_bias = false;  ///< adds a bias without gradient to each expert's score
    Routing routing;
    double capacity_factor = 0.0;  ///< most tokens of an expert / mean; 0: dropless
};

struct ModelSpec {
    std::string name = "custom";
    std::int64_t hidden = 0;    ///< width of the residual stream
    std::int64_t layers = 0;    ///< decoder layers
    std::int64_t heads = 0;     ///< query heads
    std::int64_t kv_heads = 0;  ///< key and value heads; fewer than `heads`: grouped queries
    std::int64_t head_dim = 0;  ///< channels of a head
    std::int64_t ffn = 0;       ///< inner width of the MLP
    std::int64_t vocab = 0;     ///< tokens in the vocabulary
    std::int64_t seq = 0;       ///< the longest sequence; rows of the table of learned positions
    bool gated = true;          ///< MLP of three matrices (SwiGLU) instead of two (GeLU)
    Norm norm = Norm::Rms;
    Biases biases;
    bool sinks = false;    ///< each head has a trained score that its softmax counts, of no token
    bool qk_norm = false;  ///< queries and keys of a head are normalised, with a weight a channel
    /// Tokens that a query of some or all layers meets; 0: all before it. Not modelled: only a note
    /// says so.
    std::int64_t sliding_window = 0;
    Positions positions = Positions::Rotary;
    bool tied_embeddings = false;  ///< the LM head uses the token embedding's table
    /// Where the vocabulary does not divide by the tensor-parallel degree, it is padded to a
    /// multiple of this x the degree (what Megatron-LM's --make-vocab-size-divisible-by always
    /// does); 0: such a plan is refused.
    std::int64_t vocab_divisible_by = 0;
    LatentAttention mla;   ///< used where kv_lora_rank is not 0
    MixtureOfExperts moe;  ///< used where experts is not 0
    bool dropout = false;  ///< masks of dropout are kept for the backward pass
    DataTypes dtypes;

    [[nodiscard]] bool latent() const { return mla.kv_lora_rank > 0; }
    [[nodiscard]] bool is_moe_layer(std::int64_t layer) const {
        return moe.experts > 0 && layer >= moe.dense_layers_first;
    }

    [[nodiscard]] std::int64_t query_width() const { return heads * head_dim; }
    [[nodiscard]] std::int64_t key_value_width() const { return kv_heads * head_dim; }
    /// Channels of the attention core's result: the projection's input.
    [[nodiscard]] std::int64_t value_width() const {
        return heads * (latent() ? mla.v_head_dim : head_dim);
    }
    /// Columns of the fused projection to queries, keys and values; not of latent attention.
    [[nodiscard]] std::int64_t qkv_width() const { return query_width() + 2 * key_value_width(); }
    /// Channels of the vectors that latent attention keeps of a token: queries', keys and values',
    /// rotated key.
    [[nodiscard]] std::int64_t latent_width() const {
        return mla.q_lora_rank + mla.kv_lora_rank + mla.qk_rope_head_dim;
    }
    /// Channels of keys and values that the cache keeps of a token in a layer: 2 g d, of latent
    /// attention the low-rank vector and the rotated key (DeepSeek-V2, 2024).
    [[nodiscard]] std::int64_t cache_width() const {
        return latent() ? mla.kv_lora_rank + mla.qk_rope_head_dim : 2 * key_value_width();
    }
    /// Columns of the MLP's first matrix: gate and up in one, or up alone.
    [[nodiscard]] std::int64_t up_width() const { return (gated ? 2 : 1) * ffn; }
    /// The same of all shared experts together.
    [[nodiscard]] std::int64_t shared_width() const { return moe.shared_experts * moe.ffn; }
};

/// The few numbers that say what a dense model is.
struct DenseSizes {
    std::int64_t hidden = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;                               ///< divides hidden
    std::optional<std::int64_t> kv_heads = std::nullopt;  ///< by default as many as heads
    std::optional<std::int64_t> ffn = std::nullopt;       ///< by default 4 hidden
    std::int64_t vocab = 0;
    std::int64_t seq = 0;
};

/// A dense model of these sizes, its heads hidden / heads channels wide; all else as by default.
[[nodiscard]] ModelSpec dense_model(const DenseSizes& sizes);
/// The same in the style of GPT: an MLP of two matrices, layer norms, biases, learned positions.
[[nodiscard]] ModelSpec gpt_model(const DenseSizes& sizes);

/// Parameters of one decoder layer by what tensor parallelism does to them.
struct LayerParameters {
    std::int64_t matrices = 0;      ///< weights of attention, dense MLP, shared experts: divided
    std::int64_t split_biases = 0;  ///< biases of QKV and up, sinks: divided
    /// Norms, biases of projection and down, the router: on every rank whole.
    std::int64_t replicated = 0;
    std::int64_t router = 0;          ///< weights of the router, of `replicated`
    std::int64_t trained_bias = 0;    ///< its trained biases, of `replicated`
    std::int64_t head_norms = 0;      ///< norms of queries and keys, of `replicated`
    std::int64_t router_bias = 0;     ///< its biases, which have no gradients, of `replicated`
    std::int64_t experts = 0;         ///< routed experts, weights and biases
    std::int64_t expert_weights = 0;  ///< matrices of one routed expert
    [[nodiscard]] std::int64_t total() const {
        return matrices + split_biases + replicated + experts;
    }
};

/// A dense layer.
[[nodiscard]] LayerParameters layer_parameters(const ModelSpec& model);
/// A layer with experts in place of the MLP.
[[nodiscard]] LayerParameters moe_layer_parameters(const ModelSpec& model);
/// Layers with experts.
[[nodiscard]] std::int64_t moe_layers(const ModelSpec& model);
/// Parameters of one norm: hidden (rms) or 2 hidden (layer).
[[nodiscard]] std::int64_t norm_parameters(const ModelSpec& model);
/// Rows of learned positions x hidden; 0 without them.
[[nodiscard]] std::int64_t position_parameters(const ModelSpec& model);

/// All parameters: V h [+ s h] + L layer + final norm [+ V h untied].
[[nodiscard]] std::int64_t parameter_count(const ModelSpec& model);
/// Those that a token meets: of the routed experts only its own top_k.
[[nodiscard]] std::int64_t active_parameter_count(const ModelSpec& model);

/// Weights that multiply the activations of a token: the linear layers of all decoder layers (of
/// the experts the shared and its own top_k, and the router) and the LM head (tied or not); no
/// embeddings, norms or biases. This is the P of 6 P T FLOPs for T tokens.
[[nodiscard]] std::int64_t multiplying_weights(const ModelSpec& model);

/// Throws InputError that names `source` and the value when a size is missing, not positive, beyond
/// what 64-bit counts can hold, or contradicts another one.
void check_model(const ModelSpec& model, const std::string& source);

}  // namespace npunet::generators
