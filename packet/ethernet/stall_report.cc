/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/stall_report.h"

#include "base/errors.h"
#include "base/units.h"
#include "topology/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace npunet::packet
{

std::string
EthernetStalls::ExplainPauses() const
{
    for (std::uint32_t first = 0; first < m_state.ports.size(); ++first)
    {
        for (std::uint32_t number = 0; number < m_state.classCount; ++number)
        {
            if ((m_state.ports[first].paused >> number & 1U) == 0)
            {
                continue;
            }
            std::string circle = ExplainCircle(first, number);
            if (!circle.empty())
            {
                return circle;
            }
        }
    }
    return {};
}

std::string
EthernetStalls::ExplainCircle(std::uint32_t first, std::uint32_t trafficClass) const
{
    const topology::Graph& graph = m_description.graph;
    std::vector<topology::Hop> chain;
    std::vector<bool> met(m_state.ports.size());
    std::uint32_t port = first;
    while (port != NONE && !met[port])
    {
        const LinkId link(std::size_t{port});
        met[port] = true;
        chain.push_back({link, 0});
        port = m_queues.Blocked(graph.link(link).to, trafficClass, port);
    }
    if (port == NONE)
    {
        return {};
    }
    const topology::Hop again{LinkId(std::size_t{port}), 0};
    chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), again));
    return fmt::format("deadlock: these links are paused (class {}), each by a buffer that is full "
                       "of packets for the next one: {}; use a routing without such a circle, "
                       "larger buffers, or flow_control: credit with virtual channels",
                       trafficClass,
                       topology::describe_cycle(graph, chain));
}

std::string
EthernetStalls::ExplainPausesFromAfar(const NetworkPart& part) const
{
    const topology::Graph& graph = m_description.graph;
    for (std::size_t number = 0; number < m_state.ports.size(); ++number)
    {
        const topology::Link& link = graph.link(LinkId(number));
        if (m_state.ports[number].paused != 0 && !part.Owns(link.to))
        {
            return fmt::format("the link {} -> {} is paused by a node of another process: perhaps "
                               "a deadlock, whose links one process alone would name",
                               graph.name(link.from),
                               graph.name(link.to));
        }
    }
    return {};
}

void
EthernetStalls::RefuseLoss(std::uint32_t number, const char* why) const
{
    const topology::Link& link = m_description.graph.link(LinkId(std::size_t{number}));
    throw StallError(
        fmt::format("at {} ps a packet for the link {} -> {} was lost {}, and without a transport "
                    "nobody sends it again: set packet.transport to go-back-n or selective-repeat, "
                    "or leave packet.pfc.headroom to 'auto'",
                    m_state.clock.Now(),
                    m_description.graph.name(link.from),
                    m_description.graph.name(link.to),
                    why));
}

LinkId
EthernetStalls::WorstLink(const QueuePair& pair) const
{
    const NodeId source(std::size_t{pair.source});
    const NodeId destination(std::size_t{pair.destination});
    std::vector<LinkId> links;
    for (const topology::Hop& hop : m_description.route(source, destination))
    {
        links.push_back(hop.link);
    }
    for (const topology::Hop& hop : m_description.route(destination, source))
    {
        links.push_back(hop.link);
    }
    const std::vector<EthernetPort>& ports = m_state.ports;
    // By which of several ways its packets went is not kept.
    for (std::size_t number = 0; m_routes.AreChosen() && number < ports.size(); ++number)
    {
        links.emplace_back(number);
    }
    return *std::max_element(links.begin(), links.end(), [&ports](LinkId one, LinkId other) {
        return ports[one.index()].drops < ports[other.index()].drops;
    });
}

void
EthernetStalls::GiveUp(const QueuePair& pair) const
{
    const topology::Graph& graph = m_description.graph;
    const topology::TransportParameters& transport = m_description.packet.transport;
    const LinkId worst = WorstLink(pair);
    const EthernetPort& port = m_state.ports[worst.index()];
    const std::string why =
        port.drops == 0
            ? fmt::format("no link between them has lost a packet, so answers take longer than the "
                          "retransmission timeout, {}: raise packet.transport.rto",
                          format_time(Time::ps(pair.timeout)))
            : fmt::format(
                  "the link {} -> {} has lost {} of {} packets: lower packet.error_rate, "
                  "give it room, or raise packet.transport.retries ('unlimited' sends again "
                  "as often as it takes)",
                  graph.name(graph.link(worst).from),
                  graph.name(graph.link(worst).to),
                  port.drops,
                  port.packets);
    throw StallError(
        fmt::format("at {} ps {} gave up to send to {} (class {}) after {} timeouts in "
                    "a row without an answer; {}",
                    m_state.clock.Now(),
                    graph.name(NodeId(std::size_t{pair.source})),
                    graph.name(NodeId(std::size_t{pair.destination})),
                    pair.trafficClass,
                    transport.retries + 1,
                    why));
}

} // namespace npunet::packet
