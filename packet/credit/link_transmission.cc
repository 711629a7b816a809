/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/link_transmission.h"

#include "engine/clock_limit.h"

namespace npunet::packet
{

namespace
{

/// Is never called: the queue refuses the time.
class BeyondTheClock final : public engine::EventHandler
{
  public:
    void
    handle(std::uint64_t /* payload */) override
    {
    }
};

} // namespace

PacketLinks::PacketLinks(const topology::NetworkDescription& description, PacketState& state)
    : m_state(state), m_cutThrough(description.packet.switching == topology::Switching::CutThrough),
      m_timing(description), m_rates(description.graph.links()),
      m_headerTimes(description.graph.links()), m_retransmissions(description.graph.links())
{
    Time longestPacket;
    Time longestLatency;
    for (std::uint32_t number = 0; number < m_state.ports.size(); ++number)
    {
        const topology::Link& link = description.graph.link(LinkId(std::size_t{number}));
        PacketPort& port = m_state.ports[number];
        port.latency = link.latency.ps();
        port.irregular = m_timing.IsIrregular(number) ? 1U : 0U;
        port.fullTime = transfer_time(Bytes(m_state.fullWire), link.rate).ps();
        m_rates[number] = link.rate;
        m_headerTimes[number] = transfer_time(Bytes(m_state.HeaderBytes()), link.rate).ps();
        longestPacket = std::max(longestPacket, Time::ps(port.fullTime));
        longestLatency = std::max(longestLatency, link.latency);
    }
    // The latest time that follows from a start: the packet is in, and its credit is back.
    const Time reach = engine::later(engine::later(longestPacket, longestLatency), longestLatency);
    m_state.lastStart = (Time::max() - reach).ps();
}

Crossing
PacketLinks::CrossIrregular(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
{
    const Crossing crossing = m_timing.Cross(portNumber, now, wire, m_state.HeaderBytes());
    if (crossing.arrival > m_state.lastStart)
    {
        RefuseLate();
    }
    const std::int64_t again = crossing.attempts - 1;
    m_retransmissions[portNumber] += again;
    m_state.ports[portNumber].wire += again * wire;
    return crossing;
}

bool
PacketLinks::IsUp(std::uint32_t portNumber, std::int64_t now)
{
    const std::int64_t up = m_timing.UpAt(portNumber, now);
    if (up == NEVER)
    {
        m_state.filled.ForEach(m_state.ports[portNumber], 0, [&](std::uint32_t number) {
            if (m_state.queues[number].ready <= now)
            {
                const MessageRecord& message = m_state.MessageOfHead(m_state.queues[number]);
                m_timing.Refuse(portNumber, now, message.bytes, message.start);
            }
            return false;
        });
    }
    return up == now;
}

std::int64_t
PacketLinks::UpFrom(std::uint32_t portNumber, std::int64_t time) const
{
    const std::int64_t up = m_timing.UpAt(portNumber, time);
    // Whoever waits for a link that never comes back is told so when it would go.
    return up == NEVER ? time : up;
}

std::int64_t
PacketLinks::UpBetween(std::uint32_t portNumber, std::int64_t from, std::int64_t to) const
{
    return m_state.ports[portNumber].irregular == 0 ? to - from
                                                    : m_timing.UpBetween(portNumber, from, to);
}

std::int64_t
PacketLinks::OtherTime(std::uint32_t portNumber, std::uint32_t wire)
{
    PacketPort& port = m_state.ports[portNumber];
    if (wire != port.otherWire)
    {
        port.otherWire = wire;
        port.otherTime = transfer_time(Bytes(wire), m_rates[portNumber]).ps();
    }
    return port.otherTime;
}

void
PacketLinks::RefuseLate()
{
    BeyondTheClock beyond;
    m_state.events.schedule(Time::max(), engine::EventKey(), beyond);
}

} // namespace npunet::packet
