#include "topology/network/layout.h"

#include <algorithm>
#include <cmath>

#include "topology/network/node_rows.h"

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

/// Three dimensions as planes of the first two, seen from above at a slant, one above the other, so
/// that links of the third dimension run upright and meet no other node.
std::vector<NodeSpot> planes(const std::vector<std::size_t>& sizes) {
    constexpr float depth = 0.45F;  ///< of a step of the second dimension, on the sheet
    constexpr float apart = 0.8F;   ///< between planes
    const float aside = 1 / static_cast<float>(sizes[1]);
    const float plane = depth * static_cast<float>(sizes[1] - 1) + apart;
    std::vector<NodeSpot> spots;
    for (std::size_t z = 0; z < sizes[2]; ++z) {
        for (std::size_t y = 0; y < sizes[1]; ++y) {
            for (std::size_t x = 0; x < sizes[0]; ++x) {
                spots.push_back({static_cast<float>(x) + aside * static_cast<float>(y),
                                 plane * static_cast<float>(sizes[2] - 1 - z) +
                                     depth * static_cast<float>(sizes[1] - 1 - y)});
            }
        }
    }
    return spots;
}

std::vector<NodeSpot> in_rows(const NetworkDescription& description) {
    const Graph& graph = description.graph;
    const NodeRows rows(description);
    std::vector<NodeId> nodes = rows.npus_in_order();
    for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
        nodes.emplace_back(node);
    }
    std::vector<RowItem> items;
    items.reserve(nodes.size());
    for (const NodeId node : nodes) {
        items.push_back({rows.row(node), rows.home(node), node});
    }
    const std::vector<double> places = places_in_rows(rows, items);
    // Rows stand a third of the width apart, whatever the number of nodes; in whole steps, by which
    // figures tell rows from planes.
    const double highest = static_cast<double>(rows.rows() - 1);
    const double apart =
        std::max(1.0, std::round(*std::max_element(places.begin(), places.end()) / (3 * highest)));
    std::vector<NodeSpot> spots(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        spots[nodes[i].index()] = {
            static_cast<float>(places[i]),
            static_cast<float>(apart * (highest - static_cast<double>(items[i].row)))};
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
        return in_rows(description);
    }
    std::vector<std::size_t> sizes;
    for (const Dimension& dimension : description.dimensions) {
        sizes.push_back(static_cast<std::size_t>(dimension.size));
    }
    return sizes.size() > 1 ? grid_layout(sizes) : circle(graph.nodes());
}

std::vector<NodeSpot> grid_layout(const std::vector<std::size_t>& sizes) {
    if (sizes.size() == 3) {
        return planes(sizes);
    }
    std::size_t nodes = 1;
    for (const std::size_t size : sizes) {
        nodes *= size;
    }
    std::vector<NodeSpot> spots(nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        std::size_t rest = node;
        float step[2] = {1, 1};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto place = static_cast<float>(rest % sizes[i]);
            rest /= sizes[i];
            (i % 2 == 0 ? spots[node].x : spots[node].y) += step[i % 2] * place;
            step[i % 2] *= static_cast<float>(sizes[i]) + 1;
        }
    }
    return spots;
}

}  // namespace npunet::topology
