// Equal links of switches in turn: which link a switch uses towards each NPU.
//
//     BalancedSteps turns;
//     turns.open(graph);
//     // NPU after NPU, in ascending order:
//     LinkId link = turns.take(destination, at, equals);
//     turns.close(destination);
//     link = turns.find(destination, at);
//
// A switch that has several equal links towards an NPU takes the one that it uses for the fewest
// NPUs so far, of equals the first. Only those NPUs count for which routes come to the switch. On a
// fat tree with full leaves this is D-mod-k (Zahavi, "Fat-tree routing and node ordering providing
// contention free traffic for MPI global collectives", J. Parallel Distrib. Comput. 72, 2012): of u
// up-links a leaf uses number d mod u, an aggregation switch number floor(d / u) mod u'. Subnet
// managers of InfiniBand count the routes of ports in this manner.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/graph.h"

namespace npunet::topology {

/// Whether a switch uses two links that begin a shortest path in turn, the first of them the lowest
/// of all: both lead to switches and have the same rate and latency. (Parallel links to a switch
/// are used in turn whatever their rates.) Another NPU is passed through only if its link is the
/// lowest: what it forwards is its traffic.
[[nodiscard]] bool use_in_turn(const Graph& graph, LinkId first, LinkId other);

class BalancedSteps {
public:
    /// No turns so far. At most 65534 nodes.
    void open(const Graph& graph);

    /// Takes one of several links from a node towards an NPU. Once for a node and an NPU, NPU after
    /// NPU.
    LinkId take(NodeId to, NodeId at, const std::vector<LinkId>& links);
    /// The last turn towards the NPU has been taken.
    void close(NodeId to);

    /// The link that was taken; invalid where none was.
    [[nodiscard]] LinkId find(NodeId to, NodeId at) const;

private:
    struct Turn {
        std::int32_t at;
        LinkId link;
    };

    std::vector<std::vector<Turn>> turns_;  ///< by NPU, then in the order of the nodes
    std::vector<std::uint32_t> uses_;       ///< by link
};

}  // namespace npunet::topology
