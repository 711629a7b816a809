// Nodes that wait for each other, in words. For the sources of chakra only.
//
//     cycle_text(cycle.size(), [&](std::size_t i) { return fmt::format("node {}", cycle[i]); });
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace npunet::chakra {

/// So many nodes of a cycle are named: one of a thousand is no better understood than its
/// beginning.
inline constexpr std::size_t most_named_nodes = 16;

/// "a cycle of 3 nodes: node 1 'a' waits for node 2 'b' waits for node 3 'c' waits for node 1 'a'".
/// `described(i)` describes node i of the cycle; `through` follows the number of nodes.
template <class Described>
[[nodiscard]] std::string cycle_text(std::size_t nodes, Described&& described,
                                     const char* through = "") {
    const std::string first = described(std::size_t{0});
    if (nodes == 1) {
        return fmt::format("a node that waits for itself{}: {}", through, first);
    }
    std::string text = fmt::format("a cycle of {} nodes{}: {}", nodes, through, first);
    const std::size_t named = std::min(nodes, most_named_nodes);
    for (std::size_t i = 1; i < named; ++i) {
        text += fmt::format(" waits for {}", described(i));
    }
    if (nodes > named) {
        text += fmt::format(" waits for {} more", nodes - named);
    }
    return text + fmt::format(" waits for {}", first);
}

}  // namespace npunet::chakra
