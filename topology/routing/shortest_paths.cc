#include "topology/routing/shortest_paths.h"

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "topology/routing/channel_dependencies.h"

namespace npunet::topology {

namespace {

/// Distance to the destination in links; -1 where there is no way.
std::vector<std::int32_t> distances_to(const Graph& graph, NodeId destination) {
    std::vector<std::int32_t> distance(graph.nodes(), -1);
    std::vector<NodeId> open{destination};
    distance[destination.index()] = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const LinkId id : graph.links_to(open[i])) {
            const NodeId from = graph.link(id).from;
            if (distance[from.index()] < 0) {
                distance[from.index()] = distance[open[i].index()] + 1;
                open.push_back(from);
            }
        }
    }
    return distance;
}

/// For every node the link by which it sends towards `destination`; invalid at the destination and
/// where there is no route. O(nodes + links).
std::vector<LinkId> next_links(const Graph& graph, NodeId destination) {
    const std::vector<std::int32_t> distance = distances_to(graph, destination);
    std::vector<LinkId> next(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        for (const LinkId id : graph.links_from(NodeId(node))) {
            const std::int32_t rest = distance[graph.link(id).to.index()];
            const bool nearer = rest >= 0 && rest < distance[node];
            if (nearer && (!next[node].valid() || id < next[node])) {
                next[node] = id;
            }
        }
    }
    return next;
}

}  // namespace

std::vector<Hop> shortest_path_cycle(const Graph& graph) {
    ChannelDependencies dependencies(graph.links(), 1);
    // walked[n] = d: the way from node n to destination d - 1 has been added.
    std::vector<std::size_t> walked(graph.nodes(), 0);
    for (std::size_t to = 0; to < graph.npus(); ++to) {
        const std::vector<LinkId> next = next_links(graph, NodeId(to));
        for (std::size_t from = 0; from < graph.npus(); ++from) {
            NodeId at(from);
            while (next[at.index()].valid() && walked[at.index()] != to + 1) {
                walked[at.index()] = to + 1;
                const LinkId held = next[at.index()];
                at = graph.link(held).to;
                if (next[at.index()].valid()) {
                    dependencies.add(Hop{held, 0}, Hop{next[at.index()], 0});
                }
            }
        }
    }
    return dependencies.find_cycle();
}

std::vector<Hop> ShortestPathRouter::route(const Graph& graph, NodeId from, NodeId to) const {
    const std::vector<LinkId>& next = towards(graph, to);
    std::vector<Hop> hops;
    for (NodeId at = from; at != to; at = graph.link(hops.back().link).to) {
        assert(next[at.index()].valid() && "the network is connected");
        hops.push_back(Hop{next[at.index()], 0});
    }
    return hops;
}

const std::vector<LinkId>& ShortestPathRouter::towards(const Graph& graph,
                                                       NodeId destination) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    next_.resize(graph.npus());
    std::vector<LinkId>& next = next_[destination.index()];
    if (next.empty()) {
        next = next_links(graph, destination);
    }
    return next;
}

}  // namespace npunet::topology
