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
    bool is_possible = false;
    /// One such cycle, each link waiting for the next and the last for the first; empty where the
    /// search was cut short.
    std::vector<Hop> links;
};

/// By the routes without faults; routes around failed links are not looked at. Exact, except that
/// parallel links of Custom networks count as one, that of the choices that UGAL draws only some
/// are looked at, and that the search for a cycle ends after about 10^5 routes of a network that
/// needs more than one virtual channel: then a cycle counts as possible.
[[nodiscard]] PauseCycle find_pause_cycle(const NetworkDescription& network);

}  // namespace npunet::topology
