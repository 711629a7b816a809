/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/next_hop.h"

#include <algorithm>

namespace npunet::packet
{

WayFinder::WayFinder(PacketState& state, PacketLinks& links)
    : m_state(state), m_links(links),
      m_chooser(state.plan.GetGraph(), state.ports, links.Rates(), state.credits, links.Timing())
{
}

void
WayFinder::Use(const topology::NetworkDescription& description)
{
    PacketWays& ways = m_state.ways;
    ways.seed = description.packet.seed;
    ways.router = description.multipath.get();
    if (description.faults.take_links_down())
    {
        m_detours = std::make_unique<topology::Detours>(description);
        ways.router = m_detours.get();
    }
    if (ways.router != nullptr)
    {
        m_chooser.Use(*ways.router, m_state.channels);
    }
}

bool
WayFinder::GetsThrough(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
{
    return !m_detours || m_detours->dead_from(LinkId(std::size_t{portNumber})) == Time::max() ||
           m_links.GetsThrough(portNumber, wire, now);
}

void
WayFinder::Open(std::uint32_t message, const engine::Message& sent)
{
    WaysOfMessage& ways = m_state.ways.OfMessage(message);
    ways = WaysOfMessage();
    ways.undelivered = m_state.PacketsOf(sent.bytes.value());
    ways.next.firstChannel =
        static_cast<std::uint8_t>(m_state.classes.Of(sent) * m_state.classes.channels);
    ways.next.place.source = sent.source;
    ways.next.place.destination = sent.destination;
    ChooseStart(message);
}

void
WayFinder::OpenForeign(std::uint32_t message, std::int64_t bytes)
{
    WaysOfMessage& ways = m_state.ways.OfMessage(message);
    ways = WaysOfMessage();
    ways.undelivered = m_state.PacketsOf(bytes);
}

void
WayFinder::ChooseStartAnew(std::uint32_t message)
{
    m_chooser.Leave(m_state.ways.OfMessage(message).next);
    ChooseStart(message);
}

void
WayFinder::ChooseStart(std::uint32_t message)
{
    MessageRecord& record = m_state.messages[message];
    m_state.ways.OfMessage(message).since = m_state.events.now().ps();
    WayOfPacket& way = m_state.ways.OfMessage(message).next;
    way.place.at = way.place.source;
    way.place.in = topology::Hop();
    way.place.memory = 0;
    way.place.hash = m_state.ways.Hash(record.id, way.number);
    way.then = topology::Hop();
    way.wire = m_state.WireBytes(std::min(record.remaining, m_state.mtu));
    ChooseWay(way);
    record.hop = PacketWays::HopOfMessage(message);
    m_state.plan.Keep(record.hop,
                      m_state.plan.Planned(RoutePlan::NONE_YET,
                                           way.hop.virtual_channel,
                                           way.hop,
                                           way.firstChannel,
                                           way.place.destination));
}

void
WayFinder::ChooseWay(WayOfPacket& way)
{
    // What is chosen already is taken, unless it is gone for ever by now. Then a detour is: what
    // the usual routing remembers is that of a packet that has crossed the link.
    if (way.then.link.valid() && m_detours && m_detours->is_dead(way.then.link))
    {
        way.then = topology::Hop();
        way.place.memory = topology::Detours::on_detour;
    }
    m_chooser.Choose(way, m_state.events.now().ps());
}

bool
WayFinder::Cut(std::uint32_t message, std::uint32_t place, std::int64_t end)
{
    WaysOfMessage& ways = m_state.ways.OfMessage(message);
    m_chooser.Leave(ways.next);
    m_state.ways.OfPacket(place) = ways.next;
    const PlannedHop before = m_state.plan[PacketWays::HopOfMessage(message)];
    m_state.plan.Keep(PacketWays::HopOfPacket(place), before);
    m_state.packets[place].hop = PacketWays::HopOfPacket(place);
    ways.lastEnd = std::max(ways.lastEnd, end);
    if (m_state.messages[message].remaining == 0)
    {
        return false;
    }
    ++ways.next.number;
    ChooseStart(message);
    return m_state.plan[PacketWays::HopOfMessage(message)].queue != before.queue;
}

void
WayFinder::Cross(std::uint32_t place, const Crossing& crossing)
{
    WayOfPacket& way = m_state.ways.OfPacket(place);
    way.place.in = way.hop;
    way.place.at = m_state.plan.GetGraph().link(way.hop.link).to;
    way.place.memory = way.memoryBehind;
    way.arrival = crossing.arrival;
    m_state.packets[place].ready = m_links.MayChoose(crossing);
}

void
WayFinder::Choose(std::uint32_t place)
{
    ChooseWay(m_state.ways.OfPacket(place));
    PlanHop(place);
}

void
WayFinder::ChooseAnew(std::uint32_t place)
{
    WayOfPacket& way = m_state.ways.OfPacket(place);
    m_chooser.Leave(way);
    way.then = topology::Hop();
    ChooseWay(way);
    QueuedPacket& packet = m_state.packets[place];
    packet.ready = std::max(packet.ready, m_state.events.now().ps());
    PlanHop(place);
}

void
WayFinder::PlanHop(std::uint32_t place)
{
    const WayOfPacket& way = m_state.ways.OfPacket(place);
    QueuedPacket& packet = m_state.packets[place];
    const auto input = static_cast<std::uint32_t>(way.place.in.link.index());
    const PlannedHop hop = m_state.plan.Planned(
        input, way.place.in.virtual_channel, way.hop, way.firstChannel, way.place.destination);
    m_state.plan.Keep(packet.hop, hop);
    Crossing crossing;
    crossing.arrival = way.arrival;
    crossing.headerIn = packet.ready;
    packet.ready = std::max(packet.ready, m_links.MayLeave(crossing, hop.port, way.wire));
}

bool
WayFinder::Arrive(std::uint32_t message, std::int64_t arrival)
{
    WaysOfMessage& ways = m_state.ways.OfMessage(message);
    ways.lastArrival = std::max(ways.lastArrival, arrival);
    return --ways.undelivered == 0;
}

} // namespace npunet::packet
