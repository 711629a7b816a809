#include "chakra/trace/node.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

namespace npunet::chakra {

namespace {

constexpr std::array<std::string_view, 8> node_type_names{
    "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
    "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};

constexpr std::array<std::string_view, 10> collective_type_names{
    "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
    "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};

/// The number as an index of `names`; names.size() when it is none.
template <class Names>
std::size_t index_in(const Names& names, std::int64_t number) {
    const bool known = number >= 0 && number < static_cast<std::int64_t>(names.size());
    return known ? static_cast<std::size_t>(number) : names.size();
}

}  // namespace

std::string_view name_of(NodeType type) {
    const std::size_t index = index_in(node_type_names, static_cast<std::int64_t>(type));
    return index < node_type_names.size() ? node_type_names[index] : "UNKNOWN_NODE";
}

std::string_view name_of(CollectiveType type) {
    const std::size_t index = index_in(collective_type_names, static_cast<std::int64_t>(type));
    return index < collective_type_names.size() ? collective_type_names[index]
                                                : "UNKNOWN_COLLECTIVE";
}

std::optional<NodeType> node_type_from(std::int64_t number) {
    if (index_in(node_type_names, number) == node_type_names.size()) {
        return std::nullopt;
    }
    return static_cast<NodeType>(number);
}

std::optional<CollectiveType> collective_type_from(std::int64_t number) {
    if (index_in(collective_type_names, number) == collective_type_names.size()) {
        return std::nullopt;
    }
    return static_cast<CollectiveType>(number);
}

const Attribute* Node::find(std::string_view attribute) const {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const Attribute& a) { return a.name == attribute; });
    return found == attributes.end() ? nullptr : &*found;
}

std::optional<std::int64_t> Node::integer(std::string_view attribute) const {
    const Attribute* found = find(attribute);
    if (found == nullptr) {
        return std::nullopt;
    }
    return std::visit(
        [](const auto& value) -> std::optional<std::int64_t> {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::uint64_t>) {
                if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                    return std::nullopt;
                }
            }
            if constexpr (std::is_integral_v<Value>) {
                return static_cast<std::int64_t>(value);
            } else {
                return std::nullopt;
            }
        },
        found->value);
}

std::optional<std::string_view> Node::text(std::string_view attribute) const {
    const Attribute* found = find(attribute);
    if (found == nullptr) {
        return std::nullopt;
    }
    const auto* value = std::get_if<std::string>(&found->value);
    return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
}

void Node::set_integer(std::string attribute, std::int64_t value) {
    set(std::move(attribute), AttributeValue(value));
}

void Node::set_bool(std::string attribute, bool value) {
    set(std::move(attribute), AttributeValue(value));
}

void Node::set_int32(std::string attribute, std::int32_t value) {
    set(std::move(attribute), AttributeValue(value));
}

void Node::set_text(std::string attribute, std::string value) {
    set(std::move(attribute), AttributeValue(std::move(value)));
}

void Node::set(std::string attribute, AttributeValue value) {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const Attribute& a) { return a.name == attribute; });
    if (found != attributes.end()) {
        found->value = std::move(value);
    } else {
        attributes.push_back({std::move(attribute), std::move(value)});
    }
}

bool operator==(const Node& a, const Node& b) {
    return a.id == b.id && a.name == b.name && a.type == b.type && a.ctrl_deps == b.ctrl_deps &&
           a.data_deps == b.data_deps && a.start_time_micros == b.start_time_micros &&
           a.duration_micros == b.duration_micros && a.inputs == b.inputs &&
           a.outputs == b.outputs && a.attributes == b.attributes;
}

}  // namespace npunet::chakra
