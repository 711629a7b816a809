#include "topology/graph/graph_partition.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace npunet::topology {

namespace {

constexpr std::uint32_t unknown = 0xffffffff;

/// By node: the lowest node to which links without latency join it, itself otherwise.
std::vector<std::size_t> joined_without_latency(const Graph& graph) {
    std::vector<std::size_t> with(graph.nodes());
    std::iota(with.begin(), with.end(), std::size_t{0});
    const auto lowest = [&with](std::size_t node) {
        while (with[node] != node) {
            with[node] = with[with[node]];
            node = with[node];
        }
        return node;
    };
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const Link& link = graph.link(LinkId(i));
        if (link.latency == Time()) {
            const std::size_t a = lowest(link.from.index());
            const std::size_t b = lowest(link.to.index());
            with[std::max(a, b)] = std::min(a, b);
        }
    }
    for (std::size_t node = 0; node < with.size(); ++node) {
        with[node] = lowest(node);
    }
    return with;
}

/// Gives parts to switches whose neighbours have some.
class SwitchPlacer {
public:
    SwitchPlacer(const Graph& graph, std::vector<std::uint32_t>& parts)
        : graph_(graph),
          parts_(parts),
          with_(joined_without_latency(graph)),
          together_(graph.nodes()),
          switches_(1U + *std::max_element(parts.begin(), parts.end()), 0) {
        parts_.resize(graph.nodes(), unknown);
        for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
            together_[with_[node]].push_back(node);
            if (with_[node] < graph.npus()) {
                place(node, parts_[with_[node]]);
            }
        }
    }

    /// Places every switch that had a neighbour with a part before; false when none is left.
    bool round() {
        const std::vector<std::uint32_t> before = parts_;
        bool placed = false;
        for (std::size_t node = graph_.npus(); node < graph_.nodes(); ++node) {
            const std::uint32_t part =
                parts_[node] == unknown ? claim(NodeId(node), before) : unknown;
            if (part != unknown) {
                for (const std::size_t other : together_[with_[node]]) {
                    place(other, part);
                }
                placed = true;
            }
        }
        return placed;
    }
    /// Switches that nothing joins to an NPU.
    void place_rest() { std::replace(parts_.begin(), parts_.end(), unknown, std::uint32_t{0}); }

private:
    [[nodiscard]] std::uint32_t claim(NodeId node, const std::vector<std::uint32_t>& before) const {
        std::vector<std::size_t> neighbours(switches_.size(), 0);
        for (const LinkId link : graph_.links_from(node)) {
            const std::uint32_t part = before[graph_.link(link).to.index()];
            if (part != unknown) {
                ++neighbours[part];
            }
        }
        std::uint32_t best = unknown;
        for (std::uint32_t part = 0; part < neighbours.size(); ++part) {
            if (neighbours[part] == 0) {
                continue;
            }
            if (best == unknown || neighbours[part] > neighbours[best] ||
                (neighbours[part] == neighbours[best] && switches_[part] < switches_[best])) {
                best = part;
            }
        }
        return best;
    }
    void place(std::size_t node, std::uint32_t part) {
        parts_[node] = part;
        ++switches_[part];
    }

    const Graph& graph_;
    std::vector<std::uint32_t>& parts_;
    std::vector<std::size_t> with_;
    std::vector<std::vector<std::size_t>> together_;  ///< the switches that are with a node
    std::vector<std::size_t> switches_;               ///< by part
};

}  // namespace

std::vector<std::uint32_t> partition_graph(const Graph& graph, std::uint32_t count) {
    assert(count > 0);
    const std::vector<std::size_t> with = joined_without_latency(graph);
    std::vector<std::uint32_t> parts(graph.npus());
    for (std::size_t npu = 0; npu < parts.size(); ++npu) {
        parts[npu] = with[npu] == npu ? static_cast<std::uint32_t>(npu * count / parts.size())
                                      : parts[with[npu]];
    }
    return partition_with_switches(graph, parts);
}

std::vector<std::uint32_t> partition_with_switches(const Graph& graph,
                                                   const std::vector<std::uint32_t>& of_npus) {
    assert(of_npus.size() == graph.npus());
    std::vector<std::uint32_t> parts = of_npus;
    if (parts.empty()) {
        return std::vector<std::uint32_t>(graph.nodes(), 0);
    }
    SwitchPlacer placer(graph, parts);
    while (placer.round()) {
    }
    placer.place_rest();
    return parts;
}

}  // namespace npunet::topology
