// The numbers that collectives and node types had in the schemas before 0.0.4. For the sources of
// this folder only.
#pragma once

#include <cstdint>
#include <optional>

#include "chakra/node.h"
#include "chakra/schema.h"

namespace npunet::chakra {

/// The collective of this number; empty where the schema has none. 0.0.1 counts from 1, its 0 means
/// none; 0.0.3d is the first with a broadcast.
[[nodiscard]] std::optional<CollectiveType> older_collective(Schema schema, std::uint64_t number);

/// The number in schema 0.0.1; empty for a collective that it does not have.
[[nodiscard]] std::optional<std::int32_t> number_in_0_0_1(CollectiveType type);

/// The node type of this number: 0.0.1 and 0.0.2 have no METADATA. Empty where the schema has none.
[[nodiscard]] std::optional<NodeType> older_node_type(Schema schema, std::int64_t number);

}  // namespace npunet::chakra
