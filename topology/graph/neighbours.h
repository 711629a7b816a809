// Which nodes are linked with which, parallel links counting as one.
//
//     const Neighbours neighbours = neighbours_of(graph);
//     for (const Neighbour& next : neighbours[node.index()]) { ... }
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "topology/graph/graph.h"

namespace npunet::topology {

struct Neighbour {
    std::int32_t node = 0;
    std::int64_t rate = 0;     ///< bytes per second of all parallel links
    std::int64_t latency = 0;  ///< ps, the largest of theirs

    [[nodiscard]] bool same_speed(const Neighbour& other) const {
        return rate == other.rate && latency == other.latency;
    }
};

/// By node, each list in ascending order of the neighbours.
using Neighbours = std::vector<std::vector<Neighbour>>;

/// a + b, capped at a quarter of the range so that sums of two never overflow; neither is negative.
[[nodiscard]] constexpr std::int64_t capped_rate_sum(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
    return a > most - b ? most : a + b;
}

/// The nodes that a link leads to.
[[nodiscard]] Neighbours neighbours_of(const Graph& graph);

/// Of those only the ones that a link leads back from, with the lower rate and the larger latency
/// of the two directions.
[[nodiscard]] Neighbours mutual_neighbours(const Neighbours& neighbours);

/// Sorts a list and makes one entry of those with the same node.
void merge_neighbours(std::vector<Neighbour>& list);

/// The entry of a node in such a list, or null.
[[nodiscard]] const Neighbour* find_neighbour(const std::vector<Neighbour>& list,
                                              std::int32_t node);

}  // namespace npunet::topology
