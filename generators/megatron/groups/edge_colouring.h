// Colours the edges of a bipartite multigraph so that each vertex has each colour equally often.
//
//     // edges 0 and 1 join left 0 with right 0 and 1; edges 2 and 3 left 1 with the same
//     equitable_colours({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, 2);   // 0, 1, 1, 0
//
// Vertices with more edges than colours are split into copies with as many edges as colours, the
// last with the rest; then no copy has more edges than there are colours, and Koenig's alternating
// paths (1916) give each of its edges a colour of its own.
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::generators::megatron {

struct BipartiteEdge {
    std::int32_t left;   ///< from 0
    std::int32_t right;  ///< from 0
};

/// A colour from 0 to colours - 1 for each edge: a vertex with d edges has each colour floor(d /
/// colours) times at least. The same edges give the same colours.
[[nodiscard]] std::vector<std::int32_t> equitable_colours(const std::vector<BipartiteEdge>& edges,
                                                          std::int32_t colours);

}  // namespace npunet::generators::megatron
