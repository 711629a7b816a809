// How much each rank sends and computes in a layer of experts: everything that follows from the
// counts of MoeRouting.
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

#include "generators/transformer/axis_grid.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/moe_routing.h"
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
    DownWeightGradient
};
constexpr std::int32_t moe_works = 17;

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
    /// Whether the members of an etp group were sent equally much.
    [[nodiscard]] bool shares_alike() const { return routing_.uniform(); }

    /// For NodeTemplate::varying.
    [[nodiscard]] std::int32_t number(const MoeUse& use) const;
    [[nodiscard]] RankAmounts of(Rank rank, std::int32_t number) const;
    [[nodiscard]] RankAmounts of(Rank rank, const MoeUse& use) const;

private:
    [[nodiscard]] TokenBatch batch(Rank source, const MoeUse& use) const;
    /// Copies of `source` for the experts of member `member` of its expert group.
    [[nodiscard]] std::int64_t sent(Rank source, std::int64_t member, const MoeUse& use) const;
    /// Copies that all members of the expert group send to `rank`.
    [[nodiscard]] std::int64_t received(Rank rank, const MoeUse& use) const;
    /// Copies for each expert of the rank, those of its whole etp group.
    [[nodiscard]] std::vector<std::int64_t> tokens_of_experts(Rank rank, const MoeUse& use) const;

    [[nodiscard]] RankAmounts unequal(std::vector<std::int64_t> copies,
                                      std::int64_t bytes_each) const;
    [[nodiscard]] RankAmounts exchange(Rank rank, const MoeUse& use) const;
    [[nodiscard]] RankAmounts share(Rank rank, const MoeUse& use) const;
    [[nodiscard]] RankAmounts compute(Rank rank, const MoeUse& use) const;

    LocalSizes expert_;  ///< one expert's channels on this rank; tokens are filled in
    std::int64_t layers_;
    std::int64_t tokens_;  ///< that a rank routes
    std::int64_t copies_;  ///< of them, before any is dropped
    std::int64_t experts_;
    std::int64_t ep_;
    std::int64_t etp_;
    bool even_ = false;
    AxisGrid grid_;
    MoeRouting routing_;
};

}  // namespace npunet::generators
