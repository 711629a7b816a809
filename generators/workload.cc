#include "generators/workload.h"

#include <utility>

namespace npunet::generators {

namespace {

void add_point_to_point(chakra::Node& node, const NodeTemplate& work, Rank self, Rank peer) {
    const bool sends = work.type == chakra::NodeType::CommSend;
    node.set_integer("comm_size", work.bytes);
    node.set_int32("comm_tag", work.tag);
    node.set_int32("comm_src", sends ? self.value() : peer.value());
    node.set_int32("comm_dst", sends ? peer.value() : self.value());
}

}  // namespace

GeneratedWorkload::GeneratedWorkload(std::vector<RankGroup> groups, std::vector<Role> roles,
                                     std::vector<RankBinding> ranks)
    : groups_(std::move(groups)), roles_(std::move(roles)), ranks_(std::move(ranks)) {}

std::int32_t GeneratedWorkload::rank_count() const {
    return static_cast<std::int32_t>(ranks_.size());
}

const Role& GeneratedWorkload::role_of(Rank rank) const {
    return roles_[static_cast<std::size_t>(binding(rank).role)];
}

void GeneratedWorkload::visit(Rank rank,
                              const std::function<void(const chakra::Node&)>& visitor) const {
    const RankBinding& bound = binding(rank);
    std::uint64_t id = 0;
    for (const NodeTemplate& work : role_of(rank).nodes) {
        const auto slot = static_cast<std::size_t>(work.slot);
        chakra::Node node;
        node.id = ++id;
        node.name = work.name;
        node.type = work.type;
        node.data_deps.assign(work.data_deps.begin(), work.data_deps.end());
        if (work.type == chakra::NodeType::Compute) {
            node.set_integer("num_ops", work.flops);
            node.attributes.push_back({"tensor_size", static_cast<std::uint64_t>(work.bytes)});
        } else if (work.type == chakra::NodeType::CommCollective) {
            node.set_integer("comm_type", static_cast<std::int64_t>(work.collective));
            node.set_integer("comm_size", work.bytes);
            node.set_text("pg_name", groups_[static_cast<std::size_t>(bound.groups[slot])].id);
        } else {
            add_point_to_point(node, work, rank, bound.peers[slot]);
        }
        node.set_bool("is_cpu_op", false);
        visitor(node);
    }
}

std::vector<chakra::Node> GeneratedWorkload::nodes(Rank rank) const {
    std::vector<chakra::Node> nodes;
    nodes.reserve(role_of(rank).nodes.size());
    visit(rank, [&nodes](const chakra::Node& node) { nodes.push_back(node); });
    return nodes;
}

}  // namespace npunet::generators
