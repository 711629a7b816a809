#include "chakra/inspection/trace_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "chakra/files/node_frames.h"
#include "chakra/inspection/attribute_counts.h"
#include "chakra/trace/node.h"

namespace npunet::chakra {

namespace {

constexpr std::size_t shown_ids = 5;

/// The sum, or the end of the range that it passes.
std::int64_t added(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) {
        return sum;
    }
    return a > 0 ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}

std::int64_t as_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}

std::map<std::string, std::uint64_t> named(const std::map<std::int64_t, std::uint64_t>& counts) {
    std::map<std::string, std::uint64_t> result;
    for (const auto& [number, count] : counts) {
        const auto type = collective_type_from(number);
        result[type ? std::string(name_of(*type)) : fmt::format("type {}", number)] = count;
    }
    return result;
}

/// Adds up the nodes of a trace.
class Summing {
public:
    explicit Summing(TraceSummary& summary) : summary_(summary) {}

    void add(const NodeView& node);
    void finish();

private:
    struct OfType {
        std::uint64_t nodes = 0;
        std::uint64_t with_size = 0;
        std::int64_t comm_size = 0;
    };
    /// What is asked of the attributes of a node.
    struct Known {
        std::optional<std::int64_t> comm_type;
        std::optional<std::int64_t> comm_size;
        std::string_view group;
    };

    /// Attributes that are more than counted.
    enum class Role : std::uint8_t { None, CommSize, CommType, Group, Operations, TensorSize };
    [[nodiscard]] static Role role_of(std::string_view name);

    [[nodiscard]] Known look_at_attributes(const NodeView& node);
    void add_communication(const NodeView& node, const Known& known, OfType& of_type);
    void add_times(const NodeView& node);

    static constexpr std::size_t known_types = 8;

    TraceSummary& summary_;
    AttributeCounts attributes_;
    DependencyGraph graph_;
    std::array<OfType, known_types> types_{};
    std::map<std::int32_t, OfType> unknown_types_;
    std::vector<Role> roles_{Role::None};  // by the number of the attribute's kind
    std::map<std::int64_t, std::uint64_t> comm_types_;
    std::map<std::int64_t, std::uint64_t> collectives_;
    std::string last_name_;  // of last_group_
    TraceSummary::Group* last_group_ = nullptr;
};

Summing::Role Summing::role_of(std::string_view name) {
    return name == "comm_size"     ? Role::CommSize
           : name == "comm_type"   ? Role::CommType
           : name == "pg_name"     ? Role::Group
           : name == "num_ops"     ? Role::Operations
           : name == "tensor_size" ? Role::TensorSize
                                   : Role::None;
}

Summing::Known Summing::look_at_attributes(const NodeView& node) {
    Known known;
    attributes_.begin_node();
    for (AttributeCursor cursor = node.attributes(); cursor.next();) {
        const AttributeView& attribute = cursor.attribute();
        const std::size_t kind = attributes_.add(attribute);
        if (kind == roles_.size()) {
            roles_.push_back(role_of(attribute.name));
        }
        switch (roles_[kind]) {
            case Role::None:
                break;
            case Role::CommSize:
                known.comm_size = attribute.integer();
                break;
            case Role::CommType:
                known.comm_type = attribute.integer();
                break;
            case Role::Group:
                known.group = attribute.text().value_or("");
                break;
            case Role::Operations:
                summary_.num_ops = added(summary_.num_ops, attribute.integer().value_or(0));
                break;
            case Role::TensorSize:
                summary_.tensor_size = added(summary_.tensor_size, attribute.integer().value_or(0));
                break;
        }
    }
    return known;
}

void Summing::add_communication(const NodeView& node, const Known& known, OfType& of_type) {
    if (known.comm_size) {
        summary_.comm_size = added(summary_.comm_size, *known.comm_size);
        of_type.comm_size = added(of_type.comm_size, *known.comm_size);
        ++of_type.with_size;
    }
    if (known.comm_type) {
        ++comm_types_[*known.comm_type];
    }
    if (!is_communication(static_cast<NodeType>(node.type_number()))) {
        return;
    }
    if (known.comm_type &&
        node.type_number() == static_cast<std::int32_t>(NodeType::CommCollective)) {
        ++collectives_[*known.comm_type];
    }
    if (last_group_ == nullptr || last_name_ != known.group) {
        last_name_ = known.group;
        last_group_ = &summary_.groups[last_name_];
    }
    ++last_group_->nodes;
    last_group_->comm_size = added(last_group_->comm_size, known.comm_size.value_or(0));
}

void Summing::add_times(const NodeView& node) {
    summary_.duration_micros = added(summary_.duration_micros, as_signed(node.duration_micros()));
    const std::uint64_t start = node.start_time_micros();
    if (start != 0) {
        summary_.first_start_micros =
            summary_.first_start_micros == 0 ? start : std::min(summary_.first_start_micros, start);
        const std::uint64_t end = start + node.duration_micros();
        summary_.last_end_micros = std::max(summary_.last_end_micros, std::max(start, end));
    }
}

void Summing::add(const NodeView& node) {
    const std::uint64_t id = node.id();
    summary_.lowest_id = summary_.nodes == 0 ? id : std::min(summary_.lowest_id, id);
    summary_.highest_id = std::max(summary_.highest_id, id);
    ++summary_.nodes;
    if (summary_.first_ids.size() < shown_ids) {
        summary_.first_ids.push_back(id);
    }
    const auto number = static_cast<std::size_t>(node.type_number());
    OfType& of_type = number < known_types ? types_[number] : unknown_types_[node.type_number()];
    ++of_type.nodes;
    const Known known = look_at_attributes(node);
    if (known.comm_size || known.comm_type ||
        is_communication(static_cast<NodeType>(node.type_number()))) {
        add_communication(node, known, of_type);
    }
    add_times(node);
    graph_.add(id, node.data_deps().data(), node.data_deps().size(), node.ctrl_deps().data(),
               node.ctrl_deps().size());
}

void Summing::finish() {
    const auto take = [&](const std::string& name, const OfType& of_type) {
        if (of_type.nodes != 0) {
            summary_.nodes_by_type[name] = of_type.nodes;
        }
        if (of_type.with_size != 0) {
            summary_.comm_size_by_type[name] = of_type.comm_size;
        }
    };
    for (std::size_t number = 0; number < known_types; ++number) {
        take(std::string(name_of(static_cast<NodeType>(number))), types_[number]);
    }
    for (const auto& [number, of_type] : unknown_types_) {
        take(fmt::format("type {}", number), of_type);
    }
    summary_.comm_types = named(comm_types_);
    summary_.collectives = named(collectives_);
    summary_.attributes = attributes_.counts();
    graph_.resolve();
    summary_.unique_ids = summary_.nodes - graph_.index().duplicates().size();
    summary_.data_deps = graph_.counts(DependencyKind::Data);
    summary_.ctrl_deps = graph_.counts(DependencyKind::Ctrl);
    summary_.acyclic = graph_.acyclic(FollowedDeps::Data);
    summary_.acyclic_with_ctrl =
        summary_.ctrl_deps.all == 0 ? summary_.acyclic : graph_.acyclic(FollowedDeps::DataAndCtrl);
}

}  // namespace

TraceSummary summarize_trace(const std::filesystem::path& path, const ReadOptions& options) {
    TraceSummary summary;
    NodeFrames nodes(path, options);
    summary.format = nodes.format();
    summary.metadata = nodes.metadata();
    summary.metadata_bytes = nodes.metadata_bytes();
    Summing summing(summary);
    try {
        while (nodes.next()) {
            summing.add(nodes.view());
            summary.longest_node_bytes =
                std::max<std::uint64_t>(summary.longest_node_bytes, nodes.frame_bytes());
        }
    } catch (const InputError& error) {
        summary.problem = error.problem();
    }
    summing.finish();
    summary.bytes = nodes.bytes_read();
    return summary;
}

}  // namespace npunet::chakra
