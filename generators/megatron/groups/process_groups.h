// The process groups of Megatron-LM: which ranks share what, by two grids over the same ranks.
//
//     ProcessGroups groups({.tp = 2, .dp = 4, .pp = 2});
//     groups.of(GroupRole::Tensor, Rank(5));    // 4, 5
//     groups.all(GroupRole::Pipeline);          // 0, 8; 1, 9; ...
//
// The decoder's grid has the axes tp, cp, dp, pp; that of the experts etp, ep, edp = W / (etp ep
// pp), pp (cp has no axis of its own there). Both are numbered in rank_order, leftmost fastest
// (Megatron-LM's RankGenerator). Groups of a role are listed by their first rank, their members
// ascending; that is also the order in which Megatron-LM makes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "generators/transformer/axis_grid.h"
#include "generators/transformer/plan.h"

namespace npunet::generators::megatron {

enum class GroupRole : std::uint8_t {
    World,
    Tensor,             ///< tp
    Context,            ///< cp
    Data,               ///< dp: copies of the parameters, without the ranks that share a sequence
    DataContext,        ///< dp-cp: all ranks with the same dense parameters
    Pipeline,           ///< pp
    Model,              ///< tp-pp
    TensorContext,      ///< tp-cp
    TensorData,         ///< tp-dp
    TensorDataContext,  ///< tp-dp-cp
    Embedding,          ///< first and last rank of each pipeline
    PositionEmbedding,  ///< first rank of each pipeline
    Expert,             ///< ep
    ExpertTensor,       ///< etp
    TensorExpert,       ///< etp-ep
    TensorExpertPipeline,  ///< etp-ep-pp
    ExpertData             ///< edp: all ranks with the same experts
};
constexpr std::size_t group_roles = 17;

/// "world", "tp", "dp-cp", "embedding", "etp-ep", ...: as in logs and messages.
[[nodiscard]] std::string_view name_of(GroupRole role);

struct Parallelism {
    std::int64_t tp = 1;
    std::int64_t cp = 1;
    std::int64_t dp = 1;
    std::int64_t pp = 1;
    std::int64_t ep = 1;
    std::int64_t etp = 0;  ///< 0: tp
    RankOrder rank_order = Plan{}.rank_order;

    [[nodiscard]] std::int64_t world() const { return tp * cp * dp * pp; }
    [[nodiscard]] std::int64_t expert_tensor() const { return etp == 0 ? tp : etp; }
};

/// Throws InputError about the plan.
[[noreturn]] void refuse_plan(std::string found, std::string expected, std::string remedy);

/// Whether the world has at most most_ranks ranks; cannot overflow.
[[nodiscard]] bool is_of_most_ranks(const Parallelism& parallelism);

/// Throws InputError that names the numbers that clash: degrees below 1, more than most_ranks
/// ranks, a world that etp x ep x pp does not divide, pipelines that differ between the two grids.
void check_parallelism(const Parallelism& parallelism);

/// Ranks of a group of the role; of the ends of pipelines, where there is one.
[[nodiscard]] std::int64_t group_size(const Parallelism& parallelism, GroupRole role);

/// The rank order by etp, ep, edp and pp; GridAxis::Context is unused. etp ep pp must divide the
/// world.
[[nodiscard]] AxisGrid expert_grid(const Parallelism& parallelism);

class ProcessGroups {
public:
    /// Checks the parallelism.
    explicit ProcessGroups(const Parallelism& parallelism);

    [[nodiscard]] const Parallelism& parallelism() const { return parallelism_; }
    [[nodiscard]] std::int64_t world() const { return parallelism_.world(); }

    [[nodiscard]] const std::vector<std::vector<Rank>>& all(GroupRole role) const;
    /// The group that the rank is in; empty where it is in none (Embedding, PositionEmbedding).
    [[nodiscard]] const std::vector<Rank>& of(GroupRole role, Rank rank) const;

    /// Stage of the pipeline, from 0.
    [[nodiscard]] std::int64_t stage(Rank rank) const;
    /// Place in the tensor-parallel group, from 0.
    [[nodiscard]] std::int64_t tensor_place(Rank rank) const;

private:
    struct Groups {
        std::vector<std::vector<Rank>> lists;
        std::vector<std::int32_t> of_rank;  ///< which list; -1: none
    };

    void add(GroupRole role, const AxisGrid& grid, const std::vector<GridAxis>& axes);
    void add_ends_of_pipelines();
    static void append(Groups& groups, std::vector<Rank> ranks);
    static std::int64_t place_in(const std::vector<Rank>& group, Rank rank);

    Parallelism parallelism_;
    std::array<Groups, group_roles> roles_;
};

// The groups that new_group makes before the first step, in order (set_up_groups.cc). Megatron-LM
// has every rank make every group of the job (parallel_state.py), and the tracer logs them all. The
// npunet dialect has of each rank those groups alone that it is a member of.

struct SetUpGroup {
    std::vector<Rank> ranks;
    bool gloo = false;  ///< of that backend; otherwise of the default one
};

/// What every rank logs in the genstack dialect: 6 tp pp + 2 W + 2 dp + 4 dp pp + 3 dp tp + 2 pp +
/// 1 groups of W ranks. Needs cp = ep = 1.
[[nodiscard]] std::vector<SetUpGroup> genstack_set_up_groups(const ProcessGroups& groups);

/// What one rank logs in the npunet dialect: the roles, in their order, of the groups of two and
/// more ranks that the rank is in; without the world, which needs no new group.
[[nodiscard]] std::vector<GroupRole> own_set_up_groups(const ProcessGroups& groups, Rank rank);

}  // namespace npunet::generators::megatron
