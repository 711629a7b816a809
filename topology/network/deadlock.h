// Whether the routing of a network is free of deadlock: its channel dependencies
// (topology/routing/channel_dependencies.h) have no cycle.
//
//     std::vector<Hop> cycle = channel_dependencies(network).find_cycle();   // empty: no deadlock
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

#include "topology/network/network_description.h"
#include "topology/routing/channel_dependencies.h"

namespace npunet::topology {

/// The dependencies of the routes between all pairs of NPUs.
[[nodiscard]] ChannelDependencies channel_dependencies(const NetworkDescription& network);

/// What packets wait for where they choose among several next hops (topology/routing/multipath.h):
/// a packet that holds a channel waits for the next hops that are taken without room, and for what
/// follows them. Where routers draw, `draws` numbers are drawn at each place. Needs
/// network.multipath.
[[nodiscard]] ChannelDependencies waiting_dependencies(const NetworkDescription& network,
                                                       std::uint64_t draws);

}  // namespace npunet::topology
