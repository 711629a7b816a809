#include "topology/builders/builder.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "topology/graph/line.h"

namespace npunet::topology {

namespace {

constexpr std::int64_t clamp_at = std::int64_t{1} << 40;

/// Products of clamped numbers pass 2^63, so they are formed wide.
std::int64_t clamped_product(std::int64_t a, std::int64_t b) {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(std::min<Wide>(static_cast<Wide>(a) * b, clamp_at));
}

/// The NPU at position 0 of a line; position p is at stride p from it.
std::int64_t first_npu(std::int64_t line_number, std::int64_t stride, std::int64_t size) {
    return line_number / stride * (stride * size) + line_number % stride;
}

/// Adds the switches of a dimension, one a line; returns the first.
NodeId add_line_switches(Graph& graph, const Dimension& dimension) {
    const NodeId first(graph.nodes());
    const std::int64_t lines = static_cast<std::int64_t>(graph.npus()) / dimension.size;
    const std::int64_t switches =
        lines * visit_line(dimension, [](const auto& line) { return line.switches(); });
    for (std::int64_t i = 0; i < switches; ++i) {
        graph.add_node(NodeKind::Switch, "switch" + std::to_string(graph.nodes() - graph.npus()));
    }
    return first;
}

void add_lines(Graph& graph, const Dimension& dimension, std::int32_t dimension_number,
               std::int64_t stride, NodeId first_switch) {
    const std::int64_t size = dimension.size;
    const std::int64_t lines = static_cast<std::int64_t>(graph.npus()) / size;
    for (std::int64_t line_number = 0; line_number < lines; ++line_number) {
        const std::int64_t base = first_npu(line_number, stride, size);
        const auto node_at = [&](std::int32_t position) {
            return NodeId(static_cast<std::int32_t>(
                position < size ? base + position * stride : first_switch.value() + line_number));
        };
        visit_line(dimension, [&](const auto& line) {
            for (std::int64_t i = 0; i < line.links(); ++i) {
                const LineLink ends = line.link(i);
                graph.add_link(Link{node_at(ends.from), node_at(ends.to), dimension.rate,
                                    dimension.latency, dimension_number, ends.wraps});
            }
        });
    }
}

std::string joined_kinds(const std::vector<Dimension>& dimensions) {
    std::string text;
    for (const Dimension& dimension : dimensions) {
        text += (text.empty() ? "" : " x ") + std::string(name_of(dimension.kind));
    }
    return text;
}

}  // namespace

NetworkSize network_size_of(const std::vector<Dimension>& dimensions) {
    NetworkSize size;
    for (const Dimension& dimension : dimensions) {
        size.npus = clamped_product(size.npus, dimension.size);
    }
    for (const Dimension& dimension : dimensions) {
        const std::int64_t lines = size.npus / dimension.size;
        visit_line(dimension, [&](const auto& line) {
            size.switches += lines * line.switches();
            size.links += clamped_product(lines, line.links());
        });
        size.switches = std::min(size.switches, clamp_at);
        size.links = std::min(size.links, clamp_at);
    }
    return size;
}

NetworkDescription make_network(std::vector<Dimension> dimensions, std::string name) {
    const NetworkSize size = network_size_of(dimensions);
    assert(size.npus <= most_npus && size.npus + size.switches <= most_nodes &&
           size.links <= most_links);
    NetworkDescription network = network_of_npus(
        name.empty() ? joined_kinds(dimensions) : std::move(name), size.npus,
        static_cast<std::size_t>(size.npus + size.switches), static_cast<std::size_t>(size.links));
    std::int64_t stride = 1;
    std::int32_t dimension_number = 0;
    std::vector<std::pair<std::string, std::int64_t>> blocks;
    for (const Dimension& dimension : dimensions) {
        const NodeId first_switch = add_line_switches(network.graph, dimension);
        add_lines(network.graph, dimension, dimension_number++, stride, first_switch);
        stride *= dimension.size;
        blocks.emplace_back(name_of(dimension.kind), stride);
    }
    network.tiers = tiers_of_blocks(size.npus, blocks);
    network.dimensions = std::move(dimensions);
    return network;
}

NetworkDescription network_of_npus(std::string name, std::int64_t npus, std::size_t nodes,
                                   std::size_t links) {
    NetworkDescription network;
    network.name = std::move(name);
    network.graph.reserve(nodes, links);
    for (std::int64_t i = 0; i < npus; ++i) {
        network.graph.add_node(NodeKind::Npu, "npu" + std::to_string(i));
    }
    network.npu_of_rank = linear_placement(static_cast<std::size_t>(npus));
    return network;
}

std::vector<NodeId> linear_placement(std::size_t npus) {
    std::vector<NodeId> placement;
    placement.reserve(npus);
    for (std::size_t i = 0; i < npus; ++i) {
        placement.emplace_back(i);
    }
    return placement;
}

std::vector<NodeId> snake_placement(const std::vector<Dimension>& dimensions) {
    std::int64_t npus = 1;
    for (const Dimension& dimension : dimensions) {
        npus *= dimension.size;
    }
    std::vector<NodeId> placement;
    placement.reserve(static_cast<std::size_t>(npus));
    for (std::int64_t rank = 0; rank < npus; ++rank) {
        std::int64_t npu = 0;
        std::int64_t stride = 1;
        for (const Dimension& dimension : dimensions) {
            const std::int64_t digit = rank / stride % dimension.size;
            const std::int64_t pass = rank / stride / dimension.size;
            npu += stride * (pass % 2 == 0 ? digit : dimension.size - 1 - digit);
            stride *= dimension.size;
        }
        placement.emplace_back(static_cast<std::int32_t>(npu));
    }
    return placement;
}

}  // namespace npunet::topology
