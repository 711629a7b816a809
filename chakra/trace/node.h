// One node of a Chakra execution trace in memory, and the names of its types.
//
//     chakra::Node node;
//     node.id = 1;
//     node.name = "grad_all_reduce";
//     node.type = NodeType::CommCollective;
//     node.set_integer("comm_type", static_cast<std::int64_t>(CollectiveType::AllReduce));
//     node.set_integer("comm_size", 1 << 20);
//
// The schema itself is chakra/et_def.proto (0.0.4); this struct holds what it can say, without
// Protobuf in the header. Read nodes with chakra/files/trace_reader.h, write them with
// chakra/files/trace_writer.h.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/attribute.h"

namespace npunet::chakra {

/// NodeType of schema 0.0.4.
enum class NodeType : std::int32_t {
    Invalid = 0,
    Metadata = 1,
    MemoryLoad = 2,
    MemoryStore = 3,
    Compute = 4,
    CommSend = 5,
    CommReceive = 6,
    CommCollective = 7
};

/// A message or a collective.
[[nodiscard]] constexpr bool is_communication(NodeType type) {
    return type == NodeType::CommSend || type == NodeType::CommReceive ||
           type == NodeType::CommCollective;
}

/// CollectiveCommType of schema 0.0.4.
enum class CollectiveType : std::int32_t {
    AllReduce = 0,
    Reduce = 1,
    AllGather = 2,
    Gather = 3,
    Scatter = 4,
    Broadcast = 5,
    AllToAll = 6,
    ReduceScatter = 7,
    ReduceScatterBlock = 8,
    Barrier = 9
};

/// The most bytes that a message, or a collective's largest buffer, may have.
constexpr std::int64_t largest_comm_size = std::int64_t{1} << 56;

/// "COMP_NODE", "COMM_COLL_NODE", ...: the schema's names; "UNKNOWN_NODE" for any other number.
[[nodiscard]] std::string_view name_of(NodeType type);
/// "ALL_REDUCE", ...: the schema's names; "UNKNOWN_COLLECTIVE" for any other number.
[[nodiscard]] std::string_view name_of(CollectiveType type);

/// The node type of this number; empty when schema 0.0.4 has none.
[[nodiscard]] std::optional<NodeType> node_type_from(std::int64_t number);
/// The collective of this number (attribute comm_type); empty when schema 0.0.4 has none.
[[nodiscard]] std::optional<CollectiveType> collective_type_from(std::int64_t number);

/// The tensors of an operator as its profiler printed them (Python notation, not JSON).
struct TensorText {
    std::string values;
    std::string shapes;
    std::string types;
    /// What else their message has, as on the wire.
    std::string rest{};
    /// Whether there is a message even if there is nothing in it.
    bool present = false;

    [[nodiscard]] bool empty() const { return values.empty() && shapes.empty() && types.empty(); }
};

inline bool operator==(const TensorText& a, const TensorText& b) {
    return a.values == b.values && a.shapes == b.shapes && a.types == b.types;
}

/// One node. Text is as in the file and need not be valid UTF-8.
struct Node {
    std::uint64_t id = 0;  ///< unique within one trace; need not start at 0
    std::string name;
    NodeType type = NodeType::Invalid;
    std::vector<std::uint64_t> ctrl_deps;  ///< ids of callers or of nodes that only come before
    std::vector<std::uint64_t> data_deps;  ///< ids of nodes that must have finished
    std::uint64_t start_time_micros = 0;
    std::uint64_t duration_micros = 0;
    TensorText inputs;
    TensorText outputs;
    std::vector<Attribute> attributes;  ///< in the order of the file; names need not be unique
    std::string rest{};                 ///< fields of later schemas, as on the wire

    /// The first attribute of this name; null when there is none.
    [[nodiscard]] const Attribute* find(std::string_view attribute) const;
    /// The attribute as an integer, whichever integer or boolean member holds it; empty when it is
    /// absent, holds something else, or is beyond 2^63 - 1.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view attribute) const;
    /// The attribute as text; empty when it is absent or holds something else. Valid until the
    /// node changes.
    [[nodiscard]] std::optional<std::string_view> text(std::string_view attribute) const;

    // Each sets the first attribute of this name, or appends one.
    void set_integer(std::string attribute, std::int64_t value);  ///< int64_val
    void set_bool(std::string attribute, bool value);             ///< bool_val
    void set_int32(std::string attribute, std::int32_t value);    ///< int32_val
    void set_text(std::string attribute, std::string value);      ///< string_val
    void set(std::string attribute, AttributeValue value);        ///< the member of value's type
};

[[nodiscard]] bool operator==(const Node& a, const Node& b);

}  // namespace npunet::chakra
