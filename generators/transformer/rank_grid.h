// Where a rank stands in the grid of parallel dimensions, and which groups it belongs to.
//
// Megatron-LM's order tp-cp-dp-pp (initialize_model_parallel), leftmost fastest:
//
//     rank = t + tp (c + cp (d + dp p))
//
// A group of one rank does not exist: neither in the group file nor as a communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"

namespace npunet::generators {

/// The communicators of a training step, as slots of RankBinding::groups.
enum GroupSlot : std::int32_t {
    tensor_group = 0,    ///< tp ranks that share every matrix
    context_group = 1,   ///< cp ranks that share every sequence
    gradient_group = 2,  ///< cp x dp ranks that hold the same parameters
    embedding_group = 3  ///< first and last stage, when they hold one table (tied embeddings)
};
constexpr std::int32_t group_slots = 4;

/// The neighbours in the pipeline, as slots of RankBinding::peers; first and last stage are
/// neighbours where stages have several chunks.
enum PeerSlot : std::int32_t { previous_stage = 0, next_stage = 1 };
constexpr std::int32_t peer_slots = 2;

struct GridPosition {
    std::int64_t t = 0;
    std::int64_t c = 0;
    std::int64_t d = 0;
    std::int64_t p = 0;
};

class RankGrid {
public:
    /// Needs a resolved plan.
    RankGrid(const ModelSpec& model, const Plan& plan);

    [[nodiscard]] GridPosition position(Rank rank) const;
    [[nodiscard]] Rank rank(const GridPosition& position) const;

    /// Ranks of the group in a slot; 1 where there is no group.
    [[nodiscard]] std::vector<std::int64_t> group_sizes() const;
    /// All groups of two ranks and more, ids "1", "2", ... by slot, then by their first rank.
    [[nodiscard]] std::vector<RankGroup> groups() const;
    /// Which role (pipeline stage), groups and neighbours every rank has.
    [[nodiscard]] std::vector<RankBinding> bindings(const std::vector<RankGroup>& groups) const;

private:
    [[nodiscard]] std::vector<Rank> members(std::int32_t slot, const GridPosition& start) const;
    [[nodiscard]] bool leads(std::int32_t slot, const GridPosition& position) const;

    Plan plan_;
    bool shared_embedding_;
};

}  // namespace npunet::generators
