// FLOPs and memory traffic of the operations of a transformer.
//
// Matrix multiplications count 2 FLOPs per multiply-add and read and write each operand once. A
// fused attention core (FlashAttention, Dao et al. 2022) keeps scores out of memory, an unfused one
// writes and reads them; either computes all scores, or half of them where it skips masked blocks
// (Plan::causal_flops). The fused core's backward pass recomputes QK^T unless
// Plan::attention_backward leaves that out. Element-wise work counts the plain formulas, one FLOP
// for an exponential, a root or a division. Biases are added in the epilogue of their
// multiplication and cost nothing.
//
// Each says which kernel it is. The three operations of a fused core are one kernel, which the
// first of them in program order has: the scores forward, the context backward.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

/// A linear layer on this rank: [tokens, in] x [in, out].
struct Linear {
    std::int64_t in = 0;
    std::int64_t out = 0;
};

[[nodiscard]] Work gemm_forward(const LocalSizes& local, const Linear& layer);
/// Gradient of the input: [tokens, out] x [out, in].
[[nodiscard]] Work gemm_dgrad(const LocalSizes& local, const Linear& layer);
/// Gradient of the weights, added to what earlier micro-batches left in the gradients' data type
/// (Megatron-LM's gradient accumulation fusion); with StepOps::Full written in that of the weights,
/// and added by gradient_accumulation().
[[nodiscard]] Work gemm_wgrad(const LocalSizes& local, const Linear& layer);

/// What gemm_wgrad moves of a weight.
[[nodiscard]] std::int64_t weight_gradient_bytes(const LocalSizes& local);

[[nodiscard]] Work scores_forward(const LocalSizes& local);    ///< Q K^T
[[nodiscard]] Work context_forward(const LocalSizes& local);   ///< P V
[[nodiscard]] Work scores_backward(const LocalSizes& local);   ///< dQ and dK; fused: also QK^T
[[nodiscard]] Work context_backward(const LocalSizes& local);  ///< dP and dV
[[nodiscard]] Work softmax_forward(const LocalSizes& local);
[[nodiscard]] Work softmax_backward(const LocalSizes& local);

[[nodiscard]] Work norm_forward(const LocalSizes& local);
[[nodiscard]] Work norm_backward(const LocalSizes& local);
/// Norms of the low-rank vectors of latent attention, which every tp rank computes whole.
[[nodiscard]] Work latent_norm_forward(const LocalSizes& local);
[[nodiscard]] Work latent_norm_backward(const LocalSizes& local);
/// Norms of the rank's queries and keys, head by head (Qwen3, 2025): two kernels.
[[nodiscard]] Work qk_norm_forward(const LocalSizes& local);
[[nodiscard]] Work qk_norm_backward(const LocalSizes& local);
/// Latent attention on cached vectors: the keys' matrix applied to the queries, and the values' to
/// the result (DeepSeek-V2, 2024, section 2.1.2).
[[nodiscard]] Work key_absorption(const LocalSizes& local);
[[nodiscard]] Work value_expansion(const LocalSizes& local);
[[nodiscard]] Work residual(const LocalSizes& local);  ///< either direction
[[nodiscard]] Work rotary(const LocalSizes& local);    ///< either direction
[[nodiscard]] Work activation_forward(const LocalSizes& local);
[[nodiscard]] Work activation_backward(const LocalSizes& local);

[[nodiscard]] Work embedding_forward(const LocalSizes& local);
[[nodiscard]] Work embedding_backward(const LocalSizes& local);
[[nodiscard]] Work positions_forward(const LocalSizes& local);

[[nodiscard]] Work logits_maximum(const LocalSizes& local);
[[nodiscard]] Work logits_exponentials(const LocalSizes& local);
[[nodiscard]] Work loss_forward(const LocalSizes& local);
[[nodiscard]] Work loss_backward(const LocalSizes& local);

/// Of StepOps::Full. Main gradients: read and written for every micro-batch.
[[nodiscard]] Work gradient_accumulation(std::int64_t parameters, const DataTypes& dtypes);
[[nodiscard]] Work gradient_norm(std::int64_t parameters, const DataTypes& dtypes);      ///< reads
[[nodiscard]] Work gradient_clipping(std::int64_t parameters, const DataTypes& dtypes);  ///< both
[[nodiscard]] Work gradient_zeroing(std::int64_t parameters, const DataTypes& dtypes);   ///< writes
/// A byte for each element of a half's result: forward written, backward read.
[[nodiscard]] Work dropout_mask(const LocalSizes& local);
/// Elements of that many bytes to FP8, twice: as they are and transposed, since the tensor cores
/// multiply rows by rows (Transformer Engine).
[[nodiscard]] Work cast_to_fp8(std::int64_t elements, std::int64_t element_bytes);

/// An Adam step (Kingma, Ba 2015) with decoupled weight decay over `parameters`: reads gradient and
/// state, writes state and weight.
[[nodiscard]] Work optimizer_step(std::int64_t parameters, const DataTypes& dtypes);

}  // namespace npunet::generators
