// Finds the tiers of a network from its graph alone: for networks whose file does not give them.
//
//     network.tiers = find_tiers(network.graph);
//
// The numbers of NPUs count as their author's word: a product of dimensions numbered in the usual
// order (dimension 0 innermost) has the tiers that make_network() gives it, a dragonfly numbered as
// by make_dragonfly() its groups, and of a rail network numbered as by make_rail() the servers are
// the first tier even if their links are slower than the rails. All other graphs are taken together
// from the inside:
//
// 1. Blocks. At first every NPU is a block. Parallel links are one link with the sum of their
//    rates; links without a link back do not count. A switch is above the nodes that are one link
//    nearer to the NPUs than itself; one that is above a single block belongs to that block.
// 2. Clusters. The blocks below one switch are a cluster; switches above the same blocks (planes)
//    count as one. So do switches of the same level that are pairwise linked, when these links
//    carry what the nodes below send to each other and there are other switches: the routers of a
//    dragonfly's group. So do networks of switches that reach each block through one NPU, different
//    ones: rails. Blocks pairwise linked with each other are a cluster as well
//    (topology/graph/clusters.h).
// 3. Choice. A block joins the cluster into which it has the highest rate, of equals one whose
//    switches have none above them, then the least latency, then the most members. It stays alone
//    where two clusters are equal in all that, or where one of its links is faster than all that it
//    has into the cluster: the links that it should use first lead elsewhere.
// 4. Where two thirds of the blocks or more have joined others, the clusters are a tier, and they
//    are the blocks with which 1 goes on. Otherwise the search ends. The last tier, of all NPUs, is
//    added to those found.
//
// So a server, leaf or pod in which a few NPUs, switches or links are missing is a smaller block of
// its tier, or the same block when its other links still join it; NPUs that no cluster takes are
// blocks of one. Where nothing fits (a ring or mesh in another order, an irregular graph) there are
// no tiers. But for the orders above, the numbers of nodes and links only change the order of
// blocks; of a handful of NPUs a random order may be one of those by chance.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <vector>

#include "topology/graph/graph.h"
#include "topology/network/tiers.h"

namespace npunet::topology {

/// The tiers of a graph with at least one NPU, or none; blocks are numbered in the order of their
/// lowest NPUs. Names: those of the dimensions of a product, else "server" (NPUs with links of
/// their own to the outside), "leaf", "group", "pod" and for the last tier "all". About
/// O(links log links) a tier.
[[nodiscard]] std::vector<Tier> find_tiers(const Graph& graph);

}  // namespace npunet::topology
