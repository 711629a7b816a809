// Dimension order on a graph that is a product of dimensions by its links
// (topology/graph/dimensions_of.h), whatever the order of these.
//
//     const DimensionOrder order(graph, neighbours_of(graph));
//     if (order.is_product()) {
//         std::vector<Hop> hops = order.route(graph, NodeId(1), NodeId(7), hash);
//     }
//
// Nodes and virtual channels are those of dimension_order_route(); of parallel links a route takes
// one by the hash. Parallel links wait for the same links, so that they close no cycle either.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph/dimension.h"
#include "topology/graph/graph.h"
#include "topology/graph/neighbours.h"

namespace npunet::topology {

class DimensionOrder {
public:
    /// No product.
    DimensionOrder() = default;
    DimensionOrder(const Graph& graph, const Neighbours& neighbours);

    [[nodiscard]] bool is_product() const { return !dimensions_.empty(); }
    /// With which the routes are free of deadlock: 2 where a ring has more than three NPUs.
    [[nodiscard]] std::uint8_t virtual_channels_needed() const;

    /// Between different NPUs.
    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to,
                                         std::uint64_t hash) const;
    /// The links by which routes to the NPU go on from a node, parallel ones all; none from itself.
    void list_steps(const Graph& graph, NodeId at, NodeId to, std::vector<LinkId>& steps) const;
    /// Sets the virtual channels of such a route to the NPU.
    void set_channels(const Graph& graph, NodeId to, std::vector<Hop>& route) const;

    /// Links that wait for each other when all routes have one channel: round a ring; of parallel
    /// links the lowest. Empty where one channel is enough.
    [[nodiscard]] std::vector<Hop> find_cycle() const;

private:
    /// Where the next link of a route leads.
    [[nodiscard]] NodeId node_after(const Graph& graph, NodeId at, NodeId to) const;

    std::vector<Dimension> dimensions_;
    std::vector<LinkId> links_;                 ///< in the order of the product's
    std::vector<std::int64_t> switch_strides_;  ///< by switch, of the coordinate on its line
    std::vector<std::int32_t> switch_sizes_;    ///< by switch, of its line
    bool has_parallel_links_ = false;
};

}  // namespace npunet::topology
