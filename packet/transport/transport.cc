/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/transport.h"

namespace npunet::packet
{

QueuePairs::QueuePairs(const topology::NetworkDescription& description,
                       const TransportNetwork& network,
                       TransportHost& host)
    : m_isReliable(description.packet.transport.kind != topology::TransportKind::None),
      m_network(network), m_sizes(description.packet),
      m_pairs(description, m_sizes, network.routes, m_border),
      m_messages(network.clock, m_sizes, m_pairs, m_border, host),
      m_packets(network,
                m_sizes,
                NeedsOf(description.packet.congestion_control).telemetry,
                m_pairs,
                m_border),
      m_sender(description, network, m_sizes, m_pairs, m_messages, m_packets, host),
      m_receiver(description, network.clock, m_sizes, m_pairs, m_messages, m_packets),
      m_scan(description.packet, m_pairs, m_messages, m_sender.Lines(), m_sender.Timers())
{
}

void
QueuePairs::Send(const engine::Message& message, std::uint8_t trafficClass)
{
    const std::uint64_t key =
        QueuePair::KeyOf(static_cast<std::uint32_t>(message.source.index()),
                         static_cast<std::uint32_t>(message.destination.index()),
                         trafficClass);
    m_sender.Send(message, m_pairs.NumberOf(key));
}

void
QueuePairs::Receive(std::uint32_t place)
{
    EthernetPacket packet = m_network.packets[place];
    if (m_border.IsSplit())
    {
        ComeToEnd(place, packet);
    }
    m_network.packets.Free(place);
    switch (packet.kind)
    {
    case PacketKind::DATA:
        m_receiver.ReceiveData(packet);
        break;
    case PacketKind::NOTIFICATION:
        m_sender.ReceiveNotification(packet.pair);
        break;
    case PacketKind::REQUEST:
        m_receiver.ReceiveRequest(packet);
        break;
    case PacketKind::GRANT:
        m_sender.ReceiveGrant(packet);
        break;
    default:
        m_sender.ReceiveAnswer(packet);
        break;
    }
    m_network.telemetry.Free(packet.telemetry);
}

void
QueuePairs::ComeToEnd(std::uint32_t place, EthernetPacket& packet)
{
    const EthernetCargo& cargo = m_border.CargoOf(place);
    packet.pair = m_pairs.NumberOf(cargo.pair);
    const QueuePair& pair = m_pairs[packet.pair];
    if (packet.kind == PacketKind::DATA && !m_border.SendsHere(pair) &&
        packet.sequence >= pair.expected)
    {
        m_messages.Meet(packet.pair, cargo);
    }
}

} // namespace npunet::packet
