/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/transport_packets.h"

#include <algorithm>

namespace npunet::packet
{

std::uint32_t
TransportPackets::MakeData(std::uint32_t number,
                           std::uint64_t sequence,
                           std::uint32_t messagePlace,
                           const PairMessage& message)
{
    const QueuePair& pair = m_pairs[number];
    const std::uint32_t place = m_network.packets.Take();
    EthernetPacket& packet = m_network.packets[place];
    packet.kind = PacketKind::DATA;
    packet.pair = number;
    packet.sequence = sequence;
    packet.subject = sequence == message.last ? messagePlace : NONE;
    packet.payload =
        static_cast<std::uint32_t>(m_sizes.PayloadBehind(message.bytes, sequence - message.first));
    packet.wire = m_sizes.Wire(packet.payload);
    packet.trafficClass = pair.trafficClass;
    packet.sentAt = m_network.clock.Now();
    packet.hop = pair.forth;
    packet.repeated = sequence < pair.top;
    if (m_network.routes.AreChosen())
    {
        m_network.routes.TakeFromPair(place, packet, number);
    }
    if (m_telemetry)
    {
        packet.telemetry = m_network.telemetry.Take();
    }
    m_border.TakeAlong(place, pair);
    m_border.TakeAlong(place, message, messagePlace);
    return place;
}

void
TransportPackets::Request(std::uint32_t number, std::int64_t need, bool afresh)
{
    const QueuePair& pair = m_pairs[number];
    const std::int64_t now = m_network.clock.Now();
    const std::uint32_t place = MakeControl(PacketKind::REQUEST, number, pair);
    EthernetPacket& packet = m_network.packets[place];
    packet.subject = pair.credit->had;
    packet.backlog = static_cast<std::uint32_t>(std::min<std::int64_t>(need, NONE));
    packet.repeated = afresh;
    packet.sentAt = now;
    EthernetRoutes& routes = m_network.routes;
    if (routes.AreChosen())
    {
        const std::uint64_t drawn = routes.Draw(pair.key, pair.transmissions);
        routes.Start(place, packet, pair.source, pair.destination, drawn, now);
    }
    m_network.wire.SendControl(place);
}

void
TransportPackets::Answer(PacketKind kind, EthernetPacket& cause)
{
    QueuePair& pair = m_pairs[cause.pair];
    const std::uint32_t place = MakeControl(kind, cause.pair, pair);
    EthernetPacket& packet = m_network.packets[place];
    packet.sequence = pair.expected;
    packet.subject = cause.sequence;
    packet.sentAt = cause.sentAt;
    if (kind == PacketKind::ACKNOWLEDGEMENT || kind == PacketKind::GO_BACK)
    {
        packet.marked = pair.markedBytes;
        pair.markedBytes = 0;
        pair.unanswered = 0;
        if (m_telemetry)
        {
            packet.telemetry = cause.telemetry;
            cause.telemetry = NONE;
            packet.wire += TELEMETRY_BYTES *
                           static_cast<std::uint32_t>(m_network.telemetry[packet.telemetry].size());
        }
    }
    EthernetRoutes& routes = m_network.routes;
    if (routes.AreChosen())
    {
        const std::uint64_t drawn = routes.Draw(~pair.key, pair.answers++);
        routes.Start(place, packet, pair.destination, pair.source, drawn, m_network.clock.Now());
    }
    m_network.wire.SendControl(place);
}

} // namespace npunet::packet
