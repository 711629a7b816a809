#include "packet/credit/route_plan.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::packet {

RoutePlan::RoutePlan(const topology::Graph& graph, RouteFunction route, std::uint32_t channels,
                     std::uint32_t classes)
    : graph_(graph),
      route_(std::move(route)),
      channels_(channels),
      classes_(classes),
      first_queue_(graph.links() + 1, 0),
      ends_(graph.links()),
      first_hop_(graph.nodes() * classes) {
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        std::uint32_t rank = 0;
        for (const LinkId link : graph.links_to(NodeId(node))) {
            ends_[link.index()] = {NodeId(node), rank++};
        }
    }
    for (std::size_t port = 0; port < graph.links(); ++port) {
        const NodeId node = graph.link(LinkId(port)).from;
        const auto inputs = static_cast<std::uint32_t>(graph.links_to(node).size());
        first_queue_[port + 1] = first_queue_[port] + (inputs + 1) * channels_;
    }
}

PlannedHop RoutePlan::planned(std::uint32_t input, std::uint8_t input_channel, topology::Hop hop,
                              std::uint32_t first_channel, NodeId destination) const {
    assert(hop.virtual_channel < channels_ / classes_);
    PlannedHop planned;
    planned.port = static_cast<std::uint32_t>(hop.link.index());
    // The queues of messages that start there are the last ones of the port.
    const std::uint32_t first = input == none_yet
                                    ? first_queue_[planned.port + 1] - channels_
                                    : first_queue_[planned.port] + ends_[input].rank * channels_;
    planned.queue = first + first_channel + input_channel;
    planned.channel = static_cast<std::uint8_t>(first_channel + hop.virtual_channel);
    planned.final = ends_[planned.port].node == destination;
    return planned;
}

std::uint32_t RoutePlan::plan(NodeId source, NodeId destination, std::uint32_t number) {
    assert(source != destination && "a message to oneself needs no network");
    const std::vector<topology::Hop> route = route_(source, destination);
    assert(!route.empty() && "the route leads nowhere");
    const auto first = static_cast<std::uint32_t>(hops_.size());
    NodeId node = source;
    std::uint32_t input = none_yet;
    const std::uint32_t first_channel = number * (channels_ / classes_);
    std::uint8_t input_channel = route.front().virtual_channel;
    for (const topology::Hop& hop : route) {
        const topology::Link& link = graph_.link(hop.link);
        assert(link.from == node && "the links of a route follow one another");
        hops_.push_back(planned(input, input_channel, hop, first_channel, destination));
        node = link.to;
        input = hops_.back().port;
        input_channel = hop.virtual_channel;
    }
    assert(node == destination && "the route ends elsewhere");
    std::vector<std::uint32_t>& row = first_hop_[source.index() * classes_ + number];
    if (row.size() <= destination.index()) {
        row.resize(std::max(graph_.npus(), destination.index() + 1), unknown);
    }
    row[destination.index()] = first;
    return first;
}

}  // namespace npunet::packet
