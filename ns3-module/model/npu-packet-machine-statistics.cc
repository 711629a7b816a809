/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"
#include "npu-packet-rounds.h"

#include <algorithm>

namespace npunet::packet
{

std::vector<engine::LinkUse>
PacketMachine::link_use() const
{
    std::vector<engine::LinkUse> uses;
    uses.reserve(m_ports.size());
    for (std::size_t link = 0; link < m_ports.size(); ++link)
    {
        const PacketPort& port = m_ports[link];
        engine::LinkUse use;
        use.payload = Bytes(port.payload);
        use.wire = Bytes(port.wire);
        use.busy = Time::ps(port.busy);
        use.max_queue = Bytes(port.maxQueue);
        use.packets = static_cast<std::uint64_t>(port.packets);
        use.retransmissions = static_cast<std::uint64_t>(m_retransmissions[link]);
        use.credit_stall = Time::ps(port.stall);
        if (!m_histograms.empty())
        {
            use.queue_times = m_histograms[link].GetTimes();
        }
        for (std::uint32_t number = 0; m_several && number < m_classes.given.count; ++number)
        {
            use.classes_wire.emplace_back(
                m_classes.ofPorts[link * m_classes.given.count + number].wire);
        }
        uses.push_back(use);
    }
    return uses;
}

std::uint64_t
PacketMachine::packet_hops() const
{
    std::int64_t hops = 0;
    for (const PacketPort& port : m_ports)
    {
        hops += port.packets;
    }
    return static_cast<std::uint64_t>(hops);
}

void
PacketMachine::ListQueued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function)
{
    Settle();
    ForEachQueue(m_ports[link.index()], 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_queues[number];
        std::uint32_t place = queue.upstream == NONE ? NONE : queue.head;
        for (; place != NONE; place = m_packets[place].next)
        {
            const QueuedPacket& packet = m_packets[place];
            function(link, Bytes(WireBytes(packet.payload)), Time::ps(packet.ready));
        }
        return false;
    });
}

void
PacketMachine::CountArrived(PacketPort& port, std::int64_t now)
{
    ForEachQueue(port, 0, [&](std::uint32_t number) {
        VirtualQueue& queue = m_queues[number];
        if (queue.upstream == NONE)
        {
            return true;
        }
        while (queue.unarrived != NONE && m_packets[queue.unarrived].ready <= now)
        {
            const QueuedPacket& packet = m_packets[queue.unarrived];
            port.arrived += WireBytes(packet.payload);
            queue.unarrived = packet.next;
        }
        return false;
    });
    port.maxQueue = std::max(port.maxQueue, port.arrived);
}

std::int64_t
PacketMachine::FirstOf(const TurnList& turns)
{
    if (m_ways.router == nullptr)
    {
        return m_messages[turns.first].start;
    }
    std::int64_t first = NEVER;
    for (std::uint32_t message = turns.first; message != NONE; message = m_messages[message].next)
    {
        first = std::min(first, m_ways.OfMessage(message).since);
    }
    return first;
}

void
PacketMachine::CountStall(std::uint32_t portNumber, std::int64_t now)
{
    PacketPort& port = m_ports[portNumber];
    port.starved = 0;
    if (port.busyUntil >= now)
    {
        return;
    }
    // Nothing has left since the port was free, so the heads are those of that time, or first ones.
    std::int64_t first = now;
    ForEachQueue(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_queues[number];
        if (queue.upstream == NONE)
        {
            const TurnList& turns = m_turns[portNumber * m_channels + queue.channel];
            first = std::min(first, FirstOf(turns));
        }
        else
        {
            first = std::min(first, queue.ready);
        }
        return false;
    });
    const std::int64_t from = std::max(first, port.busyUntil);
    const std::int64_t stall =
        port.irregular == 0 ? now - from : m_timing.UpBetween(portNumber, from, now);
    port.stall += stall;
    if (m_observer != nullptr && stall > 0)
    {
        m_observer->CreditStalled(LinkId(std::size_t{portNumber}), Time::ps(from), Time::ps(stall));
    }
}

} // namespace npunet::packet
