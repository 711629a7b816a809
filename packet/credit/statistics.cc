/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/statistics.h"

#include <algorithm>

namespace npunet::packet
{

PacketCounts::PacketCounts(const topology::NetworkDescription& description,
                           PacketState& state,
                           const PacketLinks& links)
    : m_state(state), m_links(links),
      m_histograms(description.packet.queue_histogram ? description.graph.links() : 0)
{
}

void
PacketCounts::GiveUp(std::uint32_t portNumber, std::uint32_t wire, std::int64_t at)
{
    Leave(portNumber, wire, at);
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketGaveUp(LinkId(std::size_t{portNumber}), Bytes(wire), Time::ps(at));
    }
}

std::vector<engine::LinkUse>
PacketCounts::GetUse() const
{
    std::vector<engine::LinkUse> uses;
    uses.reserve(m_state.ports.size());
    for (std::size_t link = 0; link < m_state.ports.size(); ++link)
    {
        const PacketPort& port = m_state.ports[link];
        engine::LinkUse use;
        use.payload = Bytes(port.payload);
        use.wire = Bytes(port.wire);
        use.busy = Time::ps(port.busy);
        use.max_queue = Bytes(port.maxQueue);
        use.packets = static_cast<std::uint64_t>(port.packets);
        use.retransmissions = static_cast<std::uint64_t>(m_links.Retransmissions(link));
        use.credit_stall = Time::ps(port.stall);
        if (!m_histograms.empty())
        {
            use.queue_times = m_histograms[link].GetTimes();
        }
        for (std::uint32_t number = 0; m_state.several && number < m_state.classes.given.count;
             ++number)
        {
            use.classes_wire.emplace_back(
                m_state.classes.ofPorts[link * m_state.classes.given.count + number].wire);
        }
        uses.push_back(use);
    }
    return uses;
}

std::uint64_t
PacketCounts::GetHops() const
{
    std::int64_t hops = 0;
    for (const PacketPort& port : m_state.ports)
    {
        hops += port.packets;
    }
    return static_cast<std::uint64_t>(hops);
}

void
PacketCounts::ListQueued(LinkId link,
                         const std::function<void(LinkId, Bytes, Time)>& function) const
{
    m_state.filled.ForEach(m_state.ports[link.index()], 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_state.queues[number];
        std::uint32_t place = queue.upstream == NONE ? NONE : queue.head;
        for (; place != NONE; place = m_state.packets[place].next)
        {
            const QueuedPacket& packet = m_state.packets[place];
            function(link, Bytes(m_state.WireBytes(packet.payload)), Time::ps(packet.ready));
        }
        return false;
    });
}

void
PacketCounts::CountMore(PacketPort& port, std::int64_t now)
{
    m_state.filled.ForEach(port, 0, [&](std::uint32_t number) {
        VirtualQueue& queue = m_state.queues[number];
        if (queue.upstream == NONE)
        {
            return true;
        }
        while (queue.unarrived != NONE && m_state.packets[queue.unarrived].ready <= now)
        {
            const QueuedPacket& packet = m_state.packets[queue.unarrived];
            port.arrived += m_state.WireBytes(packet.payload);
            queue.unarrived = packet.next;
        }
        return false;
    });
    port.maxQueue = std::max(port.maxQueue, port.arrived);
}

std::int64_t
PacketCounts::FirstOf(const TurnList& turns)
{
    if (m_state.ways.router == nullptr)
    {
        return m_state.messages[turns.first].start;
    }
    std::int64_t first = NEVER;
    for (std::uint32_t message = turns.first; message != NONE;
         message = m_state.messages[message].next)
    {
        first = std::min(first, m_state.ways.OfMessage(message).since);
    }
    return first;
}

void
PacketCounts::CountStall(std::uint32_t portNumber, std::int64_t now)
{
    PacketPort& port = m_state.ports[portNumber];
    port.starved = 0;
    if (port.busyUntil >= now)
    {
        return;
    }
    // Nothing has left since the port was free, so the heads are those of that time, or first ones.
    std::int64_t first = now;
    m_state.filled.ForEach(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_state.queues[number];
        if (queue.upstream == NONE)
        {
            const TurnList& turns = m_state.turns[portNumber * m_state.channels + queue.channel];
            first = std::min(first, FirstOf(turns));
        }
        else
        {
            first = std::min(first, queue.ready);
        }
        return false;
    });
    const std::int64_t from = std::max(first, port.busyUntil);
    const std::int64_t stall = m_links.UpBetween(portNumber, from, now);
    port.stall += stall;
    if (m_state.observer != nullptr && stall > 0)
    {
        m_state.observer->CreditStalled(
            LinkId(std::size_t{portNumber}), Time::ps(from), Time::ps(stall));
    }
}

} // namespace npunet::packet
