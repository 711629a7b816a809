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

void
PacketWays::Use(const topology::MultipathRouter& ways,
                const topology::NetworkDescription& network,
                std::size_t channels)
{
    router = &ways;
    seed = network.packet.seed;
    waiting.resize(network.graph.links());
    promised.resize(network.graph.links() * channels);
}

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
    ways.undelivered = std::max<std::int64_t>((sent.bytes.value() + m_mtu - 1) / m_mtu, 1);
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
    way.promised = false;
    // What is chosen already is taken, unless it is gone for ever by now.
    if (way.then.link.valid() && !(m_detours && m_detours->is_dead(way.then.link)))
    {
        way.hop = way.then;
        way.then = topology::Hop();
        m_ways.waiting[way.hop.link.index()] += way.wire;
        return;
    }
    const std::int64_t now = m_queue.now().ps();
    m_ways.router->list_ways(m_plan.GetGraph(), way.place, m_ways.listed);
    const topology::Way* best = nullptr;
    std::int64_t least = NEVER;
    bool bestIsUp = false;
    // A link that is down now is nobody's first choice.
    const auto isUp = [&](const topology::Way& offered) {
        const auto port = static_cast<std::uint32_t>(offered.hop.link.index());
        return m_ports[port].irregular == 0 || m_timing.UpAt(port, now) == now;
    };
    const auto consider = [&](const topology::Way& offered) {
        const auto port = static_cast<std::uint32_t>(offered.hop.link.index());
        const bool up = isUp(offered);
        const std::int64_t drained =
            (m_ports[port].busyUntil > now ? m_ports[port].fullTime : 0) +
            transfer_time(Bytes(m_ways.waiting[port] + way.wire), m_rates[port]).ps();
        const std::int64_t cost =
            drained > NEVER / offered.weight ? NEVER - 1 : drained * offered.weight;
        if (best == nullptr || (up && !bestIsUp) || (up == bestIsUp && cost < least))
        {
            best = &offered;
            least = cost;
            bestIsUp = up;
        }
    };
    for (const topology::Way& offered : m_ways.listed)
    {
        if (offered.escape)
        {
            continue;
        }
        const auto port = static_cast<std::uint32_t>(offered.hop.link.index());
        const std::uint32_t channel = way.firstChannel + offered.hop.virtual_channel;
        if (!offered.needs_room ||
            Credit(port, channel).Has(m_ways.promised[port * m_channels + channel] + way.wire, now))
        {
            consider(offered);
        }
    }
    for (const topology::Way& offered : m_ways.listed)
    {
        if (offered.escape && (best == nullptr || (!bestIsUp && isUp(offered))))
        {
            consider(offered);
        }
    }
    way.hop = best->hop;
    way.then = best->then;
    way.promised = best->needs_room;
    way.memoryBehind = best->memory;
    const auto port = static_cast<std::uint32_t>(way.hop.link.index());
    m_ways.waiting[port] += way.wire;
    if (way.promised)
    {
        m_ways.promised[port * m_channels + way.firstChannel + way.hop.virtual_channel] += way.wire;
    }
}

void
PacketMachine::LeaveWay(const WayOfPacket& way)
{
    const auto port = static_cast<std::uint32_t>(way.hop.link.index());
    m_ways.waiting[port] -= way.wire;
    if (way.promised)
    {
        m_ways.promised[port * m_channels + way.firstChannel + way.hop.virtual_channel] -= way.wire;
    }
}

bool
PacketMachine::CutWay(std::uint32_t message, std::uint32_t place, std::int64_t end)
{
    WaysOfMessage& ways = m_ways.OfMessage(message);
    LeaveWay(ways.next);
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
PacketMachine::GoOn(std::uint32_t place, const Crossing& crossing)
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
                                  static_cast<std::uint64_t>(m_ports[link].packets)),
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
        ScheduleDelivery(message, ways.lastArrival);
    }
}

} // namespace npunet::packet
