/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// EthernetNetwork: requests to pause, and what comes of them.

#include "npu-ethernet-network.h"

#include "base/errors.h"
#include "topology/deadlock.h"

#include <fmt/format.h>

#include <algorithm>

namespace npunet::packet
{

void
EthernetNetwork::AskToPause(std::uint32_t link, PacketKind kind, std::uint8_t trafficClass)
{
    const std::uint32_t back = m_ports[link].reverse;
    // No more than one waits for each class, which the headroom is made for.
    if (m_ports[back].requests.Remove(m_packets, trafficClass))
    {
        return;
    }
    const std::uint32_t place = m_packets.Take();
    EthernetPacket& packet = m_packets[place];
    packet.kind = kind;
    packet.trafficClass = trafficClass;
    packet.wire = PAUSE_BYTES;
    packet.ready = m_time.Now();
    m_ports[back].requests.Append(m_packets, place);
    // The port whose packet has left asks by itself when that is the way.
    WakePort(back, packet.ready);
}

void
EthernetNetwork::Pause(std::uint32_t portNumber, const EthernetPacket& packet)
{
    EthernetPort& port = m_ports[portNumber];
    const std::int64_t now = m_time.Now();
    const std::uint32_t bit = 1U << packet.trafficClass;
    TellPause(portNumber, packet.trafficClass, packet.kind == PacketKind::PAUSE);
    if (packet.kind == PacketKind::PAUSE)
    {
        ++port.pauses;
        port.pausedAt = port.paused == 0 ? now : port.pausedAt;
        port.paused |= bit;
        return;
    }
    port.paused &= ~bit;
    if (port.paused == 0)
    {
        PauseEnds(portNumber);
    }
    else
    {
        WakePort(portNumber, now);
    }
}

void
EthernetNetwork::TellPause(std::uint32_t portNumber, std::uint8_t trafficClass, bool paused)
{
    if (m_observer != nullptr)
    {
        m_observer->LinkPaused(LinkId(std::size_t{portNumber}), trafficClass, paused);
    }
}

void
EthernetNetwork::PauseEnds(std::uint32_t portNumber)
{
    EthernetPort& port = m_ports[portNumber];
    const std::int64_t now = m_time.Now();
    port.pauseTime += now - port.pausedAt;
    if (m_observer != nullptr)
    {
        m_observer->CreditStalled(LinkId(std::size_t{portNumber}),
                                  Time::ps(port.pausedAt),
                                  Time::ps(now - port.pausedAt));
    }
    WakePort(portNumber, now);
}

std::uint32_t
EthernetNetwork::BlockedBehind(std::uint32_t portNumber, std::uint32_t trafficClass) const
{
    const NodeId node = m_description.graph.link(LinkId(std::size_t{portNumber})).to;
    for (const LinkId link : m_description.graph.links_from(node))
    {
        const auto out = static_cast<std::uint32_t>(link.index());
        if ((m_ports[out].paused >> trafficClass & 1U) == 0)
        {
            continue;
        }
        std::uint32_t place = m_queues[out * m_classCount + trafficClass].line.head;
        while (place != NONE && m_packets[place].input != portNumber)
        {
            place = m_packets[place].next;
        }
        if (place != NONE)
        {
            return out;
        }
    }
    return NONE;
}

std::string
EthernetNetwork::explain_stall() const
{
    for (std::uint32_t first = 0; first < m_ports.size(); ++first)
    {
        for (std::uint32_t number = 0; number < m_classCount; ++number)
        {
            if ((m_ports[first].paused >> number & 1U) == 0)
            {
                continue;
            }
            std::vector<topology::Hop> chain;
            std::vector<bool> met(m_ports.size());
            std::uint32_t port = first;
            for (; port != NONE && !met[port]; port = BlockedBehind(port, number))
            {
                met[port] = true;
                chain.push_back({LinkId(std::size_t{port}), 0});
            }
            if (port == NONE)
            {
                continue;
            }
            const topology::Hop again{LinkId(std::size_t{port}), 0};
            chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), again));
            return fmt::format(
                "deadlock: these links are paused (class {}), each by a buffer that is full of "
                "packets for the next one: {}; use a routing without such a circle, larger "
                "buffers, or flow_control: credit with virtual channels",
                number,
                topology::describe_cycle(m_description.graph, chain));
        }
    }
    return m_border ? ExplainPausesFromAfar() : std::string();
}

std::string
EthernetNetwork::ExplainPausesFromAfar() const
{
    for (std::uint32_t number = 0; number < m_ports.size(); ++number)
    {
        const topology::Link& link = m_description.graph.link(LinkId(std::size_t{number}));
        if (m_ports[number].paused != 0 && !m_border->Owns(link.to))
        {
            return fmt::format("the link {} -> {} is paused by a node of another process: perhaps "
                               "a deadlock, whose links one process alone would name",
                               m_description.graph.name(link.from),
                               m_description.graph.name(link.to));
        }
    }
    return {};
}

void
EthernetNetwork::RefuseLoss(std::uint32_t portNumber, const char* why) const
{
    const topology::Link& link = m_description.graph.link(LinkId(std::size_t{portNumber}));
    throw StallError(
        fmt::format("at {} ps a packet for the link {} -> {} was lost {}, and without a transport "
                    "nobody sends it again: set packet.transport to go-back-n or selective-repeat, "
                    "or leave packet.pfc.headroom to 'auto'",
                    m_time.Now(),
                    m_description.graph.name(link.from),
                    m_description.graph.name(link.to),
                    why));
}

} // namespace npunet::packet
