/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/base/link_timing.h"

#include "base/errors.h"
#include "engine/clock_limit.h"

#include <algorithm>

namespace npunet::packet
{

using engine::later;

LinkTiming::LinkTiming(const topology::NetworkDescription& description)
    : m_graph(description.graph), m_clock(description),
      m_errors(description.packet.error_rate, description.packet.seed)
{
    if (m_clock.faulty() || m_errors.Any())
    {
        m_lastArrival.resize(m_graph.links());
        m_transmissions.resize(m_graph.links());
    }
}

bool
LinkTiming::GetsThrough(std::uint32_t link, std::int64_t now, std::uint32_t wire)
{
    const std::int64_t lastArrival = m_lastArrival[link];
    const std::uint64_t transmissions = m_transmissions[link];
    bool through = true;
    try
    {
        Cross(link, now, wire, wire);
    }
    catch (const StallError&)
    {
        through = false;
    }
    m_lastArrival[link] = lastArrival;
    m_transmissions[link] = transmissions;
    return through;
}

Crossing
LinkTiming::Cross(std::uint32_t link, std::int64_t now, std::uint32_t wire, std::uint32_t header)
{
    const LinkId id(std::size_t{link});
    std::int64_t& lastArrival = m_lastArrival[link];
    const std::int64_t before = lastArrival;
    const bool constant = !m_clock.faulty(id);
    Crossing crossing;
    Time end = Time::ps(now);
    for (Time start = end;; ++crossing.attempts)
    {
        end = constant ? later(start, transfer_time(Bytes(wire), m_graph.link(id).rate))
                       : m_clock.end(id, start, Bytes(wire));
        crossing.busy += (end - start).ps();
        const Time arrival = later(end, m_clock.latency(id, end));
        lastArrival = std::max(lastArrival, arrival.ps());
        if (end == Time::max() || !m_errors.IsCorrupted(link, m_transmissions[link]++))
        {
            break;
        }
        start = Time::ps(CreditBack(link, lastArrival));
    }
    crossing.end = end.ps();
    crossing.arrival = lastArrival;
    crossing.headerIn = lastArrival;
    if (crossing.attempts > 1)
    {
        return crossing;
    }
    const Time headerEnd =
        constant ? later(Time::ps(now), transfer_time(Bytes(header), m_graph.link(id).rate))
                 : m_clock.end(id, Time::ps(now), Bytes(header));
    const Time latency = m_clock.latency(id, headerEnd);
    if (m_clock.steady(id, Time::ps(now), end) && later(end, latency).ps() == crossing.arrival)
    {
        crossing.headerIn = std::max(before, later(headerEnd, latency).ps());
    }
    return crossing;
}

std::int64_t
LinkTiming::UpAt(std::uint32_t link, std::int64_t time) const
{
    return m_clock.up_at(LinkId(std::size_t{link}), Time::ps(time)).ps();
}

std::int64_t
LinkTiming::UpBetween(std::uint32_t link, std::int64_t from, std::int64_t to) const
{
    return m_clock.up_between(LinkId(std::size_t{link}), Time::ps(from), Time::ps(to)).ps();
}

std::int64_t
LinkTiming::CreditBack(std::uint32_t link, std::int64_t time) const
{
    const Time from = Time::ps(time);
    return later(from, m_clock.latency(LinkId(std::size_t{link}), from)).ps();
}

std::int64_t
LinkTiming::LeastTime(std::uint32_t link, std::uint32_t wire) const
{
    const std::int64_t rate = m_clock.highest_rate(LinkId(std::size_t{link}));
    return rate == 0 ? 0 : transfer_time(Bytes(wire), Rate(rate)).ps();
}

void
LinkTiming::Refuse(std::uint32_t link,
                   std::int64_t now,
                   std::int64_t bytes,
                   std::int64_t start) const
{
    m_clock.refuse(LinkId(std::size_t{link}), Time::ps(now), Bytes(bytes), Time::ps(start));
}

} // namespace npunet::packet
