// How many copies of tokens one rank sends and takes in a layer of experts: the counts of
// MoeRouting, put together for a rank, once.
//
//     const MoeTokens tokens(model, plan);
//     const auto share = tokens.of(rank, layer, micro_batch);
//     share->sent[3];             // copies for member 3 of the rank's expert group
//     share->all_experts();       // copies that the rank's experts multiply
//
// Member i of an expert group holds experts i E/ep .. (i+1) E/ep - 1; the ranks of an etp group
// hold parts of the same ones, and each takes what all of them were sent. Every rank of a stage
// routes T = n / tp tokens of its micro-batch.
//
// A trace asks for the same counts some thirty times, so they are kept: those of the last few
// thousand ranks, layers and micro-batches, in at most about 64 MB. What is kept is never seen in
// results. Threads may ask at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "generators/transformer/axis_grid.h"
#include "generators/transformer/moe_routing.h"

namespace npunet::generators {

/// Copies of one rank in one layer and micro-batch.
struct RankTokens {
    std::vector<std::int64_t> sent;   ///< to each member of the expert group
    std::vector<std::int64_t> taken;  ///< from each member of the expert group
    /// What each member of the rank's etp group took in, the rank's own place among them.
    std::vector<std::int64_t> shared;
    std::vector<std::int64_t> experts;  ///< of each expert here, those of the whole etp group

    /// Copies that the rank's tokens became, without the dropped ones.
    [[nodiscard]] std::int64_t all_sent() const {
        return std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
    }
    [[nodiscard]] std::int64_t all_experts() const {
        return std::accumulate(experts.begin(), experts.end(), std::int64_t{0});
    }
};

class MoeTokens {
public:
    /// Needs a resolved plan and a model with experts. Throws InputError for a routing file that
    /// does not fit.
    MoeTokens(const ModelSpec& model, const Plan& plan);

    [[nodiscard]] std::shared_ptr<const RankTokens> of(Rank rank, std::int64_t layer,
                                                       std::int64_t micro_batch) const;

    /// Whether experts get equally much, up to one copy.
    [[nodiscard]] bool uniform() const { return routing_.uniform(); }
    /// Copies that a rank's tokens become before any is dropped.
    [[nodiscard]] std::int64_t copies() const { return copies_; }
    [[nodiscard]] const AxisGrid& grid() const { return grid_; }

private:
    struct Slot {
        std::mutex mutex;
        std::uint64_t key = 0;  ///< of(), counted from 1; 0: empty
        std::shared_ptr<const RankTokens> tokens;
    };

    [[nodiscard]] TokenBatch batch(Rank source, std::int64_t layer, std::int64_t micro_batch) const;
    [[nodiscard]] RankTokens count(Rank rank, std::int64_t layer, std::int64_t micro_batch) const;

    std::int64_t layers_;
    std::int64_t micro_batches_;
    std::int64_t experts_;
    std::int64_t ep_;
    std::int64_t etp_;
    std::int64_t tokens_;  ///< that a rank routes
    std::int64_t copies_;
    AxisGrid grid_;
    MoeRouting routing_;
    mutable std::vector<Slot> slots_;
};

}  // namespace npunet::generators
