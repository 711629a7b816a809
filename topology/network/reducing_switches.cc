#include "topology/network/reducing_switches.h"

namespace npunet::topology {

void let_switches_reduce(const std::function<bool(NodeId)>& which, const ReducingSwitch& limits,
                         NetworkDescription& network) {
    for (std::size_t number = network.graph.npus(); number < network.graph.nodes(); ++number) {
        const NodeId node(number);
        if (which(node)) {
            network.reducing_switches.push_back(limits);
            network.reducing_switches.back().node = node;
        }
    }
}

void let_switches_of_dimension_reduce(std::int32_t dimension, const ReducingSwitch& limits,
                                      NetworkDescription& network) {
    const Graph& graph = network.graph;
    let_switches_reduce(
        [&](NodeId node) {
            return graph.link(graph.links_from(node).front()).dimension == dimension;
        },
        limits, network);
}

}  // namespace npunet::topology
