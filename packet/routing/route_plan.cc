/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/routing/route_plan.h"

#include <cassert>
#include <utility>

namespace npunet::packet
{

RoutePlan::RoutePlan(const topology::Graph& graph,
                     RouteFunction route,
                     std::uint32_t channels,
                     std::uint32_t classes)
    : m_graph(graph), m_route(std::move(route)), m_channels(channels), m_classes(classes),
      m_firstQueue(graph.links() + 1, 0), m_inputRank(graph.links(), 0),
      m_firstHop(graph.npus() * classes)
{
    for (std::size_t node = 0; node < graph.nodes(); ++node)
    {
        std::uint32_t rank = 0;
        for (const LinkId link : graph.links_to(NodeId(node)))
        {
            m_inputRank[link.index()] = rank++;
        }
    }
    for (std::size_t port = 0; port < graph.links(); ++port)
    {
        const NodeId node = graph.link(LinkId(port)).from;
        const auto inputs = static_cast<std::uint32_t>(graph.links_to(node).size());
        m_firstQueue[port + 1] = m_firstQueue[port] + (inputs + 1) * m_channels;
    }
}

PlannedHop
RoutePlan::Planned(std::uint32_t input,
                   std::uint8_t inputChannel,
                   topology::Hop hop,
                   std::uint32_t firstChannel,
                   NodeId destination) const
{
    const topology::Link& link = m_graph.link(hop.link);
    assert(hop.virtual_channel < m_channels / m_classes);
    const auto starts = static_cast<std::uint32_t>(m_graph.links_to(link.from).size());
    PlannedHop planned;
    planned.port = static_cast<std::uint32_t>(hop.link.index());
    planned.queue = m_firstQueue[planned.port] +
                    (input == NONE_YET ? starts : m_inputRank[input]) * m_channels + firstChannel +
                    inputChannel;
    planned.channel = static_cast<std::uint8_t>(firstChannel + hop.virtual_channel);
    planned.final = link.to == destination;
    return planned;
}

std::uint32_t
RoutePlan::Plan(NodeId source, NodeId destination, std::uint32_t number)
{
    assert(source != destination && "a message to oneself needs no network");
    const std::vector<topology::Hop> route = m_route(source, destination);
    assert(!route.empty() && "the route leads nowhere");
    const auto first = static_cast<std::uint32_t>(m_hops.size());
    NodeId node = source;
    std::uint32_t input = NONE_YET;
    const std::uint32_t firstChannel = number * (m_channels / m_classes);
    std::uint8_t inputChannel = route.front().virtual_channel;
    for (const topology::Hop& hop : route)
    {
        const topology::Link& link = m_graph.link(hop.link);
        assert(link.from == node && "the links of a route follow one another");
        m_hops.push_back(Planned(input, inputChannel, hop, firstChannel, destination));
        node = link.to;
        input = m_hops.back().port;
        inputChannel = hop.virtual_channel;
    }
    assert(node == destination && "the route ends elsewhere");
    std::vector<std::uint32_t>& row = m_firstHop[source.index() * m_classes + number];
    row.resize(m_graph.npus(), UNKNOWN);
    row[destination.index()] = first;
    return first;
}

} // namespace npunet::packet
