// The hierarchy of a network as collectives see it: from the NPUs of a server to the whole.
//
// A tier divides the NPUs among blocks within which they are nearer to each other than to the rest:
// the servers of a rail network, the leaves and pods of a fat tree, the groups of a dragonfly. The
// blocks of a tier are made of whole blocks of the tier before it; the last tier is one block. In a
// product network the blocks of tier d are the NPUs that agree in all dimensions after d.
//
//     network.tiers = tiers_of_blocks(64, {{"server", 8}, {"rail", 64}});
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace npunet::topology {

struct Tier {
    std::string name;                        ///< "server", "leaf", ...
    std::vector<std::int32_t> block_of_npu;  ///< by NPU, numbered from 0
};

/// Tiers whose blocks are consecutive NPUs, at least 1 each, from the inside to the outside; the
/// last block of a tier may be smaller. The last tier has one block of all NPUs.
[[nodiscard]] std::vector<Tier> tiers_of_blocks(
    std::int64_t npus, const std::vector<std::pair<std::string, std::int64_t>>& block_sizes);

}  // namespace npunet::topology
