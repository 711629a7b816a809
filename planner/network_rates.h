// Between a cluster of nodes and a network of links: the rates that a network gives the nodes, and
// the network that a cluster's rates describe.
//
//     use_network(cluster, read_network("net.yml", ...), "net.yml");    // A, E and latencies
//     NetworkDescription network = network_of(cluster);                 // to simulate on
//
// docs/planner.md says how rates are found out.
#pragma once

#include <string>

#include "planner/cluster.h"
#include "topology/network/network_description.h"

namespace npunet::planner {

/// Replaces the rates and latencies of all nodes. The devices in the order of the nodes are the
/// network's ranks. Throws InputError (`file` names the network) where their numbers differ.
void use_network(Cluster& cluster, const topology::NetworkDescription& network,
                 const std::string& file);

/// A star of stars: each device is linked to its node's switch at the rate inside the node, and
/// each of these to one switch at the node's outer rate. Latencies add up to the nodes' on every
/// way; the outer one is at least the inner one then.
[[nodiscard]] topology::NetworkDescription network_of(const Cluster& cluster);

}  // namespace npunet::planner
