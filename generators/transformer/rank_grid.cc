#include "generators/transformer/rank_grid.h"

#include <string>

namespace npunet::generators {

namespace {

constexpr const char* slot_names[group_slots] = {"tensor", "context", "gradient", "embedding"};

}  // namespace

RankGrid::RankGrid(const ModelSpec& model, const Plan& plan)
    : plan_(plan), shared_embedding_(model.tied_embeddings && plan.pp > 1) {}

GridPosition RankGrid::position(Rank rank) const {
    std::int64_t rest = rank.value();
    GridPosition at;
    at.t = rest % plan_.tp;
    rest /= plan_.tp;
    at.c = rest % plan_.cp;
    rest /= plan_.cp;
    at.d = rest % plan_.dp;
    at.p = rest / plan_.dp;
    return at;
}

Rank RankGrid::rank(const GridPosition& at) const {
    return Rank(
        static_cast<std::int32_t>(at.t + plan_.tp * (at.c + plan_.cp * (at.d + plan_.dp * at.p))));
}

std::vector<std::int64_t> RankGrid::group_sizes() const {
    return {plan_.tp, plan_.cp, plan_.cp * plan_.dp, shared_embedding_ ? 2 : 1};
}

bool RankGrid::leads(std::int32_t slot, const GridPosition& at) const {
    switch (slot) {
        case tensor_group:
            return at.t == 0;
        case context_group:
            return at.c == 0;
        case gradient_group:
            return at.c == 0 && at.d == 0;
        default:
            return at.p == 0;
    }
}

std::vector<Rank> RankGrid::members(std::int32_t slot, const GridPosition& start) const {
    std::vector<Rank> ranks;
    GridPosition at = start;
    switch (slot) {
        case tensor_group:
            for (at.t = 0; at.t < plan_.tp; ++at.t) {
                ranks.push_back(rank(at));
            }
            break;
        case context_group:
            for (at.c = 0; at.c < plan_.cp; ++at.c) {
                ranks.push_back(rank(at));
            }
            break;
        case gradient_group:
            for (at.d = 0; at.d < plan_.dp; ++at.d) {
                for (at.c = 0; at.c < plan_.cp; ++at.c) {
                    ranks.push_back(rank(at));
                }
            }
            break;
        default:
            ranks.push_back(rank(at));
            at.p = plan_.pp - 1;
            ranks.push_back(rank(at));
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
            const GridPosition at = position(Rank(r));
            if (leads(slot, at)) {
                groups.push_back(
                    {std::to_string(groups.size() + 1), slot_names[slot], slot, members(slot, at)});
            }
        }
    }
    return groups;
}

std::vector<RankBinding> RankGrid::bindings(const std::vector<RankGroup>& groups) const {
    std::vector<RankBinding> bindings(static_cast<std::size_t>(plan_.world()));
    for (std::size_t r = 0; r < bindings.size(); ++r) {
        const GridPosition at = position(Rank(r));
        RankBinding& binding = bindings[r];
        binding.role = static_cast<std::int32_t>(at.p);
        binding.groups.assign(group_slots, -1);
        binding.peers.assign(peer_slots, Rank());
        GridPosition neighbour = at;
        // Several chunks a stage close the pipeline to a ring.
        const bool ring = plan_.vpp > 1;
        if (at.p > 0 || ring) {
            neighbour.p = (at.p + plan_.pp - 1) % plan_.pp;
            binding.peers[previous_stage] = rank(neighbour);
        }
        if (at.p + 1 < plan_.pp || ring) {
            neighbour.p = (at.p + 1) % plan_.pp;
            binding.peers[next_stage] = rank(neighbour);
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
