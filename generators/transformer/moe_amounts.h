// How much each rank sends, computes and keeps in a layer of experts: everything that follows from
// the counts of MoeTokens.
//
//     const MoeAmounts amounts(model, plan);
//     const std::int32_t number = amounts.number({MoeWork::Dispatch, layer, micro_batch});
//     amounts.of(rank, number).sizes;      // bytes to each member of the expert group
//
// A rank routes T = n / tp of the n tokens of its micro-batch, T k copies in all; every rank of a
// stage routes different ones. h = hidden, e = bytes of an activation. Member i of the expert group
// holds experts i E/ep .. (i+1) E/ep - 1. Where sources are alike and ep divides T k, all ranks of
// a stage do the same (`even`), and no sizes are listed.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/transformer/local_sizes.h"
#include "generators/transformer/moe_tokens.h"
#include "generators/transformer/saved_activations.h"
#include "generators/workload.h"

namespace npunet::generators {

/// What differs from rank to rank.
enum class MoeWork : std::uint8_t {
    Copy,                   ///< the rank's copies in the experts' order, or back
    Dispatch,               ///< all-to-all: copies to their experts, h e each
    DispatchProbabilities,  ///< all-to-all: 4 bytes each
    Combine,                ///< all-to-all: dispatch transposed
    CombineProbabilities,   ///< its gradients back
    ShareTokens,            ///< within etp: what the rank was sent, to every other rank
    ShareProbabilities,     ///< the same of 4 bytes each
    ReturnTokens,           ///< within etp: partial sums to the rank that was sent them
    ReturnProbabilities,    ///< the same of 4 bytes each
    UpForward,              ///< grouped multiplications: the experts' tokens
    UpInputGradient,
    UpWeightGradient,
    ActivationForward,
    ActivationBackward,
    DownForward,
    DownInputGradient,
    DownWeightGradient,
    UpInputCast,  ///< to FP8: the experts' tokens and gradients
    UpGradientCast,
    DownInputCast,
    DownGradientCast,
    Kept  ///< tensors that the layer's expert half keeps (saved_by_experts)
};
constexpr std::int32_t moe_works = 22;

struct MoeUse {
    MoeWork work = MoeWork::Copy;
    std::int64_t layer = 0;
    std::int64_t micro_batch = 0;
};

class MoeAmounts {
public:
    /// Needs a resolved plan and a model with experts. Throws InputError for a routing file that
    /// does not fit.
    MoeAmounts(const ModelSpec& model, const Plan& plan);

    /// Whether all ranks of a stage have equal amounts, and equal parts for every peer.
    [[nodiscard]] bool even() const { return even_; }
    /// Of what a collective carries: activations, or probabilities in fp32.
    [[nodiscard]] std::int64_t element_bytes(MoeWork work) const;

    /// For NodeTemplate::varying.
    [[nodiscard]] std::int32_t number(const MoeUse& use) const;
    [[nodiscard]] RankAmounts of(Rank rank, std::int32_t number) const;
    [[nodiscard]] RankAmounts of(Rank rank, const MoeUse& use) const;

    /// What the rank's routing and experts work on.
    [[nodiscard]] ExpertCopies copies(Rank rank, std::int64_t layer,
                                      std::int64_t micro_batch) const;

private:
    [[nodiscard]] RankAmounts unequal(std::vector<std::int64_t> copies,
                                      std::int64_t bytes_each) const;
    /// Of what is sent of one copy.
    [[nodiscard]] std::int64_t copy_bytes(MoeWork work) const;
    [[nodiscard]] RankAmounts exchange(const RankTokens& tokens, MoeWork work) const;
    [[nodiscard]] RankAmounts share(const RankTokens& tokens, Rank rank, MoeWork work) const;
    [[nodiscard]] RankAmounts compute(const RankTokens& tokens, MoeWork work) const;
    [[nodiscard]] RankAmounts kept(const RankTokens& tokens) const;

    LocalSizes expert_;  ///< one expert's channels on this rank; tokens are filled in
    std::int64_t layers_;
    std::int64_t etp_;
    bool even_ = false;
    /// Bytes that are kept: of a rank without copies, of one routed away, of one that experts take.
    std::int64_t kept_always_ = 0;
    std::int64_t kept_routed_ = 0;
    std::int64_t kept_taken_ = 0;
    MoeTokens tokens_;
};

}  // namespace npunet::generators
