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
// Protobuf in the header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

/// "COMP_NODE", "COMM_COLL_NODE", ...: the schema's names.
[[nodiscard]] std::string_view name_of(NodeType type);
/// "ALL_REDUCE", ...: the schema's names.
[[nodiscard]] std::string_view name_of(CollectiveType type);

/// An attribute's value: the members of the schema's oneof that occur, by their C++ types. The
/// monostate is an attribute without a value, which real traces contain.
using AttributeValue =
    std::variant<std::monostate, bool, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t,
                 float, double, std::string, std::vector<std::int64_t>, std::vector<std::string>,
                 std::vector<bool>>;

struct Attribute {
    std::string name;
    AttributeValue value;
};

struct Node {
    std::uint64_t id = 0;
    std::string name;
    NodeType type = NodeType::Invalid;
    std::vector<std::uint64_t> ctrl_deps;
    std::vector<std::uint64_t> data_deps;
    std::uint64_t start_time_micros = 0;
    std::uint64_t duration_micros = 0;
    std::vector<Attribute> attributes;

    [[nodiscard]] const Attribute* find(std::string_view attribute) const;
    /// The attribute as an integer, whichever integer or boolean member holds it; empty when it is
    /// absent or holds something else.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view attribute) const;
    /// The attribute as text; empty when it is absent or holds something else.
    [[nodiscard]] std::optional<std::string_view> text(std::string_view attribute) const;

    void set_integer(std::string attribute, std::int64_t value);  ///< int64_val
    void set_bool(std::string attribute, bool value);             ///< bool_val
    void set_int32(std::string attribute, std::int32_t value);    ///< int32_val
    void set_text(std::string attribute, std::string value);      ///< string_val
};

}  // namespace npunet::chakra
