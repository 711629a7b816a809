// Splits a network into parts, one for each process that simulates it: few links between parts, and
// none without latency, as what happens at one end of such a link is felt at the other at once.
//
//     const std::vector<std::uint32_t> parts = partition_graph(network.graph, 4);
//     parts[node.index()];                                     // 0 to 3
//
// Pure functions of the graph, so that every process finds the same.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/graph.h"

namespace npunet::topology {

/// By node. NPUs of neighbouring numbers are together, as many in each part as possible: slabs of
/// the last dimension of a product, pods of a fat tree. `count` is at least 1; where links without
/// latency keep NPUs together, parts may be empty.
[[nodiscard]] std::vector<std::uint32_t> partition_graph(const Graph& graph, std::uint32_t count);

/// By node, where the parts of the NPUs are given. A switch is in the part of most of its
/// neighbours whose parts are known, of those of equal claim in the one that has fewest switches;
/// NPUs know theirs first, then those around. A switch that links without latency join to an NPU is
/// with it.
[[nodiscard]] std::vector<std::uint32_t> partition_with_switches(
    const Graph& graph, const std::vector<std::uint32_t>& of_npus);

}  // namespace npunet::topology
