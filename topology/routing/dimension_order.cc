#include "topology/routing/dimension_order.h"

#include <cassert>

#include "base/splitmix64.h"
#include "topology/graph/dimensions_of.h"
#include "topology/graph/line.h"
#include "topology/routing/product_routing.h"

namespace npunet::topology {

namespace {

/// The links from a node to another one.
void list_parallel(const Graph& graph, NodeId from, NodeId to, std::vector<LinkId>& links) {
    links.clear();
    for (const LinkId id : graph.links_from(from)) {
        if (graph.link(id).to == to) {
            links.push_back(id);
        }
    }
}

}  // namespace

DimensionOrder::DimensionOrder(const Graph& graph, const Neighbours& neighbours)
    : dimensions_(dimensions_of(graph, neighbours)) {
    if (dimensions_.empty()) {
        return;
    }
    links_ = links_in_product_order(graph, neighbours, dimensions_);
    has_parallel_links_ = links_.size() < graph.links();
    switch_strides_.resize(graph.nodes() - graph.npus());
    switch_sizes_.resize(switch_strides_.size());
    std::size_t link = 0;
    std::int64_t stride = 1;
    for (const Dimension& dimension : dimensions_) {
        const std::size_t lines = graph.npus() / static_cast<std::size_t>(dimension.size);
        const auto line_links = static_cast<std::size_t>(
            visit_line(dimension, [](const auto& line) { return line.links(); }));
        for (std::size_t i = 0; i < lines; ++i, link += line_links) {
            if (dimension.kind == DimensionKind::Switch) {
                const std::size_t own = graph.link(links_[link]).to.index() - graph.npus();
                switch_strides_[own] = stride;
                switch_sizes_[own] = dimension.size;
            }
        }
        stride *= dimension.size;
    }
}

std::uint8_t DimensionOrder::virtual_channels_needed() const {
    return dimension_order_channels(dimensions_);
}

std::vector<Hop> DimensionOrder::route(const Graph& graph, NodeId from, NodeId to,
                                       std::uint64_t hash) const {
    std::vector<Hop> hops = dimension_order_route(dimensions_, from, to);
    std::vector<LinkId> parallel;
    for (Hop& hop : hops) {
        hop.link = links_[hop.link.index()];
        if (has_parallel_links_) {
            const Link& link = graph.link(hop.link);
            list_parallel(graph, link.from, link.to, parallel);
            hop.link = parallel[static_cast<std::size_t>(hash % parallel.size())];
            hash = splitmix64(hash);
        }
    }
    return hops;
}

NodeId DimensionOrder::node_after(const Graph& graph, NodeId at, NodeId to) const {
    if (graph.kind(at) == NodeKind::Npu) {
        const std::vector<Hop> hops = dimension_order_route(dimensions_, at, to);
        return hops.empty() ? NodeId() : graph.link(links_[hops.front().link.index()]).to;
    }
    // The NPU on the switch's line that has the destination's coordinate there.
    const std::size_t own = at.index() - graph.npus();
    const std::int64_t stride = switch_strides_[own];
    const std::int64_t any = graph.link(graph.links_from(at).front()).to.value();
    const auto coordinate = [&](std::int64_t npu) { return npu / stride % switch_sizes_[own]; };
    return NodeId(
        static_cast<std::size_t>(any + (coordinate(to.value()) - coordinate(any)) * stride));
}

void DimensionOrder::list_steps(const Graph& graph, NodeId at, NodeId to,
                                std::vector<LinkId>& steps) const {
    steps.clear();
    if (at != to) {
        list_parallel(graph, at, node_after(graph, at, to), steps);
    }
}

void DimensionOrder::set_channels(const Graph& graph, NodeId to, std::vector<Hop>& route) const {
    const std::vector<Hop> own =
        dimension_order_route(dimensions_, graph.link(route.front().link).from, to);
    assert(own.size() == route.size());
    for (std::size_t i = 0; i < route.size(); ++i) {
        route[i].virtual_channel = own[i].virtual_channel;
    }
}

std::vector<Hop> DimensionOrder::find_cycle() const {
    std::vector<Hop> cycle;
    std::size_t link = 0;
    std::size_t npus = 1;
    for (const Dimension& dimension : dimensions_) {
        npus *= static_cast<std::size_t>(dimension.size);
    }
    for (const Dimension& dimension : dimensions_) {
        const auto size = static_cast<std::size_t>(dimension.size);
        const bool cyclic = visit_line(
            dimension, [](const auto& line) { return line.virtual_channels_needed() > 1; });
        const auto line_links = static_cast<std::size_t>(
            visit_line(dimension, [](const auto& line) { return line.links(); }));
        if (cyclic) {
            // The links upwards are every second one of a ring's.
            for (std::size_t i = 0; i < size; ++i) {
                cycle.push_back(Hop{links_[link + 2 * i], 0});
            }
            return cycle;
        }
        link += npus / size * line_links;
    }
    return cycle;
}

}  // namespace npunet::topology
