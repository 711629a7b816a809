// What the schemas before 0.0.4, which will not change any more, have otherwise: numbers of
// collectives and node types. For the sources of chakra only.
#pragma once

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "chakra/trace/node.h"
#include "chakra/trace/schema.h"

namespace npunet::chakra {

/// The collective of this number; empty where the schema has none. 0.0.1 counts from 1, its 0 means
/// none; 0.0.3d is the first with a broadcast.
[[nodiscard]] std::optional<CollectiveType> older_collective(Schema schema, std::uint64_t number);

/// The number in schema 0.0.1; empty for a collective that it does not have.
[[nodiscard]] std::optional<std::int32_t> number_in_0_0_1(CollectiveType type);

/// The node type of this number: 0.0.1 and 0.0.2 have no METADATA. Empty where the schema has none.
[[nodiscard]] std::optional<NodeType> older_node_type(Schema schema, std::int64_t number);

/// Parses a message of such a schema. False, with what was found in `error`, for bytes that are no
/// such message, and for a field that the schema does not have: the file is of another one then.
template <class Message>
[[nodiscard]] bool parse_older(std::string_view bytes, Message& message, std::string& error) {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        error = fmt::format("{} bytes that are no message", bytes.size());
        return false;
    }
    const auto& unknown = message.GetReflection()->GetUnknownFields(message);
    if (!unknown.empty()) {
        error = fmt::format("field {}", unknown.field(0).number());
        return false;
    }
    return true;
}

}  // namespace npunet::chakra
