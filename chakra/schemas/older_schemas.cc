#include "chakra/schemas/older_schemas.h"

#include <algorithm>
#include <array>

namespace npunet::chakra {

namespace {

/// In the order of their numbers in all older schemas; the last since 0.0.3d.
constexpr std::array<CollectiveType, 5> collectives{
    CollectiveType::AllReduce, CollectiveType::AllToAll, CollectiveType::AllGather,
    CollectiveType::ReduceScatter, CollectiveType::Broadcast};

constexpr std::size_t collectives_before_0_0_3d = 4;

}  // namespace

std::optional<CollectiveType> older_collective(Schema schema, std::uint64_t number) {
    const std::uint64_t first = schema == Schema::V0_0_1 ? 1 : 0;
    const std::size_t count =
        schema >= Schema::V0_0_3d ? collectives.size() : collectives_before_0_0_3d;
    if (number < first || number - first >= count) {
        return std::nullopt;
    }
    return collectives[number - first];
}

std::optional<std::int32_t> number_in_0_0_1(CollectiveType type) {
    const auto end = collectives.begin() + collectives_before_0_0_3d;
    const auto found = std::find(collectives.begin(), end, type);
    if (found == end) {
        return std::nullopt;
    }
    return static_cast<std::int32_t>(found - collectives.begin()) + 1;
}

std::optional<NodeType> older_node_type(Schema schema, std::int64_t number) {
    const bool without_metadata = schema <= Schema::V0_0_2;
    return node_type_from(without_metadata && number > 0 ? number + 1 : number);
}

}  // namespace npunet::chakra
