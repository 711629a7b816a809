/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/link_transmission.h"

#include "base/errors.h"
#include "engine/clock_limit.h"

namespace npunet::packet
{

EthernetLinks::EthernetLinks(const topology::NetworkDescription& description,
                             const PacketSizes& sizes,
                             std::vector<EthernetPort>& ports)
    : m_ports(ports), m_header(sizes.Header()),
      m_fullWire(static_cast<std::uint32_t>(sizes.Full())),
      m_cutThrough(description.packet.switching == topology::Switching::CutThrough),
      m_clock(description), m_errors(description.packet.error_rate, description.packet.seed),
      m_transmissions(m_errors.Any() ? ports.size() : 0),
      m_lastArrival(AreRegular() ? 0 : ports.size())
{
    Time longestPacket;
    Time longestLatency;
    for (std::size_t number = 0; number < ports.size(); ++number)
    {
        const LinkId id(number);
        const topology::Link& link = description.graph.link(id);
        EthernetPort& port = ports[number];
        port.latency = link.latency.ps();
        port.rate = link.rate.bytes_per_second();
        port.fullTime = transfer_time(Bytes(m_fullWire), link.rate).ps();
        port.irregular = m_errors.Any() || m_clock.faulty(id);
        longestPacket = std::max(longestPacket, Time::ps(port.fullTime));
        longestLatency = std::max(longestLatency, link.latency);
    }
    const Time reach = engine::later(engine::later(longestPacket, longestLatency), longestLatency);
    m_lastStart = (Time::max() - reach).ps();
}

LinkPassage
EthernetLinks::CrossIrregular(std::uint32_t number, std::uint32_t wire, std::int64_t now)
{
    const LinkId link(std::size_t{number});
    LinkPassage passage;
    passage.corrupted = m_errors.Any() && m_errors.IsCorrupted(number, m_transmissions[number]++);
    const Time start = Time::ps(now);
    const Time down = m_clock.down_at(link, start);
    Time end = Time::max();
    if (!m_clock.faulty(link))
    {
        end = engine::later(start, Time::ps(SendingTime(m_ports[number], wire)));
    }
    else if (down == Time::max() || m_clock.up_at(link, down) < Time::max())
    {
        end = m_clock.end(link, start, Bytes(wire));
    }
    else
    {
        end = EndBefore(number, wire, start, down);
    }
    const Time latency = m_clock.latency(link, std::min(end, down));
    const Time arrival = std::max(Time::ps(m_lastArrival[number]), engine::later(end, latency));
    passage.lost = passage.corrupted || down < arrival;
    passage.end = std::min(end, down).ps();
    passage.arrival = arrival.ps();
    passage.headerIn = passage.arrival;
    if (!passage.lost)
    {
        m_lastArrival[number] = passage.arrival;
    }
    return passage;
}

Time
EthernetLinks::EndBefore(std::uint32_t number, std::uint32_t wire, Time start, Time down) const
{
    // The clock refuses what a link that dies cannot finish.
    try
    {
        return m_clock.end(LinkId(std::size_t{number}), start, Bytes(wire));
    }
    catch (const StallError&)
    {
        return down;
    }
}

void
EthernetLinks::Refuse(std::uint32_t number, std::int64_t now) const
{
    m_clock.refuse(LinkId(std::size_t{number}), Time::ps(now), Bytes(m_fullWire), Time::ps(now));
}

} // namespace npunet::packet
