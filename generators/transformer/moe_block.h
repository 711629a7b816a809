// The expert half of a decoder layer: norm, router, dispatch, experts, combine, shared experts,
// residual.
//
// Megatron-LM's all-to-all dispatcher. Of the n tokens of its micro-batch a rank routes n / tp:
// with sequence parallelism those it holds; without it, where every tp rank holds all, its share of
// them (DeepSpeed-TED's dropping of duplicates, Singh et al. 2023), and an all-gather over tp makes
// the result, and backward the gradient of the input, whole again. T = n / tp, k = top_k, E
// experts:
//
// forward: router [T, h] x [h, E]; all-gather of E 8-byte counts over the etp x ep ranks that share
// the experts; all-to-all over ep of T k copies (h e bytes each) and of their probabilities (4
// bytes each); with etp > 1 an all-gather of both over etp; the experts' multiplications, each for
// its tokens; a reduce-scatter over etp; the all-to-all back. Backward is the mirror image:
// the combining all-to-all, all-gather over etp, experts, reduce-scatter over etp of the gradients
// of tokens and probabilities, their all-to-alls back.
//
// Where ranks of an etp group were sent unequally much, gather and scatter over etp are unequal
// all-to-alls in which each sends its part to each of the others (its sums to their owners).
// Shared experts are one MLP of shared_experts x ffn channels, split over tp, after the others.
#pragma once

#include <cstdint>

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/moe_amounts.h"
#include "generators/transformer/operation_costs.h"

namespace npunet::generators {

class MoeBlock {
public:
    /// `example`: any rank of the stage. `amounts` has to outlive this.
    MoeBlock(const ModelSpec& model, const Plan& plan, const MoeAmounts& amounts, Rank example);

    /// `cast_weights`: with FP8, weights have not been cast in this step.
    void forward(RoleBuilder& builder, std::int64_t layer, std::int64_t micro_batch,
                 bool cast_weights) const;
    void backward(RoleBuilder& builder, std::int64_t layer, std::int64_t micro_batch) const;

private:
    class Pass;

    void cast_experts(RoleBuilder& builder, const char* name, const Linear& linear) const;
    void add_gradients(RoleBuilder& builder, const char* name, const Linear& linear) const;

    LocalSizes local_;
    LocalSizes routed_;  ///< the tokens that this rank routes
    LocalSizes shared_;  ///< channels of the shared experts
    std::int64_t experts_;
    Linear up_;    ///< of one expert on this rank
    Linear down_;  ///< the same
    std::int64_t ep_;
    std::int64_t etp_;
    bool has_shared_;
    const MoeAmounts& amounts_;
    Rank example_;
};

}  // namespace npunet::generators
