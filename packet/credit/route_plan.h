// Numbers the queues of every output port, and translates routes into ports and queues. The route
// of a pair of NPUs is computed when its first message starts.
//
// The queues of port p are first_queue(p) .. first_queue(p) + queues(p) - 1: for each link that
// ends at the port's node, in the graph's order, one per virtual channel; then one per virtual
// channel for the messages that start at the node.
//
//     std::uint32_t hop = plan.first_hop(source, destination, traffic_class);
//     while (!plan[hop].final) { ++hop; }
#pragma once

#include "base/pool.h"

#include "base/ids.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet {

/// Returns the route from one NPU to another: consecutive links, and the channel on each.
using RouteFunction = std::function<std::vector<topology::Hop>(NodeId, NodeId)>;

/// One hop of a route, in terms of ports and queues.
struct PlannedHop {
    std::uint32_t port = 0;    ///< number of the link
    std::uint32_t queue = 0;   ///< the queue in which the packet waits for it
    std::uint8_t channel = 0;  ///< virtual channel on the link
    bool final = false;        ///< the link ends at the destination
};

class RoutePlan {
public:
    /// The graph must outlive the plan. `channels`: virtual channels of a link, those of all
    /// classes; routes may use `channels` / `classes` of them.
    RoutePlan(const topology::Graph& graph, RouteFunction route, std::uint32_t channels,
              std::uint32_t classes);

    /// The index of the first hop; the others follow it up to the final one. `number` is the
    /// traffic class.
    std::uint32_t first_hop(NodeId source, NodeId destination, std::uint32_t number) {
        const std::vector<std::uint32_t>& row = first_hop_[source.index() * classes_ + number];
        if (destination.index() < row.size() && row[destination.index()] != unknown) {
            return row[destination.index()];
        }
        return plan(source, destination, number);
    }

    const topology::Graph& graph() const { return graph_; }

    const PlannedHop& operator[](std::uint32_t hop) const { return hops_[hop]; }

    /// The destination of the route to which a hop of first_hop() belongs.
    NodeId end_of(std::uint32_t hop) const {
        while (!hops_[hop].final) {
            ++hop;
        }
        return graph_.link(LinkId(std::size_t{hops_[hop].port})).to;
    }

    /// Translates a hop that is not part of a computed route. `input`: the link by which the packet
    /// came, or none_yet at its source; `input_channel`: the virtual channel of that link, or of
    /// the hop at the source, counted like that of the hop from `first_channel`, the first of the
    /// packet's traffic class.
    PlannedHop planned(std::uint32_t input, std::uint8_t input_channel, topology::Hop hop,
                       std::uint32_t first_channel, NodeId destination) const;

    /// No input link: the packet starts at the node.
    static constexpr std::uint32_t none_yet = 0xffffffff;

    /// Stores a hop that is not part of a route at a given index. Not together with first_hop(). By
    /// value, as the hop may be an element of this plan.
    void keep(std::uint32_t index, PlannedHop hop) { at_place(hops_, index) = hop; }

    /// A hop that is not part of a route is about to be needed, if the index is one.
    void prefetch(std::uint32_t index) const {
        if (index < hops_.size()) {
            __builtin_prefetch(&hops_[index]);
        }
    }

    std::uint32_t first_queue(std::size_t port) const { return first_queue_[port]; }

    std::uint32_t queues(std::size_t port) const {
        return first_queue_[port + 1] - first_queue_[port];
    }

private:
    static constexpr std::uint32_t unknown = 0xffffffff;  ///< a route not computed yet

    /// The node where a link ends, and the place of the link among those that end there.
    struct LinkEnd {
        NodeId node;
        std::uint32_t rank = 0;
    };

    /// Computes a route; returns the index of its first hop.
    std::uint32_t plan(NodeId source, NodeId destination, std::uint32_t number);

    const topology::Graph& graph_;
    RouteFunction route_;
    std::uint32_t channels_;                             ///< virtual channels of a link
    std::uint32_t classes_;                              ///< traffic classes
    std::vector<std::uint32_t> first_queue_;             ///< by port, and one more
    std::vector<LinkEnd> ends_;                          ///< by link
    std::vector<std::vector<std::uint32_t>> first_hop_;  ///< by source and class, then destination
    std::vector<PlannedHop> hops_;                       ///< all computed routes, end to end
};

}  // namespace npunet::packet
