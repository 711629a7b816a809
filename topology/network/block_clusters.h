// The clusters that blocks of NPUs form: what may be the blocks of the next tier
// (topology/network/find_tiers.h says which).
//
//     const std::vector<Cluster> clusters = clusters_of_blocks(blocks);
//
// C++17-clean.
#pragma once

#include <vector>

#include "topology/graph/clusters.h"
#include "topology/network/npu_blocks.h"

namespace npunet::topology {

/// With different members each, which may overlap. The kinds: "leaf" and "pod" below a switch, of
/// NPUs or larger blocks; "group" below switches that are pairwise linked; "rail"; "server" and
/// "group" of pairwise linked NPUs or larger blocks.
[[nodiscard]] std::vector<Cluster> clusters_of_blocks(const NpuBlocks& blocks);

/// Whether all networks of switches between the blocks are rails: each reaches more than half of
/// the blocks, each of these through one NPU, and more than half of the blocks are reached through
/// several NPUs.
[[nodiscard]] bool are_joined_by_rails(const NpuBlocks& blocks);

}  // namespace npunet::topology
