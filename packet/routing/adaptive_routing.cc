/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/routing/adaptive_routing.h"

#include "base/quantities.h"

namespace npunet::packet
{

WayChooser::WayChooser(const topology::Graph& graph,
                       const std::vector<PacketPort>& ports,
                       const std::vector<Rate>& rates,
                       std::vector<CreditAccount>& credits,
                       const LinkTiming& timing)
    : m_graph(graph), m_ports(ports), m_rates(rates), m_credits(credits), m_timing(timing)
{
}

void
WayChooser::Use(const topology::MultipathRouter& router, std::size_t channels)
{
    m_router = &router;
    m_channels = channels;
    m_waiting.resize(m_graph.links());
    m_promised.resize(m_graph.links() * channels);
}

bool
WayChooser::IsUp(const topology::Way& offered, std::int64_t now) const
{
    const auto link = static_cast<std::uint32_t>(offered.hop.link.index());
    return m_ports[link].irregular == 0 || m_timing.UpAt(link, now) == now;
}

bool
WayChooser::HasRoom(const topology::Way& offered, const WayOfPacket& way, std::int64_t now)
{
    const std::size_t channel = ChannelOf(offered.hop, way);
    return m_credits[channel].Has(m_promised[channel] + way.wire, now);
}

std::int64_t
WayChooser::Cost(const topology::Way& offered, const WayOfPacket& way, std::int64_t now) const
{
    const std::size_t link = offered.hop.link.index();
    const Time busy = Time::ps(m_ports[link].busyUntil > now ? m_ports[link].fullTime : 0);
    const std::int64_t drained =
        later(busy, transfer_time(Bytes(m_waiting[link] + way.wire), m_rates[link])).ps();
    return drained > NEVER / offered.weight ? NEVER - 1 : drained * offered.weight;
}

void
WayChooser::Choose(WayOfPacket& way, std::int64_t now)
{
    way.promised = false;
    if (way.then.link.valid())
    {
        way.hop = way.then;
        way.then = topology::Hop();
        m_waiting[way.hop.link.index()] += way.wire;
        return;
    }
    m_router->list_ways(m_graph, way.place, m_offered);
    const topology::Way* best = nullptr;
    std::int64_t least = NEVER;
    bool bestIsUp = false;
    // A link that is down now is nobody's first choice.
    const auto consider = [&](const topology::Way& offered) {
        const bool up = IsUp(offered, now);
        const std::int64_t cost = Cost(offered, way, now);
        if (best == nullptr || (up && !bestIsUp) || (up == bestIsUp && cost < least))
        {
            best = &offered;
            least = cost;
            bestIsUp = up;
        }
    };
    for (const topology::Way& offered : m_offered)
    {
        if (!offered.escape && (!offered.needs_room || HasRoom(offered, way, now)))
        {
            consider(offered);
        }
    }
    for (const topology::Way& offered : m_offered)
    {
        if (offered.escape && (best == nullptr || (!bestIsUp && IsUp(offered, now))))
        {
            consider(offered);
        }
    }
    way.hop = best->hop;
    way.then = best->then;
    way.promised = best->needs_room;
    way.memoryBehind = best->memory;
    m_waiting[way.hop.link.index()] += way.wire;
    if (way.promised)
    {
        m_promised[ChannelOf(way.hop, way)] += way.wire;
    }
}

void
WayChooser::Leave(const WayOfPacket& way)
{
    m_waiting[way.hop.link.index()] -= way.wire;
    if (way.promised)
    {
        m_promised[ChannelOf(way.hop, way)] -= way.wire;
    }
}

} // namespace npunet::packet
