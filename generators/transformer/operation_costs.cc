#include "generators/transformer/operation_costs.h"

#include <algorithm>

namespace npunet::generators {

namespace {

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
                  std::int64_t bytes, Kernel kind = Kernel::Elementwise) {
    Work work{elements * flops, elements * passes * bytes};
    work.kernel = memory_kernel(kind, bytes, elements);
    return work;
}

Work with_type(Work work, std::int64_t element_bytes) {
    work.kernel.type = element_type(element_bytes);
    return work;
}

/// Scores of this rank's heads: one for every query and key.
std::int64_t score_elements(const LocalSizes& local) {
    return local.tokens * local.heads * local.keys;
}

/// Multiply-adds of one product with a score matrix: every query times every key, `width` channels
/// over all heads.
std::int64_t attention_products(const LocalSizes& local, std::int64_t width) {
    return local.sequences * local.queries * local.keys * width;
}

/// FLOPs of `products` such products, or half of them where the rest is masked.
std::int64_t attention_flops(const LocalSizes& local, std::int64_t width, std::int64_t products) {
    const std::int64_t all = 2 * products * attention_products(local, width);
    return local.causal_half ? all / 2 : all;
}

/// Bytes of a product's operands: `width` channels of every query, `cached` of every key.
std::int64_t core_bytes(const LocalSizes& local, std::int64_t width, std::int64_t cached) {
    return (local.tokens * width + local.sequences * local.keys * cached) *
           local.dtypes.activations;
}

std::int64_t half_of(std::int64_t count) {
    return (count + 1) / 2;
}

/// The whole core as one kernel, with as many FLOPs as are counted. Under a mask, that is as if its
/// queries were the last ones: of fewer queries than keys (gathered keys, zigzag chunks) each meets
/// half of the keys on average, which takes (keys + queries) / 2 of them. Heads whose keys and
/// values differ in width count with the mean of the two.
KernelInfo core_kernel(const LocalSizes& local, Kernel kind) {
    KernelInfo kernel;
    kernel.type = element_type(local.dtypes.activations);
    if (kernel.type == DataType::None) {
        return kernel;
    }
    const std::int64_t keys = local.causal_half ? half_of(local.keys + local.queries) : local.keys;
    kernel.kind = kind;
    kernel.causal = local.causal_half;
    kernel.shape = {local.sequences,
                    local.heads,
                    std::max<std::int64_t>(local.keys_width * local.heads / local.query_width, 1),
                    local.queries,
                    keys,
                    half_of((local.query_width + local.core_width) / local.heads)};
    return kernel;
}

/// A product of the core: [queries, in] x [in, out] of every head and sequence.
KernelInfo core_product(const LocalSizes& local, std::int64_t out, std::int64_t in) {
    return matmul(local.dtypes.activations,
                  {local.sequences * local.heads, local.queries, out, in});
}

/// Keys that a query of an unfused core meets.
std::int64_t multiplied_keys(const LocalSizes& local) {
    return local.causal_half ? half_of(local.keys) : local.keys;
}

/// Two products of equal size, as one with twice the matrices.
KernelInfo twice(KernelInfo kernel) {
    kernel.shape[0] *= 2;
    kernel.launches = 2;
    return kernel;
}

/// The kernel of a node of the core that is not the first: a fused core is one kernel.
KernelInfo rest_of(KernelInfo kernel) {
    kernel.launches = 0;
    return kernel;
}

/// `passes` over the scores, where they are in memory at all.
std::int64_t score_bytes(const LocalSizes& local, std::int64_t passes) {
    return local.fused_core ? 0 : passes * score_elements(local) * local.dtypes.activations;
}

/// Softmax of the scores, `passes` over them in memory; a dropout mask is a byte a score.
Work softmax(const LocalSizes& local, std::int64_t row_passes, std::int64_t passes) {
    const std::int64_t scores = score_elements(local);
    const std::int64_t mask = local.dropout && !local.fused_core ? scores : 0;
    const std::int64_t flops = scores * softmax_flops;
    Work work{local.causal_half ? std::max<std::int64_t>(flops / 2, 1) : flops,
              local.tokens * local.heads * fp32 * row_passes + score_bytes(local, passes) + mask};
    work.kernel = memory_kernel(Kernel::Softmax, local.dtypes.activations, scores);
    work.kernel.launches = local.dropout ? 2 : 1;
    return work;
}

Work norm_forward_of(const LocalSizes& local, std::int64_t elements) {
    return element_wise(elements,
                        local.norm == Norm::Rms ? rms_forward_flops : layer_norm_forward_flops, 2,
                        local.dtypes.activations, Kernel::Norm);
}

Work norm_backward_of(const LocalSizes& local, std::int64_t elements) {
    return element_wise(elements,
                        local.norm == Norm::Rms ? rms_backward_flops : layer_norm_backward_flops, 3,
                        local.dtypes.activations, Kernel::Norm);
}

/// Channels of a token's low-rank vectors that are normalised: not the rotated key.
std::int64_t normalised_latents(const LocalSizes& local) {
    return local.latent.q_lora_rank + local.latent.kv_lora_rank;
}

/// [tokens, in] x [in, out] for every head, each with a matrix of its own.
Work gemm_per_head(const LocalSizes& local, std::int64_t in, std::int64_t out) {
    Work work{2 * local.tokens * local.heads * in * out,
              local.heads * (local.tokens * (in + out) * local.dtypes.activations +
                             in * out * local.dtypes.weights)};
    work.kernel = matmul(local.dtypes.activations, {local.heads, local.tokens, out, in});
    return work;
}

}  // namespace

Work gemm_forward(const LocalSizes& local, const Linear& layer) {
    Work work{
        2 * local.tokens * layer.in * layer.out,
        local.tokens * (layer.in * local.operand_bytes() + layer.out * local.dtypes.activations) +
            layer.in * layer.out * local.weight_bytes()};
    work.kernel = matmul(local.operand_bytes(), {1, local.tokens, layer.out, layer.in});
    return work;
}

Work gemm_dgrad(const LocalSizes& local, const Linear& layer) {
    return gemm_forward(local, {layer.out, layer.in});
}

std::int64_t weight_gradient_bytes(const LocalSizes& local) {
    return local.full_ops ? local.dtypes.weights : 2 * local.dtypes.gradients;
}

Work gemm_wgrad(const LocalSizes& local, const Linear& layer) {
    Work work{2 * local.tokens * layer.in * layer.out,
              local.tokens * (layer.in + layer.out) * local.operand_bytes() +
                  layer.in * layer.out * weight_gradient_bytes(local)};
    work.kernel = matmul(local.operand_bytes(), {1, layer.out, layer.in, local.tokens});
    return work;
}

Work scores_forward(const LocalSizes& local) {
    Work work{attention_flops(local, local.query_width, 1),
              core_bytes(local, local.query_width, local.keys_width) + score_bytes(local, 1)};
    work.kernel = local.fused_core ? core_kernel(local, Kernel::Attention)
                                   : core_product(local, multiplied_keys(local),
                                                  local.query_width / local.heads);
    return work;
}

Work context_forward(const LocalSizes& local) {
    Work work{attention_flops(local, local.core_width, 1),
              core_bytes(local, local.core_width, local.values_width) + score_bytes(local, 1)};
    work.kernel = local.fused_core
                      ? rest_of(core_kernel(local, Kernel::Attention))
                      : core_product(local, local.core_width / local.heads, multiplied_keys(local));
    return work;
}

Work scores_backward(const LocalSizes& local) {
    Work work{attention_flops(local, local.query_width, local.scores_again ? 3 : 2),
              2 * core_bytes(local, local.query_width, local.keys_width) + score_bytes(local, 2)};
    work.kernel =
        local.fused_core
            ? rest_of(core_kernel(local, Kernel::AttentionBackward))
            : twice(core_product(local, local.query_width / local.heads, multiplied_keys(local)));
    return work;
}

Work context_backward(const LocalSizes& local) {
    Work work{attention_flops(local, local.core_width, 2),
              2 * core_bytes(local, local.core_width, local.values_width) + score_bytes(local, 2)};
    work.kernel =
        local.fused_core
            ? core_kernel(local, Kernel::AttentionBackward)
            : twice(core_product(local, multiplied_keys(local), local.core_width / local.heads));
    return work;
}

Work softmax_forward(const LocalSizes& local) {
    Work work = softmax(local, 1, local.dropout ? 3 : 2);
    if (local.fused_core) {
        work.kernel = rest_of(core_kernel(local, Kernel::Attention));
    }
    return work;
}

Work softmax_backward(const LocalSizes& local) {
    Work work = softmax(local, 2, 3);
    if (local.fused_core) {
        work.kernel = rest_of(core_kernel(local, Kernel::AttentionBackward));
    }
    return work;
}

Work norm_forward(const LocalSizes& local) {
    return norm_forward_of(local, local.shard_tokens * local.hidden);
}

Work norm_backward(const LocalSizes& local) {
    return norm_backward_of(local, local.shard_tokens * local.hidden);
}

Work latent_norm_forward(const LocalSizes& local) {
    return norm_forward_of(local, local.tokens * normalised_latents(local));
}

Work latent_norm_backward(const LocalSizes& local) {
    return norm_backward_of(local, local.tokens * normalised_latents(local));
}

Work qk_norm_forward(const LocalSizes& local) {
    Work work = norm_forward_of(local, local.tokens * local.qk_norm_width);
    work.kernel.launches = 2;
    return work;
}

Work qk_norm_backward(const LocalSizes& local) {
    Work work = norm_backward_of(local, local.tokens * local.qk_norm_width);
    work.kernel.launches = 2;
    return work;
}

Work key_absorption(const LocalSizes& local) {
    return gemm_per_head(local, local.latent.qk_nope_head_dim, local.latent.kv_lora_rank);
}

Work value_expansion(const LocalSizes& local) {
    return gemm_per_head(local, local.latent.kv_lora_rank, local.latent.v_head_dim);
}

Work residual(const LocalSizes& local) {
    return element_wise(local.shard_tokens * local.hidden, 1, 3, local.dtypes.activations);
}

Work rotary(const LocalSizes& local) {
    return element_wise(local.tokens * local.rotary_width, rotary_flops, 2,
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
    return with_type(
        element_wise(local.tokens * local.hidden, 1, 1,
                     local.dtypes.weights + local.dtypes.activations, Kernel::Embedding),
        local.dtypes.weights);
}

Work embedding_backward(const LocalSizes& local) {
    return with_type(
        element_wise(local.tokens * local.hidden, 1, 1,
                     local.dtypes.activations + 2 * local.dtypes.gradients, Kernel::Embedding),
        local.dtypes.activations);
}

Work positions_forward(const LocalSizes& local) {
    return element_wise(local.tokens * local.hidden, 1, 3, local.dtypes.activations);
}

Work logits_maximum(const LocalSizes& local) {
    return with_type(element_wise(local.tokens * local.vocab, 1, 1, local.dtypes.activations + fp32,
                                  Kernel::Softmax),
                     local.dtypes.activations);
}

Work logits_exponentials(const LocalSizes& local) {
    return element_wise(local.tokens * local.vocab, 3, 2, fp32, Kernel::Softmax);
}

Work loss_forward(const LocalSizes& local) {
    return element_wise(local.tokens, 2, 3, fp32);
}

Work loss_backward(const LocalSizes& local) {
    return with_type(element_wise(local.tokens * local.vocab, 2, 1, fp32 + local.dtypes.activations,
                                  Kernel::Softmax),
                     fp32);
}

Work gradient_accumulation(std::int64_t parameters, const DataTypes& dtypes) {
    return element_wise(parameters, 1, 2, dtypes.gradients);
}

Work gradient_norm(std::int64_t parameters, const DataTypes& dtypes) {
    return element_wise(parameters, 2, 1, dtypes.gradients);
}

Work gradient_clipping(std::int64_t parameters, const DataTypes& dtypes) {
    return element_wise(parameters, 1, 2, dtypes.gradients);
}

Work gradient_zeroing(std::int64_t parameters, const DataTypes& dtypes) {
    return element_wise(parameters, 1, 1, dtypes.gradients, Kernel::Copy);
}

Work dropout_mask(const LocalSizes& local) {
    constexpr std::int64_t mask_bytes = 1;
    return with_type(element_wise(local.shard_tokens * local.hidden, 1, 1, mask_bytes),
                     local.dtypes.activations);
}

Work cast_to_fp8(std::int64_t elements, std::int64_t element_bytes) {
    constexpr std::int64_t copies = 2;  // as it is and transposed, a byte each
    return with_type(element_wise(elements, 1, 1, element_bytes + copies), element_bytes);
}

Work optimizer_step(std::int64_t parameters, const DataTypes& dtypes) {
    Work work{parameters * adam_flops,
              parameters * (dtypes.gradients + 2 * dtypes.optimizer + dtypes.weights)};
    work.kernel = memory_kernel(Kernel::Optimizer, fp32, parameters);
    return work;
}

}  // namespace npunet::generators
