#pragma once

#include "base/ids.h"
#include "topology/graph.h"
#include "topology/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet {

/// The path from one NPU to another: links, and the virtual channel on each.
using RouteFunction = std::function<std::vector<topology::Hop>(NodeId, NodeId)>;

/// One hop of a route as the machine needs it.
struct PlannedHop {
    std::uint32_t port = 0;    ///< output port, which is the link's number
    std::uint32_t queue = 0;   ///< the queue of that port in which the packet waits for it
    std::uint8_t channel = 0;  ///< virtual channel on the link
    bool final = false;        ///< whether the link ends at the destination
};

/// Numbers the queues of every output port, and translates routes into ports and queues. A route is
/// asked for once per pair of NPUs, when its first message starts.
///
/// The queues of port p are FirstQueue(p) .. FirstQueue(p) + Queues(p) - 1: for each link that
/// reaches the port's node, in the graph's order, one per virtual channel; then one per virtual
/// channel for the messages that start at the node.
class RoutePlan {
public:
    /// @param graph must outlive the plan
    /// @param route the routes; links must follow one another, channels be below `channels`
    /// @param channels virtual channels of every link, those of all classes
    /// @param classes traffic classes
    RoutePlan(const topology::Graph& graph, RouteFunction route, std::uint32_t channels,
              std::uint32_t classes);

    /// @param source an NPU
    /// @param destination another NPU
    /// @param number the traffic class
    /// @return index of the first hop; the others follow it up to the one that is final
    std::uint32_t first_hop(NodeId source, NodeId destination, std::uint32_t number) {
        const std::vector<std::uint32_t>& row = first_hop_[source.index() * classes_ + number];
        if (!row.empty() && row[destination.index()] != unknown) {
            return row[destination.index()];
        }
        return plan(source, destination, number);
    }

    /// @return nodes and links
    const topology::Graph& graph() const { return graph_; }

    /// @param hop index
    /// @return the hop
    const PlannedHop& operator[](std::uint32_t hop) const { return hops_[hop]; }

    /// A hop that is not part of a route asked for. Routes know the channels of one class.
    /// @param input the link by which the packet has come, or NONE_YET where it starts
    /// @param input_channel virtual channel of that link; where it starts, that of the hop
    /// @param hop the hop
    /// @param first_channel of the packet's traffic class
    /// @param destination of the packet
    /// @return the hop as the machine needs it
    PlannedHop planned(std::uint32_t input, std::uint8_t input_channel, topology::Hop hop,
                       std::uint32_t first_channel, NodeId destination) const;

    /// No link: the packet starts at the node.
    static constexpr std::uint32_t none_yet = 0xffffffff;

    /// Keeps a hop that is not part of a route. Not together with first_hop().
    /// @param index where; operator[] finds it there
    /// @param hop the hop; a copy, as it may be one that is kept here
    void keep(std::uint32_t index, PlannedHop hop) {
        if (index >= hops_.size()) {
            hops_.resize(index + 1);
        }
        hops_[index] = hop;
    }

    /// @param port output port
    /// @return number of its first queue
    std::uint32_t first_queue(std::size_t port) const { return first_queue_[port]; }

    /// @param port output port
    /// @return how many queues it has
    std::uint32_t queues(std::size_t port) const {
        return first_queue_[port + 1] - first_queue_[port];
    }

private:
    static constexpr std::uint32_t unknown = 0xffffffff;  ///< a route not yet asked for

    /// Asks for a route.
    /// @param source an NPU
    /// @param destination another NPU
    /// @param number the traffic class
    /// @return index of its first hop
    std::uint32_t plan(NodeId source, NodeId destination, std::uint32_t number);

    const topology::Graph& graph_;            ///< nodes and links
    RouteFunction route_;                     ///< the routes
    std::uint32_t channels_;                  ///< virtual channels of every link
    std::uint32_t classes_;                   ///< traffic classes
    std::vector<std::uint32_t> first_queue_;  ///< by port, and one more
    std::vector<std::uint32_t> input_rank_;   ///< by link: its place at the node it reaches
    std::vector<std::vector<std::uint32_t>> first_hop_;  ///< by source and class, then destination
    std::vector<PlannedHop> hops_;                       ///< all routes asked for, end to end
};

}  // namespace npunet::packet
