#include "generators/megatron/program/rank_calls.h"

#include <cstddef>

namespace npunet::generators::megatron {

namespace {

/// The member `steps` further in the group, round its end.
Rank neighbour(const std::vector<Rank>& group, Rank rank, std::ptrdiff_t steps) {
    const auto size = static_cast<std::ptrdiff_t>(group.size());
    std::ptrdiff_t place = 0;
    while (group[static_cast<std::size_t>(place)] != rank) {
        ++place;
    }
    return group[static_cast<std::size_t>(((place + steps) % size + size) % size)];
}

}  // namespace

RankCalls::RankCalls(const ProcessGroups& groups, GroupTable& table) : groups_(groups) {
    const auto ranks = static_cast<std::size_t>(groups.world());
    for (std::size_t role = 0; role < group_roles; ++role) {
        numbers_[role].assign(ranks, -1);
        for (const std::vector<Rank>& members : groups.all(static_cast<GroupRole>(role))) {
            const std::int32_t number = table.add(members);
            for (const Rank rank : members) {
                numbers_[role][rank.index()] = number;
            }
        }
    }
}

Call RankCalls::of(const ProgramItem& item, Rank rank) const {
    Call call = item.call;
    call.group = item.has_group ? group(item.group, rank) : -1;
    call.peer = peer(item.peer, rank);
    return call;
}

std::int32_t RankCalls::group(GroupRole role, Rank rank) const {
    return numbers_[static_cast<std::size_t>(role)][rank.index()];
}

Rank RankCalls::peer(PeerRole role, Rank rank) const {
    switch (role) {
        case PeerRole::None:
            return {};
        case PeerRole::PreviousStage:
            return neighbour(groups_.of(GroupRole::Pipeline, rank), rank, -1);
        case PeerRole::NextStage:
            return neighbour(groups_.of(GroupRole::Pipeline, rank), rank, 1);
        case PeerRole::PreviousInRing:
            return neighbour(groups_.of(GroupRole::Context, rank), rank, -1);
        case PeerRole::NextInRing:
            return neighbour(groups_.of(GroupRole::Context, rank), rank, 1);
        case PeerRole::FirstOfTensor:
            return groups_.of(GroupRole::Tensor, rank).front();
        case PeerRole::FirstOfWorld:
            break;
    }
    return Rank(0);
}

}  // namespace npunet::generators::megatron
