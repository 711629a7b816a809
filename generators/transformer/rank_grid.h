// Where a rank stands in the two grids of parallel dimensions, and which groups it belongs to.
//
// Megatron-LM (initialize_model_parallel) numbers the same ranks twice: the decoder's grid has the
// axes tp, cp, dp and pp; that of the experts has etp, ep, edp = W / (etp ep pp) and pp. Both in
// the order of Plan::rank_order; by default, leftmost fastest, tp-cp-ep-dp-pp:
//
//     rank = t + tp (c + cp (d + dp p)) = et + etp (e + ep (ed + edp p))
//
// A group of one rank does not exist: neither in the group file nor as a communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "generators/transformer/axis_grid.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"

namespace npunet::generators {

/// The communicators of a training step, as slots of RankBinding::groups.
enum GroupSlot : std::int32_t {
    tensor_group = 0,         ///< tp ranks that share every matrix
    context_group = 1,        ///< cp ranks that share every sequence
    gradient_group = 2,       ///< cp x dp ranks that hold the same parameters
    embedding_group = 3,      ///< first and last stage, when they hold one table (tied embeddings)
    expert_group = 4,         ///< ep ranks that share the set of experts
    expert_tensor_group = 5,  ///< etp ranks that share every expert
    expert_block_group = 6,   ///< etp x ep ranks with one copy of all experts, when both exceed 1
    expert_gradient_group = 7,  ///< edp ranks that hold the same experts
};
constexpr std::int32_t group_slots = 8;

/// The neighbours in the pipeline and in the ring of context parallelism, as slots of
/// RankBinding::peers; first and last stage are neighbours where stages have several chunks.
enum PeerSlot : std::int32_t {
    previous_stage = 0,
    next_stage = 1,
    previous_in_ring = 2,
    next_in_ring = 3
};
constexpr std::int32_t peer_slots = 4;

/// The grid of the decoder and that of the experts, as far as the plan has one. Needs a plan whose
/// etp is set.
[[nodiscard]] AxisGrid decoder_grid(const Plan& plan);
[[nodiscard]] AxisGrid expert_grid(const Plan& plan);

class RankGrid {
public:
    /// Needs a resolved plan.
    RankGrid(const ModelSpec& model, const Plan& plan);

    [[nodiscard]] const AxisGrid& decoder() const { return decoder_; }
    [[nodiscard]] const AxisGrid& experts() const { return experts_; }

    /// Ranks of the group in a slot; 1 where there is no group.
    [[nodiscard]] std::vector<std::int64_t> group_sizes() const;
    /// All groups of two ranks and more, ids "1", "2", ... by slot, then by their first rank.
    [[nodiscard]] std::vector<RankGroup> groups() const;
    /// Which role (pipeline stage), groups and neighbours every rank has.
    [[nodiscard]] std::vector<RankBinding> bindings(const std::vector<RankGroup>& groups) const;

private:
    [[nodiscard]] std::vector<Rank> members(std::int32_t slot, Rank rank) const;
    [[nodiscard]] bool leads(std::int32_t slot, Rank rank) const;

    Plan plan_;
    AxisGrid decoder_;
    AxisGrid experts_;
    bool shared_embedding_;
    bool has_experts_;
};

}  // namespace npunet::generators
