#include "generators/megatron/groups/model_replicas.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "generators/megatron/groups/edge_colouring.h"

namespace npunet::generators::megatron {

namespace {

/// What a rank of the first stage is in the groups of a role: which group, and which member.
struct Place {
    std::int32_t group;
    std::int32_t member;
};

/// By the first ranks of pipelines, in their order.
std::vector<Place> places(const ProcessGroups& groups, GroupRole role) {
    std::vector<Place> by_rank(static_cast<std::size_t>(groups.world()));
    std::int32_t number = 0;
    for (const std::vector<Rank>& group : groups.all(role)) {
        if (groups.stage(group.front()) != 0) {
            continue;
        }
        for (std::size_t i = 0; i < group.size(); ++i) {
            by_rank[group[i].index()] = {number, static_cast<std::int32_t>(i)};
        }
        ++number;
    }
    std::vector<Place> found;
    for (const std::vector<Rank>& pipeline : groups.all(GroupRole::Pipeline)) {
        found.push_back(by_rank[pipeline.front().index()]);
    }
    return found;
}

std::vector<std::int32_t> members(const std::vector<Place>& places) {
    std::vector<std::int32_t> members;
    for (const Place& place : places) {
        members.push_back(place.member);
    }
    return members;
}

/// Whether the pipelines of each replica are in all the groups.
bool all_whole(const std::vector<std::int32_t>& replica, std::int64_t replicas,
               const std::vector<Place>& places) {
    std::int32_t groups = 0;
    for (const Place& place : places) {
        groups = std::max(groups, place.group + 1);
    }
    std::vector<bool> there(static_cast<std::size_t>(groups) * static_cast<std::size_t>(replicas));
    for (std::size_t i = 0; i < replica.size(); ++i) {
        there[static_cast<std::size_t>(replica[i]) * static_cast<std::size_t>(groups) +
              static_cast<std::size_t>(places[i].group)] = true;
    }
    return std::find(there.begin(), there.end(), false) == there.end();
}

std::vector<std::int32_t> coloured(const std::vector<Place>& dense,
                                   const std::vector<Place>& experts, std::int64_t replicas) {
    std::vector<BipartiteEdge> edges;
    for (std::size_t i = 0; i < dense.size(); ++i) {
        edges.push_back({dense[i].group, experts[i].group});
    }
    return equitable_colours(edges, static_cast<std::int32_t>(replicas));
}

/// The replica of each pipeline.
std::vector<std::int32_t> replica_of_pipelines(const ProcessGroups& groups, std::int64_t replicas) {
    const std::vector<Place> dense = places(groups, GroupRole::Data);
    const std::vector<Place> experts = places(groups, GroupRole::ExpertData);
    const auto copies = static_cast<std::int64_t>(groups.all(GroupRole::Data).front().size());
    const auto expert_copies =
        static_cast<std::int64_t>(groups.all(GroupRole::ExpertData).front().size());
    const std::vector<std::int32_t> by_data = members(dense);
    if (copies == replicas && all_whole(by_data, replicas, experts)) {
        return by_data;
    }
    const std::vector<std::int32_t> by_expert_data = members(experts);
    if (expert_copies == replicas && all_whole(by_expert_data, replicas, dense)) {
        return by_expert_data;
    }
    return coloured(dense, experts, replicas);
}

RankLists in_order(RankLists lists) {
    for (std::vector<Rank>& list : lists) {
        std::sort(list.begin(), list.end());
    }
    std::sort(lists.begin(), lists.end());
    return lists;
}

}  // namespace

RankLists full_replicas(const ProcessGroups& groups) {
    const std::size_t replicas = std::min(groups.all(GroupRole::Data).front().size(),
                                          groups.all(GroupRole::ExpertData).front().size());
    const std::vector<std::int32_t> replica =
        replica_of_pipelines(groups, static_cast<std::int64_t>(replicas));
    const RankLists& pipelines = groups.all(GroupRole::Pipeline);
    RankLists lists(replicas);
    for (std::size_t i = 0; i < pipelines.size(); ++i) {
        std::vector<Rank>& list = lists[static_cast<std::size_t>(replica[i])];
        list.insert(list.end(), pipelines[i].begin(), pipelines[i].end());
    }
    return in_order(std::move(lists));
}

RankLists traceviz_replicas(const Parallelism& p) {
    const std::int64_t stride = p.ep > 1 ? p.expert_tensor() * p.ep : p.tp * p.cp;
    const std::int64_t replicas = p.world() / (stride * p.pp);
    RankLists lists(static_cast<std::size_t>(replicas));
    for (std::int64_t rank = 0; rank < p.world(); ++rank) {
        lists[static_cast<std::size_t>(rank / stride % replicas)].emplace_back(
            static_cast<std::int32_t>(rank));
    }
    return lists;
}

}  // namespace npunet::generators::megatron
