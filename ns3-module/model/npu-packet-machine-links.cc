/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"
#include "npu-packet-rounds.h"

#include "base/quantities.h"

namespace npunet::packet
{

using engine::EventKey;

bool
PacketMachine::IsUp(std::uint32_t portNumber, std::int64_t now)
{
    const std::int64_t up = m_timing.UpAt(portNumber, now);
    if (up == NEVER)
    {
        ForEachQueue(m_ports[portNumber], 0, [&](std::uint32_t number) {
            if (m_queues[number].ready <= now)
            {
                const MessageRecord& message = MessageOfHead(m_queues[number]);
                m_timing.Refuse(portNumber, now, message.bytes, message.start);
            }
            return false;
        });
    }
    return up == now;
}

bool
PacketMachine::GetsThrough(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
{
    return m_detours->dead_from(LinkId(std::size_t{portNumber})) == Time::max() ||
           m_timing.GetsThrough(portNumber, now, wire);
}

Crossing
PacketMachine::CrossIrregular(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
{
    const Crossing crossing = m_timing.Cross(portNumber, now, wire, HeaderBytes());
    if (crossing.arrival > m_lastStart)
    {
        m_queue.schedule(Time::max(), EventKey(), m_wakeEvent, portNumber);
    }
    const std::int64_t again = crossing.attempts - 1;
    m_retransmissions[portNumber] += again;
    m_ports[portNumber].wire += again * wire;
    return crossing;
}

std::int64_t
PacketMachine::AfterOutage(std::uint32_t portNumber, std::int64_t time) const
{
    const std::int64_t up = m_timing.UpAt(portNumber, time);
    // Whoever waits for a link that never comes back is told so when it would go.
    return up == NEVER ? time : up;
}

std::int64_t
PacketMachine::OtherTime(std::uint32_t portNumber, std::uint32_t wire)
{
    PacketPort& port = m_ports[portNumber];
    if (wire != port.otherWire)
    {
        port.otherWire = wire;
        port.otherTime = transfer_time(Bytes(wire), m_rates[portNumber]).ps();
    }
    return port.otherTime;
}

} // namespace npunet::packet
