// Holds the frames of two nodes against each other without making nodes of them, which takes ten
// times as long. For the sources of this folder only.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace npunet::chakra {

/// AttributeProto messages that stand at the same place of two nodes.
struct DifferentAttribute {
    std::string_view known;
    std::string_view other;
};

/// Whether `other` holds the fields of `known` in the same order, with every id, its own and those
/// of dependencies, higher by `shift` (modulo 2^64), and attributes that may differ: those that do
/// are appended to `attributes`. False for anything that is no valid node, too.
[[nodiscard]] bool frames_alike(std::string_view known, std::string_view other, std::uint64_t shift,
                                std::vector<DifferentAttribute>& attributes);

}  // namespace npunet::chakra
