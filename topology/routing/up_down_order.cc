#include "topology/routing/up_down_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

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

namespace {

/// How long the cables live that links belong to: the longest of parallel ones, each as long as its
/// shorter direction; Time() where there is no link back.
std::vector<Time> lives_of(const Graph& graph, const std::vector<Time>& dead_from) {
    std::map<std::pair<NodeId, NodeId>, Time> direction;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const Link& link = graph.link(LinkId(i));
        Time& life = direction[{link.from, link.to}];
        life = std::max(life, dead_from[i]);
    }
    std::vector<Time> lives(graph.links());
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const Link& link = graph.link(LinkId(i));
        const auto back = direction.find({link.to, link.from});
        lives[i] = back == direction.end() ? Time() : std::min(dead_from[i], back->second);
    }
    return lives;
}

}  // namespace

std::vector<std::uint32_t> lasting_order(const Graph& graph, const std::vector<Time>& dead_from) {
    const std::vector<Time> lives = lives_of(graph, dead_from);
    std::vector<NodeId> reached;
    std::vector<bool> met(graph.nodes(), false);
    const auto add_all_from = [&](NodeId start) {
        met[start.index()] = true;
        reached.push_back(start);
        for (std::size_t i = reached.size() - 1; i < reached.size(); ++i) {
            for (const LinkId link : graph.links_from(reached[i])) {
                const NodeId to = graph.link(link).to;
                if (lives[link.index()] == Time::max() && !met[to.index()]) {
                    met[to.index()] = true;
                    reached.push_back(to);
                }
            }
        }
    };
    std::size_t root = 0;
    for (std::size_t node = 1; node < graph.nodes(); ++node) {
        const auto degree = [&](std::size_t n) { return graph.links_from(NodeId(n)).size(); };
        root = degree(node) > degree(root) ? node : root;
    }
    add_all_from(NodeId(root));
    while (reached.size() < graph.nodes()) {
        // Over the link that lives longest; where none leads on, from the lowest node that is left.
        NodeId next(
            static_cast<std::size_t>(std::find(met.begin(), met.end(), false) - met.begin()));
        Time longest;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const Link& link = graph.link(LinkId(i));
            if (met[link.from.index()] && !met[link.to.index()] && lives[i] > longest) {
                longest = lives[i];
                next = link.to;
            }
        }
        add_all_from(next);
    }
    std::vector<std::uint32_t> order(graph.nodes());
    for (std::uint32_t place = 0; place < reached.size(); ++place) {
        order[reached[place].index()] = place;
    }
    return order;
}

}  // namespace npunet::topology
