// What a rank keeps of a micro-batch's forward pass for its backward pass.
//
// One list of tensors per block serves both the closed forms of memory (memory_estimate.h) and the
// tensors that traces name (memory_tensors.h). For a GPT block in 16 bits with dropout and an
// unfused attention core, of s tokens, b sequences, hidden size h, a heads on t tensor-parallel
// ranks, the lists sum to the bytes of Korthikanti et al. (2022), equations 1 to 6:
//
//     s b h (10 + 24 / t + 5 a s / (h t))          without sequence parallelism
//     s b h (34 + 5 a s / h) / t                   with it; 34 s b h / t with selective
//                                                  recomputation
//     2 s b h                                      full recomputation (its shard of that with
//                                                  sequence parallelism)
//
// Fused attention keeps, in place of the scores, 4 bytes a row and head (FlashAttention, Dao et al.
// 2022); without dropout there are no masks and no copies that they were applied to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

struct SavedTensor {
    std::string name;
    std::int64_t elements = 0;
    std::int64_t element_bytes = 0;

    [[nodiscard]] std::int64_t bytes() const { return elements * element_bytes; }
};

using SavedTensors = std::vector<SavedTensor>;

[[nodiscard]] std::int64_t bytes_of(const SavedTensors& tensors);

/// The attention half of a layer without its core. The first is the layer's input.
[[nodiscard]] SavedTensors saved_by_attention(const LocalSizes& local);
/// What only the core's backward pass reads: what selective recomputation drops.
[[nodiscard]] SavedTensors saved_by_core(const LocalSizes& local);
[[nodiscard]] SavedTensors saved_by_mlp(const LocalSizes& local);
/// Copies of tokens on a rank, in one layer and micro-batch, without the dropped ones.
struct ExpertCopies {
    std::int64_t routed = 0;  ///< of the tokens that the rank routes
    std::int64_t taken = 0;   ///< that its experts work on, those of its whole etp group
};

/// The MLP half of a layer with experts.
[[nodiscard]] SavedTensors saved_by_experts(const LocalSizes& local, const ModelSpec& model,
                                            const Plan& plan, const ExpertCopies& copies);
[[nodiscard]] SavedTensors saved_by_embedding(const LocalSizes& local);
/// Final norm and LM head, without the logits.
[[nodiscard]] SavedTensors saved_by_head(const LocalSizes& local);
/// In fp32, as the cross entropy needs them; their gradients take their place.
[[nodiscard]] SavedTensors saved_logits(const LocalSizes& local);

}  // namespace npunet::generators
