#include "topology/network/layout.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace npunet::topology {

namespace {

std::vector<NodeSpot> circle(std::size_t nodes) {
    // Neighbours are a step apart.
    const double turn = 2 * 3.14159265358979323846 / static_cast<double>(nodes);
    const double radius = std::max(0.7, 0.5 / std::sin(std::max(turn / 2, 1e-6)));
    std::vector<NodeSpot> spots;
    for (std::size_t i = 0; i < nodes; ++i) {
        const double angle = turn * static_cast<double>(i);
        spots.push_back({static_cast<float>(radius + radius * std::sin(angle)),
                         static_cast<float>(radius - radius * std::cos(angle))});
    }
    return spots;
}

std::vector<NodeSpot> grid(const NetworkDescription& description) {
    std::vector<NodeSpot> spots(description.graph.nodes());
    for (std::size_t node = 0; node < spots.size(); ++node) {
        std::size_t rest = node;
        float step[2] = {1, 1};
        for (std::size_t i = 0; i < description.dimensions.size(); ++i) {
            const auto size = static_cast<std::size_t>(description.dimensions[i].size);
            const auto place = static_cast<float>(rest % size);
            rest /= size;
            (i % 2 == 0 ? spots[node].x : spots[node].y) += step[i % 2] * place;
            step[i % 2] *= static_cast<float>(size) + 1;
        }
    }
    return spots;
}

/// How many links every node is away from the nearest NPU.
std::vector<std::size_t> levels_of(const Graph& graph) {
    std::vector<std::size_t> level(graph.nodes(), 0);
    std::vector<bool> reached(graph.nodes(), false);
    std::deque<NodeId> next;
    for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
        reached[npu] = true;
        next.emplace_back(npu);
    }
    while (!next.empty()) {
        const NodeId node = next.front();
        next.pop_front();
        for (const LinkId link : graph.links_from(node)) {
            const NodeId to = graph.link(link).to;
            if (!reached[to.index()]) {
                reached[to.index()] = true;
                level[to.index()] = level[node.index()] + 1;
                next.push_back(to);
            }
        }
    }
    return level;
}

std::vector<NodeSpot> in_levels(const Graph& graph) {
    const std::vector<std::size_t> level = levels_of(graph);
    const std::size_t highest = *std::max_element(level.begin(), level.end());
    std::vector<std::size_t> count(highest + 1, 0);
    for (const std::size_t each : level) {
        ++count[each];
    }
    const auto widest = static_cast<float>(*std::max_element(count.begin(), count.end()));
    std::vector<std::size_t> placed(highest + 1, 0);
    std::vector<NodeSpot> spots;
    for (const std::size_t each : level) {
        const float part =
            (static_cast<float>(placed[each]++) + 0.5F) / static_cast<float>(count[each]);
        // Levels stand a third of the width apart, whatever the number of nodes.
        const float apart = std::max(1.0F, widest / (3 * static_cast<float>(highest)));
        spots.push_back({part * widest, static_cast<float>(highest - each) * apart});
    }
    return spots;
}

}  // namespace

std::vector<NodeSpot> layout_of(const NetworkDescription& description) {
    const Graph& graph = description.graph;
    if (graph.nodes() == 0) {
        return {};
    }
    if (graph.nodes() > graph.npus()) {
        return in_levels(graph);
    }
    return description.dimensions.size() > 1 ? grid(description) : circle(graph.nodes());
}

}  // namespace npunet::topology
