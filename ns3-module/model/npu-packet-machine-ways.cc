/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"

#include "base/quantities.h"
#include "topology/pair_hash.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

std::uint64_t
PacketWays::Hash(std::uint64_t message, std::int64_t number) const
{
    using topology::mixed;
    return mixed(mixed(mixed(seed) ^ message) + static_cast<std::uint64_t>(number));
}

void
PacketMachine::OpenWays(std::uint32_t message, const engine::Message& sent)
{
    WaysOfMessage& ways = m_ways.OfMessage(message);
    ways = WaysOfMessage();
    ways.undelivered = PacketsOf(sent.bytes.value());
    ways.next.firstChannel = static_cast<std::uint8_t>(m_classes.Of(sent) * m_classes.channels);
    ways.next.place.source = sent.source;
    ways.next.place.destination = sent.destination;
    ChooseStart(message);
}

void
PacketMachine::ChooseStart(std::uint32_t message)
{
    MessageRecord& record = m_messages[message];
    m_ways.OfMessage(message).since = m_queue.now().ps();
    WayOfPacket& way = m_ways.OfMessage(message).next;
    way.place.at = way.place.source;
    way.place.in = topology::Hop();
    way.place.memory = 0;
    way.place.hash = m_ways.Hash(record.id, way.number);
    way.then = topology::Hop();
    way.wire = WireBytes(std::min(record.remaining, m_mtu));
    ChooseWay(way);
    record.hop = PacketWays::HopOfMessage(message);
    m_plan.Keep(record.hop,
                m_plan.Planned(RoutePlan::NONE_YET,
                               way.hop.virtual_channel,
                               way.hop,
                               way.firstChannel,
                               way.place.destination));
}

void
PacketMachine::ChooseWay(WayOfPacket& way)
{
    // What is chosen already is taken, unless it is gone for ever by now. Then a detour is: what
    // the usual routing remembers is that of a packet that has crossed the link.
    if (way.then.link.valid() && m_detours && m_detours->is_dead(way.then.link))
    {
        way.then = topology::Hop();
        way.place.memory = topology::Detours::on_detour;
    }
    m_chooser.Choose(way, m_queue.now().ps());
}

bool
PacketMachine::CutWay(std::uint32_t message, std::uint32_t place, std::int64_t end)
{
    WaysOfMessage& ways = m_ways.OfMessage(message);
    m_chooser.Leave(ways.next);
    m_ways.OfPacket(place) = ways.next;
    m_plan.Keep(PacketWays::HopOfPacket(place), m_plan[PacketWays::HopOfMessage(message)]);
    m_packets[place].hop = PacketWays::HopOfPacket(place);
    ways.lastEnd = std::max(ways.lastEnd, end);
    if (m_messages[message].remaining == 0)
    {
        return false;
    }
    const PlannedHop before = m_plan[PacketWays::HopOfMessage(message)];
    ++ways.next.number;
    ChooseStart(message);
    const PlannedHop& next = m_plan[PacketWays::HopOfMessage(message)];
    return next.queue != before.queue;
}

void
PacketMachine::MoveMessage(std::uint32_t message)
{
    const PlannedHop& hop = m_plan[m_messages[message].hop];
    m_messages.Append(m_turns[hop.port * m_channels + hop.channel], message);
    ShowTurn(hop.queue);
    Arm(hop.port, std::max(m_ports[hop.port].busyUntil, m_queue.now().ps()));
}

void
PacketMachine::GoOn(std::uint32_t place, const Crossing& crossing, std::int64_t number)
{
    WayOfPacket& way = m_ways.OfPacket(place);
    way.place.in = way.hop;
    way.place.at = m_plan.GetGraph().link(way.hop.link).to;
    way.place.memory = way.memoryBehind;
    way.arrival = crossing.arrival;
    m_packets[place].ready = m_cutThrough ? crossing.headerIn : crossing.arrival;
    if (m_ways.router->is_oblivious())
    {
        PacketIn(place);
        return;
    }
    // No two packets of a link come in at once, but after a change of latency.
    const auto link = static_cast<std::uint32_t>(way.hop.link.index());
    m_queue.schedule(Time::ps(m_packets[place].ready),
                     EventKey::of(Phase::Arrival,
                                  engine::event_kind::packet_in,
                                  link,
                                  static_cast<std::uint64_t>(number)),
                     m_packetInEvent,
                     place);
}

void
PacketMachine::PacketIn(std::uint32_t place)
{
    WayOfPacket& way = m_ways.OfPacket(place);
    ChooseWay(way);
    StandInLine(place);
}

void
PacketMachine::StandInLine(std::uint32_t place)
{
    const WayOfPacket& way = m_ways.OfPacket(place);
    QueuedPacket& packet = m_packets[place];
    const auto input = static_cast<std::uint32_t>(way.place.in.link.index());
    m_plan.Keep(
        packet.hop,
        m_plan.Planned(
            input, way.place.in.virtual_channel, way.hop, way.firstChannel, way.place.destination));
    if (m_cutThrough)
    {
        const std::int64_t sending = LeastSendingTime(m_plan[packet.hop].port, way.wire);
        packet.ready = std::max(packet.ready, way.arrival - sending);
    }
    PushPacket(place);
}

void
PacketMachine::ArriveByWay(std::uint32_t message, std::int64_t arrival)
{
    WaysOfMessage& ways = m_ways.OfMessage(message);
    ways.lastArrival = std::max(ways.lastArrival, arrival);
    if (--ways.undelivered == 0)
    {
        Schedule({ways.lastArrival, message, true});
    }
}

} // namespace npunet::packet
