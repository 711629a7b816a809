// Whether ports can pause each other in a cycle: with priority flow control all packets of a class
// share one queue at each output, so routes whose channel dependencies have a cycle on one virtual
// channel can deadlock (Dally and Seitz, "Deadlock-free message routing in multiprocessor
// interconnection networks", IEEE Trans. Computers C-36, 1987, theorem 1).
//
//     const PauseCycle pauses = find_pause_cycle(network);
//     if (pauses.is_possible) { ... describe_cycle(network.graph, pauses.links) ... }
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <vector>

#include "topology/graph/graph.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

struct PauseCycle {
    /// There is a cycle, or, without `links`, there may be one: the search was cut short.
    bool is_possible = false;
    /// One such cycle, each link waiting for the next and the last for the first.
    std::vector<Hop> links;
};

/// By the routes without faults; routes around failed links are not looked at. Exact on products of
/// dimensions and on Custom networks, where parallel links count as one, but for huge graphs
/// (GraphRouter::look_for_cycle()). Of a Dragonfly, about half
/// a million hops are looked at, of routes that lie far apart, and some of the choices that UGAL
/// draws.
[[nodiscard]] PauseCycle find_pause_cycle(const NetworkDescription& network);

}  // namespace npunet::topology
