// FLOPs and memory traffic of what a rank computes between two calls, for one micro-batch.
//
//     const SegmentCosts costs(run);               // a resolved run
//     costs.mlp_forward().flops;                   // 16 b s h^2 / tp of a plain GPT
//
// A segment ends where a call needs its result. FLOPs are those of the matrix multiplications, 2
// per multiply-add, and of attention all scores; with tokens n = b S of the rank (S = s / cp), q
// and k the channels of its query and key heads, f its part of the MLP's width (u = f, or 2 f
// gated):
//
//     attention_forward    2 n h (q + 2 k) + 4 n s q + 2 n q h    until the projection's call
//     mlp_forward          2 n h u + 2 n f h                      until that of the second matrix
//     attention_dgrad      twice the projection and the core, and the input gradient of QKV, which
//                          is called for while attention_wgrad, QKV's weight gradient, is computed
//     mlp_dgrad, mlp_wgrad likewise: twice the second matrix, once the first; once the first
//     head_*               2 n h (rows of the vocabulary)
//
// which for a plain GPT is 24 b s h^2 / tp + 4 b s^2 h / tp a layer forward and twice that
// backward. Bytes are of the operands of all multiplications, each read or written once, and of
// the element-wise passes in between (norms, activations, residuals): those of
// transformer/operation_costs.h. The genstack dialect writes scores to memory (Megatron-LM's local
// attention); the other does not (fused attention). Not for latent attention; the MLP is the dense
// one.
#pragma once

#include <cstdint>

#include "generators/megatron/program/training_run.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators::megatron {

struct SegmentCost {
    std::int64_t flops = 0;
    std::int64_t bytes = 0;  ///< of memory read and written
};

/// Of one layer, where it is of layers. Methods are named as the segments are in tables of times.
class SegmentCosts {
public:
    /// Needs a resolved run.
    explicit SegmentCosts(const TrainingRun& run);

    [[nodiscard]] SegmentCost embedding_forward() const;
    [[nodiscard]] SegmentCost attention_forward() const;
    [[nodiscard]] SegmentCost mlp_forward() const;
    /// The final norm and the logits.
    [[nodiscard]] SegmentCost head_forward() const;
    /// Cross-entropy of logits kept in fp32.
    [[nodiscard]] SegmentCost loss_forward() const;

    [[nodiscard]] SegmentCost loss_backward() const;
    [[nodiscard]] SegmentCost head_dgrad() const;
    [[nodiscard]] SegmentCost head_wgrad() const;
    [[nodiscard]] SegmentCost mlp_dgrad() const;
    [[nodiscard]] SegmentCost mlp_wgrad() const;
    [[nodiscard]] SegmentCost attention_dgrad() const;
    [[nodiscard]] SegmentCost attention_wgrad() const;
    [[nodiscard]] SegmentCost embedding_backward() const;

    /// An Adam step over the parameters whose optimizer state the rank keeps.
    [[nodiscard]] SegmentCost optimizer(std::int64_t parameters) const;

private:
    LocalSizes local_;
};

}  // namespace npunet::generators::megatron
