#include "generators/workload.h"

#include <utility>

namespace npunet::generators {

namespace {

void add_point_to_point(chakra::Node& node, const NodeTemplate& work, Rank self, Rank peer,
                        std::int32_t first_tag) {
    const bool sends = work.type == chakra::NodeType::CommSend;
    node.set_integer("comm_size", work.bytes);
    node.set_int32("comm_tag", first_tag + work.tag);
    node.set_int32("comm_src", sends ? self.value() : peer.value());
    node.set_int32("comm_dst", sends ? peer.value() : self.value());
}

std::vector<std::string> tensor_list(const std::vector<std::uint32_t>& uses,
                                     const std::vector<TensorTemplate>& tensors) {
    std::vector<std::string> list;
    for (const std::uint32_t index : uses) {
        list.push_back(tensors[index].name);
        list.push_back(std::to_string(tensors[index].bytes));
    }
    return list;
}

/// Turns the nodes of a role into those of one rank.
class RankNodes {
public:
    RankNodes(const Role& role, const RankBinding& binding, const std::vector<RankGroup>& groups,
              const AmountsOfRank& amounts, Rank rank)
        : role_(role), binding_(binding), groups_(groups), amounts_(amounts), rank_(rank) {}

    [[nodiscard]] chakra::Node node(std::uint32_t position) const {
        const NodeTemplate& work = role_.nodes[position - 1];
        chakra::Node node;
        node.id = id_of(position);
        node.name = work.name;
        node.type = work.type;
        add_ids(node.data_deps, work.data_deps);
        add_ids(node.ctrl_deps, work.ctrl_deps);
        if (!work.reads.empty() || !work.writes.empty()) {
            node.attributes.push_back({"inputs", tensor_list(work.reads, role_.tensors)});
            node.attributes.push_back({"outputs", tensor_list(work.writes, role_.tensors)});
        }
        add_work(node, work);
        node.set_bool("is_cpu_op", false);
        return node;
    }

private:
    [[nodiscard]] std::uint64_t id_of(std::uint32_t position) const {
        const NodeTemplate& work = role_.nodes[position - 1];
        const std::uint64_t first =
            work.id_space == IdSpace::Rank ? binding_.first_id : binding_.first_message_id;
        return first + (work.id == 0 ? position : work.id);
    }

    void add_ids(std::vector<std::uint64_t>& ids,
                 const std::vector<std::uint32_t>& positions) const {
        for (const std::uint32_t position : positions) {
            ids.push_back(id_of(position));
        }
    }

    void add_work(chakra::Node& node, const NodeTemplate& work) const {
        const auto slot = static_cast<std::size_t>(work.slot);
        const RankAmounts amounts = work.varying < 0 ? RankAmounts{work.flops, work.bytes, {}}
                                                     : amounts_(rank_, work.varying);
        if (work.recorded_ns >= 0) {
            // Readers that know microseconds only get at least what is there.
            node.duration_micros = static_cast<std::uint64_t>((work.recorded_ns + 999) / 1000);
            node.set_integer("duration_ns", work.recorded_ns);
        } else if (work.type == chakra::NodeType::Compute) {
            node.set_integer("num_ops", amounts.flops);
            node.attributes.push_back({"tensor_size", static_cast<std::uint64_t>(amounts.bytes)});
        } else if (work.type == chakra::NodeType::CommCollective) {
            node.set_integer("comm_type", static_cast<std::int64_t>(work.collective));
            node.set_integer("comm_size", amounts.bytes);
            if (!amounts.sizes.empty()) {
                node.attributes.push_back({"comm_sizes", amounts.sizes});
            }
            node.set_text("pg_name", groups_[static_cast<std::size_t>(binding_.groups[slot])].id);
        } else {
            add_point_to_point(node, work, rank_, binding_.peers[slot], binding_.first_tag);
        }
    }

    const Role& role_;
    const RankBinding& binding_;
    const std::vector<RankGroup>& groups_;
    const AmountsOfRank& amounts_;
    Rank rank_;
};

}  // namespace

GeneratedWorkload::GeneratedWorkload(std::vector<RankGroup> groups, std::vector<Role> roles,
                                     std::vector<RankBinding> ranks, AmountsOfRank amounts)
    : groups_(std::move(groups)),
      roles_(std::move(roles)),
      ranks_(std::move(ranks)),
      amounts_(std::move(amounts)) {}

std::int32_t GeneratedWorkload::rank_count() const {
    return static_cast<std::int32_t>(ranks_.size());
}

const Role& GeneratedWorkload::role_of(Rank rank) const {
    return roles_[static_cast<std::size_t>(binding(rank).role)];
}

void GeneratedWorkload::visit(Rank rank,
                              const std::function<void(const chakra::Node&)>& visitor) const {
    const Role& role = role_of(rank);
    const RankNodes nodes(role, binding(rank), groups_, amounts_, rank);
    for (std::uint32_t position = 1; position <= role.nodes.size(); ++position) {
        visitor(nodes.node(position));
    }
}

std::vector<chakra::Node> GeneratedWorkload::nodes(Rank rank) const {
    std::vector<chakra::Node> nodes;
    nodes.reserve(role_of(rank).nodes.size());
    visit(rank, [&nodes](const chakra::Node& node) { nodes.push_back(node); });
    return nodes;
}

}  // namespace npunet::generators
