#include "generators/megatron/groups/process_groups.h"

#include <utility>

namespace npunet::generators::megatron {

namespace {

using Lists = std::vector<SetUpGroup>;

void add_all(Lists& lists, const ProcessGroups& groups, GroupRole role) {
    for (const std::vector<Rank>& ranks : groups.all(role)) {
        lists.push_back({ranks, false});
    }
}

/// Gradients are also exchanged between hosts: each group once more, over gloo.
void add_with_gloo(Lists& lists, const ProcessGroups& groups, GroupRole role) {
    for (const std::vector<Rank>& ranks : groups.all(role)) {
        lists.push_back({ranks, false});
        lists.push_back({ranks, true});
    }
}

void add_pipelines(Lists& lists, const ProcessGroups& groups) {
    for (const std::vector<Rank>& pipeline : groups.all(GroupRole::Pipeline)) {
        lists.push_back({pipeline, false});
        lists.push_back({groups.of(GroupRole::Embedding, pipeline.front()), false});
        lists.push_back({groups.of(GroupRole::PositionEmbedding, pipeline.front()), false});
    }
}

/// All ranks of all replicas of the experts, replica by replica.
void add_replicas(Lists& lists, const ProcessGroups& groups) {
    std::vector<Rank> all;
    for (const std::vector<Rank>& replica : groups.all(GroupRole::TensorExpertPipeline)) {
        all.insert(all.end(), replica.begin(), replica.end());
    }
    lists.push_back({std::move(all), false});
}

}  // namespace

std::vector<SetUpGroup> genstack_set_up_groups(const ProcessGroups& groups) {
    Lists lists;
    add_with_gloo(lists, groups, GroupRole::Data);
    add_with_gloo(lists, groups, GroupRole::DataContext);
    add_all(lists, groups, GroupRole::Context);
    add_all(lists, groups, GroupRole::Model);
    add_all(lists, groups, GroupRole::Tensor);
    add_pipelines(lists, groups);
    add_all(lists, groups, GroupRole::TensorDataContext);
    add_all(lists, groups, GroupRole::TensorData);
    add_all(lists, groups, GroupRole::TensorContext);
    add_all(lists, groups, GroupRole::Expert);
    add_all(lists, groups, GroupRole::ExpertTensor);
    add_all(lists, groups, GroupRole::TensorExpert);
    add_all(lists, groups, GroupRole::TensorExpertPipeline);
    add_with_gloo(lists, groups, GroupRole::ExpertData);
    add_replicas(lists, groups);
    return lists;
}

std::vector<GroupRole> own_set_up_groups(const ProcessGroups& groups, Rank rank) {
    std::vector<GroupRole> roles;
    for (std::size_t number = 0; number < group_roles; ++number) {
        const auto role = static_cast<GroupRole>(number);
        if (role != GroupRole::World && groups.of(role, rank).size() > 1) {
            roles.push_back(role);
        }
    }
    return roles;
}

}  // namespace npunet::generators::megatron
