/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/output_queues.h"

#include <algorithm>

namespace npunet::packet
{

OutputQueues::OutputQueues(const topology::NetworkDescription& description,
                           EthernetState& state,
                           const EthernetRoutes& routes,
                           EthernetAgenda& agenda)
    : m_graph(description.graph), m_state(state), m_routes(routes), m_agenda(agenda),
      m_queues(description.graph.links() * description.packet.classes.count),
      m_histograms(description.packet.queue_histogram ? description.graph.links() : 0)
{
}

void
OutputQueues::SendControl(std::uint32_t place)
{
    EthernetPacket& packet = m_state.packets[place];
    packet.ready = m_state.clock.Now();
    JoinControl(m_routes.LinkOf(packet), place);
}

void
OutputQueues::JoinControl(std::uint32_t number, std::uint32_t place)
{
    m_state.ports[number].control.Append(m_state.packets, place);
    m_agenda.WakePort(number, m_state.packets[place].ready);
}

void
OutputQueues::Join(std::uint32_t number, std::uint32_t place)
{
    const EthernetPacket& packet = m_state.packets[place];
    EthernetPort& port = m_state.ports[number];
    ClassQueue& queue = m_queues[number * m_state.classCount + packet.trafficClass];
    queue.line.Append(m_state.packets, place);
    queue.bytes += packet.wire;
    port.filled |= 1U << packet.trafficClass;
    port.queued += packet.wire;
    port.maxQueue = std::max(port.maxQueue, port.queued);
    if (!m_histograms.empty())
    {
        m_histograms[number].Arrive(m_state.clock.Now(), packet.wire);
    }
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketQueued(
            LinkId(std::size_t{number}), Bytes(packet.wire), Time::ps(packet.ready));
    }
    m_agenda.WakePort(number, packet.ready);
}

std::uint32_t
OutputQueues::Take(std::uint32_t number, std::uint32_t trafficClass)
{
    EthernetPort& port = m_state.ports[number];
    ClassQueue& queue = m_queues[number * m_state.classCount + trafficClass];
    const std::uint32_t place = queue.line.Pop(m_state.packets);
    port.filled &= queue.line.head == NONE ? ~(1U << trafficClass) : ~0U;
    const EthernetPacket& packet = m_state.packets[place];
    queue.bytes -= packet.wire;
    port.queued -= packet.wire;
    return place;
}

std::uint32_t
OutputQueues::Blocked(NodeId node, std::uint32_t trafficClass, std::uint32_t input) const
{
    for (const LinkId link : m_graph.links_from(node))
    {
        const auto out = static_cast<std::uint32_t>(link.index());
        if ((m_state.ports[out].paused >> trafficClass & 1U) == 0)
        {
            continue;
        }
        std::uint32_t place = Of(out, trafficClass).line.head;
        while (place != NONE && m_state.packets[place].input != input)
        {
            place = m_state.packets[place].next;
        }
        if (place != NONE)
        {
            return out;
        }
    }
    return NONE;
}

void
OutputQueues::List(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) const
{
    for (std::uint32_t number = 0; number < m_state.classCount; ++number)
    {
        std::uint32_t place = Of(static_cast<std::uint32_t>(link.index()), number).line.head;
        for (; place != NONE; place = m_state.packets[place].next)
        {
            const EthernetPacket& packet = m_state.packets[place];
            function(link, Bytes(packet.wire), Time::ps(packet.ready));
        }
    }
}

} // namespace npunet::packet
