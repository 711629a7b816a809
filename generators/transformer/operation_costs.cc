#include "generators/transformer/operation_costs.h"

#include <algorithm>
#include <array>

namespace npunet::generators {

namespace {

constexpr std::int64_t fp32 = 4;

// FLOPs per element. Square, sum, scale, weight; a layer norm also centres and adds a bias.
constexpr std::int64_t rms_forward_flops = 4;
constexpr std::int64_t rms_backward_flops = 8;
constexpr std::int64_t layer_norm_forward_flops = 7;
constexpr std::int64_t layer_norm_backward_flops = 13;
// Scale, maximum, subtract, exponential, sum.
constexpr std::int64_t softmax_flops = 5;
// A pair takes four products and two sums.
constexpr std::int64_t rotary_flops = 3;
// SwiGLU: three for the sigmoid, two products. GeLU by its tanh formula.
constexpr std::int64_t swiglu_forward_flops = 5;
constexpr std::int64_t swiglu_backward_flops = 11;
constexpr std::int64_t gelu_forward_flops = 9;
constexpr std::int64_t gelu_backward_flops = 14;
// Two moments, their corrections, root, division, decay, update.
constexpr std::int64_t adam_flops = 16;

/// `elements` that each take `flops`, and `passes` over them at `bytes` per element.
Work element_wise(std::int64_t elements, std::int64_t flops, std::int64_t passes,
                  std::int64_t bytes) {
    return {elements * flops, elements * passes * bytes};
}

/// Multiply-adds of one score matrix: every query of every head times every key.
std::int64_t attention_products(const LocalSizes& local) {
    return local.sequences * local.queries * local.keys * local.query_width;
}

std::int64_t query_elements(const LocalSizes& local) {
    return local.tokens * local.query_width;
}

/// Keys (or values) of the whole sequence.
std::int64_t key_elements(const LocalSizes& local) {
    return local.sequences * local.keys * local.key_value_width;
}

}  // namespace

Work gemm_forward(const LocalSizes& local, const Linear& layer) {
    return {2 * local.tokens * layer.in * layer.out,
            local.tokens * (layer.in + layer.out) * local.dtypes.activations +
                layer.in * layer.out * local.dtypes.weights};
}

Work gemm_dgrad(const LocalSizes& local, const Linear& layer) {
    return gemm_forward(local, {layer.out, layer.in});
}

Work gemm_wgrad(const LocalSizes& local, const Linear& layer) {
    return {2 * local.tokens * layer.in * layer.out,
            local.tokens * (layer.in + layer.out) * local.dtypes.activations +
                2 * layer.in * layer.out * local.dtypes.gradients};
}

Work scores_forward(const LocalSizes& local) {
    return {2 * attention_products(local),
            (query_elements(local) + key_elements(local)) * local.dtypes.activations};
}

Work context_forward(const LocalSizes& local) {
    return scores_forward(local);
}

Work scores_backward(const LocalSizes& local) {
    return {4 * attention_products(local),
            2 * (query_elements(local) + key_elements(local)) * local.dtypes.activations};
}

Work context_backward(const LocalSizes& local) {
    return scores_backward(local);
}

Work softmax_forward(const LocalSizes& local) {
    const std::int64_t rows = local.tokens * local.heads;
    return {rows * local.keys * softmax_flops, rows * fp32};
}

Work softmax_backward(const LocalSizes& local) {
    const std::int64_t rows = local.tokens * local.heads;
    return {rows * local.keys * softmax_flops, 2 * rows * fp32};
}

Work norm_forward(const LocalSizes& local) {
    return element_wise(local.shard_tokens * local.hidden,
                        local.norm == Norm::Rms ? rms_forward_flops : layer_norm_forward_flops, 2,
                        local.dtypes.activations);
}

Work norm_backward(const LocalSizes& local) {
    return element_wise(local.shard_tokens * local.hidden,
                        local.norm == Norm::Rms ? rms_backward_flops : layer_norm_backward_flops, 3,
                        local.dtypes.activations);
}

Work residual(const LocalSizes& local) {
    return element_wise(local.shard_tokens * local.hidden, 1, 3, local.dtypes.activations);
}

Work rotary(const LocalSizes& local) {
    return element_wise(local.tokens * (local.query_width + local.key_value_width), rotary_flops, 2,
                        local.dtypes.activations);
}

Work activation_forward(const LocalSizes& local) {
    return element_wise(local.tokens * local.ffn,
                        local.gated ? swiglu_forward_flops : gelu_forward_flops,
                        local.gated ? 3 : 2, local.dtypes.activations);
}

Work activation_backward(const LocalSizes& local) {
    return element_wise(local.tokens * local.ffn,
                        local.gated ? swiglu_backward_flops : gelu_backward_flops,
                        local.gated ? 5 : 3, local.dtypes.activations);
}

Work embedding_forward(const LocalSizes& local) {
    return element_wise(local.tokens * local.hidden, 1, 1,
                        local.dtypes.weights + local.dtypes.activations);
}

Work embedding_backward(const LocalSizes& local) {
    return element_wise(local.tokens * local.hidden, 1, 1,
                        local.dtypes.activations + 2 * local.dtypes.gradients);
}

Work positions_forward(const LocalSizes& local) {
    return element_wise(local.tokens * local.hidden, 1, 3, local.dtypes.activations);
}

Work logits_maximum(const LocalSizes& local) {
    return element_wise(local.tokens * local.vocab, 1, 1, local.dtypes.activations + fp32);
}

Work logits_exponentials(const LocalSizes& local) {
    return element_wise(local.tokens * local.vocab, 3, 2, fp32);
}

Work loss_forward(const LocalSizes& local) {
    return element_wise(local.tokens, 2, 3, fp32);
}

Work loss_backward(const LocalSizes& local) {
    return element_wise(local.tokens * local.vocab, 2, 1, fp32 + local.dtypes.activations);
}

Work optimizer_step(std::int64_t parameters, const DataTypes& dtypes) {
    return {parameters * adam_flops,
            parameters * (dtypes.gradients + 2 * dtypes.optimizer + dtypes.weights)};
}

bool is_multiplication(std::string_view node_name) {
    constexpr std::array<std::string_view, 12> operations{
        "attention_qkv", "attention_scores", "attention_context", "attention_projection",
        "mlp_up",        "mlp_down",         "lm_head",           "moe_router",
        "moe_up",        "moe_down",         "shared_up",         "shared_down"};
    const std::string_view stem = node_name.substr(0, node_name.rfind('_'));
    return std::any_of(operations.begin(), operations.end(), [stem](std::string_view operation) {
        return stem.size() >= operation.size() &&
               stem.substr(stem.size() - operation.size()) == operation;
    });
}

}  // namespace npunet::generators
