#include "topology/graph/neighbours.h"

#include <algorithm>

namespace npunet::topology {

Neighbours neighbours_of(const Graph& graph) {
    Neighbours neighbours(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        const std::vector<LinkId>& links = graph.links_from(NodeId(node));
        neighbours[node].reserve(links.size());
        for (const LinkId id : links) {
            const Link& link = graph.link(id);
            neighbours[node].push_back(
                {link.to.value(), link.rate.bytes_per_second(), link.latency.ps()});
        }
        merge_neighbours(neighbours[node]);
    }
    return neighbours;
}

Neighbours mutual_neighbours(const Neighbours& neighbours) {
    Neighbours mutual(neighbours.size());
    for (std::size_t node = 0; node < neighbours.size(); ++node) {
        for (const Neighbour& to : neighbours[node]) {
            const Neighbour* const back = find_neighbour(
                neighbours[static_cast<std::size_t>(to.node)], static_cast<std::int32_t>(node));
            if (back != nullptr) {
                mutual[node].push_back(
                    {to.node, std::min(to.rate, back->rate), std::max(to.latency, back->latency)});
            }
        }
    }
    return mutual;
}

void merge_neighbours(std::vector<Neighbour>& list) {
    const auto by_node = [](const Neighbour& a, const Neighbour& b) { return a.node < b.node; };
    if (!std::is_sorted(list.begin(), list.end(), by_node)) {
        std::sort(list.begin(), list.end(), by_node);
    }
    std::size_t kept = 0;
    for (const Neighbour& next : list) {
        if (kept > 0 && list[kept - 1].node == next.node) {
            Neighbour& last = list[kept - 1];
            last.rate = capped_rate_sum(last.rate, next.rate);
            last.latency = std::max(last.latency, next.latency);
        } else {
            list[kept++] = next;
        }
    }
    list.resize(kept);
}

const Neighbour* find_neighbour(const std::vector<Neighbour>& list, std::int32_t node) {
    const auto found =
        std::lower_bound(list.begin(), list.end(), node,
                         [](const Neighbour& each, std::int32_t at) { return each.node < at; });
    return found != list.end() && found->node == node ? &*found : nullptr;
}

}  // namespace npunet::topology
