// How much can cross the border of a block of a tier: of a server, a leaf, a pod, a group.
//
// Whatever switches one counts to a block's side, the links from that side to the other one, added
// up, bound what its NPUs can send to the rest (a cut: Ford and Fulkerson, "Maximal flow through a
// network", 1956). NPUs that take no part may forward, so they count. Taken is the least of these
// cuts: round the block's NPUs alone; with the switches one link from NPUs as well; two links; ...;
// with all of them but those, the farthest from NPUs looked at first, without which less gets out.
// A switch belongs to a block where all its neighbours that are nearer to NPUs do: the switch of a
// server, the leaf and the aggregation switches of a pod, the routers of a dragonfly's group, but
// no spine. So the border of a rail network's server is its NPUs' links to the rails, that of a
// leaf the leaf's up-links or its NPUs' links, whichever carry less.
//
//     const TierCuts cuts = cuts_of(network.graph, network.tiers[0], {});
//     cuts.of_block[3].out          // bytes per second that can leave block 3
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/network/tiers.h"

namespace npunet::topology {

/// Bytes per second of many links: 64 bits would not hold 2^25 links of any rate that there is.
__extension__ using RateSum = unsigned __int128;

struct BlockCut {
    RateSum out = 0;  ///< bytes per second, at most, from the block to the rest
    RateSum in = 0;   ///< and from the rest to the block
};

struct TierCuts {
    static constexpr std::int32_t no_block = -1;

    std::vector<BlockCut> of_block;
    /// By node; no_block for switches between blocks.
    std::vector<std::int32_t> block_of_node;
};

/// The cuts round all blocks of a tier of that graph. Links of a dimension d count only where
/// dimensions[d]; links without one always. Time: proportional to nodes and links.
[[nodiscard]] TierCuts cuts_of(const Graph& graph, const Tier& tier,
                               const std::vector<bool>& dimensions);

/// Whether a link counts there.
[[nodiscard]] inline bool counts(const Link& link, const std::vector<bool>& dimensions) {
    return link.dimension < 0 || dimensions[static_cast<std::size_t>(link.dimension)];
}

}  // namespace npunet::topology
