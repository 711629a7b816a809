#include "generators/workload.h"

#include <utility>

namespace npunet::generators {

namespace {

/// Turns the nodes of a role into those of one rank.
class RankNodes {
public:
    RankNodes(const Role& role, const RankBinding& binding, const std::vector<RankGroup>& groups,
              const AmountsOfRank& amounts, const TraceStyle& style, Rank rank)
        : role_(role),
          binding_(binding),
          groups_(groups),
          amounts_(amounts),
          style_(style),
          rank_(rank) {}

    [[nodiscard]] chakra::Node node(std::uint32_t position) const {
        const NodeTemplate& work = role_.nodes[position - 1];
        chakra::Node node;
        node.id = id_of(position);
        node.name = work.name;
        node.type = work.type;
        if (work.recorded_ns >= 0) {
            // Readers that know microseconds only get at least what is there.
            node.duration_micros = static_cast<std::uint64_t>((work.recorded_ns + 999) / 1000);
        }
        add_ids(node.data_deps, work.data_deps);
        add_ids(node.ctrl_deps, work.ctrl_deps);
        const RankAmounts amounts = work.varying < 0 ? RankAmounts{work.flops, work.bytes, {}}
                                                     : amounts_(rank_, work.varying);
        const TraceStyle::Attributes& attributes = attributes_of(work.type);
        node.attributes.reserve(attributes.size());
        for (const NodeAttribute attribute : attributes) {
            add(node, attribute, work, amounts);
        }
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

    [[nodiscard]] const TraceStyle::Attributes& attributes_of(chakra::NodeType type) const {
        switch (type) {
            case chakra::NodeType::Compute:
                return style_.compute;
            case chakra::NodeType::CommSend:
                return style_.send;
            case chakra::NodeType::CommReceive:
                return style_.receive;
            default:
                return style_.collective;
        }
    }

    void add(chakra::Node& node, NodeAttribute attribute, const NodeTemplate& work,
             const RankAmounts& amounts) const {
        const auto put = [&node](const char* name, chakra::AttributeValue value) {
            node.attributes.push_back({name, std::move(value)});
        };
        const auto slot = static_cast<std::size_t>(work.slot);
        const bool sends = work.type == chakra::NodeType::CommSend;
        switch (attribute) {
            case NodeAttribute::Inputs:
                add_tensors(node, "inputs", work, work.reads);
                break;
            case NodeAttribute::Outputs:
                add_tensors(node, "outputs", work, work.writes);
                break;
            case NodeAttribute::NumOps:
                if (work.recorded_ns < 0) {
                    put("num_ops", amounts.flops);
                } else {
                    put("duration_ns", work.recorded_ns);
                }
                break;
            case NodeAttribute::TensorSize:
                if (work.recorded_ns < 0) {
                    put("tensor_size", static_cast<std::uint64_t>(amounts.bytes));
                }
                break;
            case NodeAttribute::Kernel:
                if (work.recorded_ns < 0) {
                    add_kernel(node, work.varying < 0 ? kernel_of(work) : amounts.kernel);
                }
                break;
            case NodeAttribute::CommType:
                put("comm_type", static_cast<std::int64_t>(work.collective));
                break;
            case NodeAttribute::CommSize:
                put("comm_size", amounts.bytes);
                break;
            case NodeAttribute::CommSizes:
                if (!amounts.sizes.empty()) {
                    put("comm_sizes", amounts.sizes);
                }
                break;
            case NodeAttribute::Dtype:
                if (work.element != DataType::None) {
                    put("dtype", std::string(name_of(work.element)));
                }
                break;
            case NodeAttribute::PgName:
                put("pg_name", groups_[static_cast<std::size_t>(binding_.groups[slot])].id);
                break;
            case NodeAttribute::CommTag:
                put("comm_tag", binding_.first_tag + work.tag);
                break;
            case NodeAttribute::CommSrc:
                put("comm_src", (sends ? rank_ : binding_.peers[slot]).value());
                break;
            case NodeAttribute::CommDst:
                put("comm_dst", (sends ? binding_.peers[slot] : rank_).value());
                break;
            case NodeAttribute::IsCpuOp:
                if (style_.cpu_flag == CpuFlag::Bool) {
                    put("is_cpu_op", false);
                } else {
                    put("is_cpu_op", std::int32_t{0});
                }
                break;
        }
    }

    [[nodiscard]] KernelInfo kernel_of(const NodeTemplate& work) const {
        return work.kernel < 0 ? KernelInfo{}
                               : role_.kernels[static_cast<std::size_t>(work.kernel)];
    }

    void add_tensors(chakra::Node& node, const char* name, const NodeTemplate& work,
                     const std::vector<std::uint32_t>& uses) const {
        if (work.reads.empty() && work.writes.empty()) {
            return;
        }
        if (uses.empty() && style_.empty_lists == EmptyLists::NoValue) {
            node.attributes.push_back({name, std::monostate{}});
        } else {
            node.attributes.push_back({name, tensor_list(uses)});
        }
    }

    [[nodiscard]] std::vector<std::string> tensor_list(
        const std::vector<std::uint32_t>& uses) const {
        std::vector<std::string> list;
        list.reserve(2 * uses.size());
        for (const std::uint32_t index : uses) {
            const TensorTemplate& tensor = role_.tensors[index];
            list.push_back(tensor.name);
            list.push_back(tensor.size_text.empty() ? std::to_string(bytes_of(tensor))
                                                    : tensor.size_text);
        }
        return list;
    }

    [[nodiscard]] std::int64_t bytes_of(const TensorTemplate& tensor) const {
        return tensor.varying < 0 ? tensor.bytes : amounts_(rank_, tensor.varying).bytes;
    }

    const Role& role_;
    const RankBinding& binding_;
    const std::vector<RankGroup>& groups_;
    const AmountsOfRank& amounts_;
    const TraceStyle& style_;
    Rank rank_;
};

}  // namespace

GeneratedWorkload::GeneratedWorkload(std::vector<RankGroup> groups, std::vector<Role> roles,
                                     std::vector<RankBinding> ranks, AmountsOfRank amounts,
                                     TraceStyle style)
    : groups_(std::move(groups)),
      roles_(std::move(roles)),
      ranks_(std::move(ranks)),
      amounts_(std::move(amounts)),
      style_(std::move(style)) {}

std::int32_t GeneratedWorkload::rank_count() const {
    return static_cast<std::int32_t>(ranks_.size());
}

const Role& GeneratedWorkload::role_of(Rank rank) const {
    return roles_[static_cast<std::size_t>(binding(rank).role)];
}

void GeneratedWorkload::visit(Rank rank,
                              const std::function<void(const chakra::Node&)>& visitor) const {
    const Role& role = role_of(rank);
    const RankNodes nodes(role, binding(rank), groups_, amounts_, style_, rank);
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
