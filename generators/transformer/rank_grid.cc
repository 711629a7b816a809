#include "generators/transformer/rank_grid.h"

#include <string>

namespace npunet::generators {

namespace {

struct GroupKind {
    const char* name;
    bool of_experts;
    std::vector<GridAxis> axes;
};

/// By slot. The embedding group is the two ends of an axis, not all of it.
const std::vector<GroupKind>& group_kinds() {
    static const std::vector<GroupKind> kinds{
        {"tensor", false, {GridAxis::Tensor}},
        {"context", false, {GridAxis::Context}},
        {"gradient", false, {GridAxis::Context, GridAxis::Data}},
        {"embedding", false, {GridAxis::Pipeline}},
        {"expert", true, {GridAxis::Expert}},
        {"expert-tensor", true, {GridAxis::Tensor}},
        {"expert-block", true, {GridAxis::Tensor, GridAxis::Expert}},
        {"expert-gradient", true, {GridAxis::Data}},
    };
    return kinds;
}

const GroupKind& kind_of(std::int32_t slot) {
    return group_kinds()[static_cast<std::size_t>(slot)];
}

}  // namespace

AxisGrid decoder_grid(const Plan& plan) {
    return {plan.rank_order, {plan.tp, plan.cp, 1, plan.dp, plan.pp}};
}

AxisGrid expert_grid(const Plan& plan) {
    return {plan.rank_order, {plan.etp, 1, plan.ep, plan.expert_replicas(), plan.pp}};
}

RankGrid::RankGrid(const ModelSpec& model, const Plan& plan)
    : plan_(plan),
      decoder_(decoder_grid(plan)),
      experts_(expert_grid(plan)),
      shared_embedding_(model.tied_embeddings && plan.pp > 1),
      has_experts_(model.moe.experts > 0) {}

std::vector<std::int64_t> RankGrid::group_sizes() const {
    std::vector<std::int64_t> sizes{plan_.tp, plan_.cp, plan_.cp * plan_.dp,
                                    shared_embedding_ ? 2 : 1};
    sizes.resize(group_slots, 1);
    if (has_experts_) {
        sizes[expert_group] = plan_.ep;
        sizes[expert_tensor_group] = plan_.etp;
        sizes[expert_block_group] = plan_.ep > 1 && plan_.etp > 1 ? plan_.ep * plan_.etp : 1;
        sizes[expert_gradient_group] = plan_.expert_replicas();
    }
    return sizes;
}

bool RankGrid::leads(std::int32_t slot, Rank rank) const {
    const GroupKind& kind = kind_of(slot);
    return (kind.of_experts ? experts_ : decoder_).leads(rank, kind.axes);
}

std::vector<Rank> RankGrid::members(std::int32_t slot, Rank rank) const {
    const GroupKind& kind = kind_of(slot);
    std::vector<Rank> ranks = (kind.of_experts ? experts_ : decoder_).group(rank, kind.axes);
    if (slot == embedding_group) {
        ranks = {ranks.front(), ranks.back()};
    }
    return ranks;
}

std::vector<RankGroup> RankGrid::groups() const {
    std::vector<RankGroup> groups;
    const std::vector<std::int64_t> sizes = group_sizes();
    for (std::int32_t slot = 0; slot < group_slots; ++slot) {
        if (sizes[static_cast<std::size_t>(slot)] < 2) {
            continue;
        }
        for (std::int32_t r = 0; r < static_cast<std::int32_t>(plan_.world()); ++r) {
            if (leads(slot, Rank(r))) {
                groups.push_back({std::to_string(groups.size() + 1), kind_of(slot).name, slot,
                                  members(slot, Rank(r))});
            }
        }
    }
    return groups;
}

std::vector<RankBinding> RankGrid::bindings(const std::vector<RankGroup>& groups) const {
    std::vector<RankBinding> bindings(static_cast<std::size_t>(plan_.world()));
    for (std::size_t r = 0; r < bindings.size(); ++r) {
        const Rank rank(static_cast<std::int32_t>(r));
        const std::int64_t stage = decoder_.coordinate(rank, GridAxis::Pipeline);
        RankBinding& binding = bindings[r];
        binding.role = static_cast<std::int32_t>(stage);
        binding.groups.assign(group_slots, -1);
        binding.peers.assign(peer_slots, Rank());
        // Several chunks a stage close the pipeline to a ring.
        const bool ring = plan_.vpp > 1;
        if (stage > 0 || ring) {
            binding.peers[previous_stage] = decoder_.neighbour(rank, GridAxis::Pipeline, -1);
        }
        if (stage + 1 < plan_.pp || ring) {
            binding.peers[next_stage] = decoder_.neighbour(rank, GridAxis::Pipeline, 1);
        }
        if (plan_.cp > 1) {
            binding.peers[previous_in_ring] = decoder_.neighbour(rank, GridAxis::Context, -1);
            binding.peers[next_in_ring] = decoder_.neighbour(rank, GridAxis::Context, 1);
        }
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (const Rank member : groups[g].ranks) {
            bindings[member.index()].groups[static_cast<std::size_t>(groups[g].slot)] =
                static_cast<std::int32_t>(g);
        }
    }
    return bindings;
}

}  // namespace npunet::generators
