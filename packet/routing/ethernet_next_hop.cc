/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/routing/ethernet_next_hop.h"

#include "base/quantities.h"
#include "topology/pair_hash.h"

#include <cassert>

namespace npunet::packet
{

EthernetRoutes::EthernetRoutes(const topology::NetworkDescription& description,
                               const std::vector<EthernetPort>& ports,
                               const engine::LinkClock& clock)
    : m_description(description), m_ports(ports), m_clock(clock),
      m_detours(description.faults.take_links_down()
                    ? std::make_unique<topology::Detours>(description)
                    : nullptr),
      m_router(m_detours ? m_detours.get() : description.multipath.get()),
      m_first(description.graph.npus())
{
}

std::uint32_t
EthernetRoutes::FirstHop(std::uint32_t source, std::uint32_t destination)
{
    assert(!AreChosen());
    std::vector<std::uint32_t>& row = m_first[source];
    if (row.empty())
    {
        row.resize(m_description.graph.npus(), UNKNOWN);
    }
    std::uint32_t& first = row[destination];
    if (first == UNKNOWN)
    {
        const std::vector<topology::Hop> route =
            m_description.route(NodeId(std::size_t{source}), NodeId(std::size_t{destination}));
        first = static_cast<std::uint32_t>(m_hops.size());
        for (const topology::Hop& hop : route)
        {
            m_hops.push_back(static_cast<std::uint32_t>(hop.link.index()));
        }
        m_hops.back() |= LAST;
    }
    return first;
}

std::uint32_t
EthernetRoutes::CodedLink(const EthernetWay& way) const
{
    const auto link = static_cast<std::uint32_t>(way.hop.link.index());
    const bool last = m_description.graph.link(way.hop.link).to == way.place.destination;
    return last ? link | LAST : link;
}

void
EthernetRoutes::Choose(EthernetWay& way, std::uint32_t wire, std::int64_t now)
{
    if (way.then.link.valid() && m_detours && m_detours->is_dead(way.then.link))
    {
        way.then = topology::Hop();
        way.place.memory = topology::Detours::on_detour;
    }
    if (way.then.link.valid())
    {
        way.hop = way.then;
        way.then = topology::Hop();
        return;
    }
    m_router->list_ways(m_description.graph, way.place, m_offered);
    const topology::Way* best = nullptr;
    std::int64_t least = NEVER;
    bool bestIsUp = false;
    for (const topology::Way& offered : m_offered)
    {
        const auto link = static_cast<std::uint32_t>(offered.hop.link.index());
        const EthernetPort& port = m_ports[link];
        const bool up =
            !port.irregular || m_clock.up_at(offered.hop.link, Time::ps(now)).ps() == now;
        const Time busy = Time::ps(port.busyUntil > now ? port.fullTime : 0);
        const std::int64_t drained =
            later(busy, transfer_time(Bytes(port.queued + wire), Rate(port.rate))).ps();
        const std::int64_t cost =
            drained > NEVER / offered.weight ? NEVER - 1 : drained * offered.weight;
        if (best == nullptr || (up && !bestIsUp) || (up == bestIsUp && cost < least))
        {
            best = &offered;
            least = cost;
            bestIsUp = up;
        }
    }
    way.hop = best->hop;
    way.then = best->then;
    way.memory = best->memory;
}

std::uint64_t
EthernetRoutes::Draw(std::uint64_t key, std::uint64_t number) const
{
    using topology::mixed;
    return mixed(mixed(mixed(m_description.packet.seed) ^ key) + number);
}

std::uint32_t
EthernetRoutes::ChooseForPair(std::uint32_t pair,
                              std::uint32_t source,
                              std::uint32_t destination,
                              std::uint64_t hash,
                              std::uint32_t wire,
                              std::int64_t now)
{
    EthernetWay& way = At(m_ofPairs, pair);
    way = EthernetWay();
    way.place.at = NodeId(std::size_t{source});
    way.place.source = way.place.at;
    way.place.destination = NodeId(std::size_t{destination});
    way.place.hash = hash;
    Choose(way, wire, now);
    return CodedLink(way) & ~LAST;
}

void
EthernetRoutes::TakeFromPair(std::uint32_t place, EthernetPacket& packet, std::uint32_t pair)
{
    EthernetWay& way = At(m_ofPackets, place);
    way = m_ofPairs[pair];
    packet.hop = CodedLink(way);
}

void
EthernetRoutes::Start(std::uint32_t place,
                      EthernetPacket& packet,
                      std::uint32_t source,
                      std::uint32_t destination,
                      std::uint64_t hash,
                      std::int64_t now)
{
    if (m_router == nullptr)
    {
        packet.hop = FirstHop(source, destination);
        return;
    }
    EthernetWay& way = At(m_ofPackets, place);
    way = EthernetWay();
    way.place.at = NodeId(std::size_t{source});
    way.place.source = way.place.at;
    way.place.destination = NodeId(std::size_t{destination});
    way.place.hash = hash;
    Choose(way, packet.wire, now);
    packet.hop = CodedLink(way);
}

void
EthernetRoutes::ChooseNext(std::uint32_t place, EthernetPacket& packet, std::int64_t now)
{
    EthernetWay& way = m_ofPackets[place];
    way.place.in = way.hop;
    way.place.at = m_description.graph.link(way.hop.link).to;
    way.place.memory = way.memory;
    Choose(way, packet.wire, now);
    packet.hop = CodedLink(way);
}

} // namespace npunet::packet
