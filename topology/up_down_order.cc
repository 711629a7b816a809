#include "topology/up_down_order.h"

#include <algorithm>
#include <numeric>

namespace npunet::topology {

std::vector<std::uint32_t> up_down_order(const Graph& graph,
                                         const std::function<bool(LinkId)>& counts) {
    std::size_t root = 0;
    for (std::size_t node = 1; node < graph.nodes(); ++node) {
        const auto degree = [&](std::size_t n) {
            return graph.links_from(NodeId(n)).size() + graph.links_to(NodeId(n)).size();
        };
        root = degree(node) > degree(root) ? node : root;
    }
    std::vector<std::size_t> level(graph.nodes(), graph.nodes());
    std::vector<NodeId> open{NodeId(root)};
    level[root] = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const auto meet = [&](NodeId other) {
            if (level[other.index()] == graph.nodes()) {
                level[other.index()] = level[open[i].index()] + 1;
                open.push_back(other);
            }
        };
        const NodeId at = open[i];
        for (const LinkId link : graph.links_from(at)) {
            if (counts(link)) {
                meet(graph.link(link).to);
            }
        }
        for (const LinkId link : graph.links_to(at)) {
            if (counts(link)) {
                meet(graph.link(link).from);
            }
        }
    }
    std::vector<std::uint32_t> nodes(graph.nodes());
    std::iota(nodes.begin(), nodes.end(), 0U);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return level[a] < level[b]; });
    std::vector<std::uint32_t> order(graph.nodes());
    for (std::uint32_t place = 0; place < nodes.size(); ++place) {
        order[nodes[place]] = place;
    }
    return order;
}

}  // namespace npunet::topology
