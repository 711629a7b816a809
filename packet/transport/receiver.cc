/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/receiver.h"

namespace npunet::packet
{

using topology::TransportKind;

PairReceiver::PairReceiver(const topology::NetworkDescription& description,
                           EthernetClock& clock,
                           const PacketSizes& sizes,
                           PairTable& pairs,
                           TransportMessages& messages,
                           TransportPackets& packets)
    : m_kind(description.packet.transport.kind), m_ackEvery(description.packet.transport.ack_every),
      m_needs(NeedsOf(description.packet.congestion_control)), m_clock(clock), m_pairs(pairs),
      m_messages(messages), m_packets(packets), m_credits(description, clock, sizes, pairs, packets)
{
}

void
PairReceiver::ReceiveData(EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[packet.pair];
    if (pair.credit)
    {
        m_credits.Learn(packet);
    }
    if (packet.trimmed)
    {
        m_packets.Answer(PacketKind::TRIMMED, packet);
        return;
    }
    if (packet.marked != 0)
    {
        NoticeMark(packet);
    }
    const std::uint64_t sequence = packet.sequence;
    if (sequence != pair.expected)
    {
        ReceiveOutOfOrder(pair, packet);
        return;
    }
    pair.askedBack = false;
    const bool complete = Accept(pair, sequence);
    if (m_kind == TransportKind::None)
    {
        return;
    }
    ++pair.unanswered;
    // Whatever was kept makes the answer urgent: the sender may wait for it.
    const bool filled = pair.expected > sequence + 1;
    if (complete || filled || packet.asks || pair.unanswered >= m_ackEvery)
    {
        m_packets.Answer(PacketKind::ACKNOWLEDGEMENT, packet);
    }
}

void
PairReceiver::ReceiveOutOfOrder(QueuePair& pair, EthernetPacket& packet)
{
    const bool keepsEarly = m_kind != TransportKind::GoBackN;
    const bool again =
        packet.sequence < pair.expected || (keepsEarly && pair.early.Contains(packet.sequence));
    if (!again && !keepsEarly)
    {
        if (!pair.askedBack)
        {
            pair.askedBack = true;
            m_packets.Answer(PacketKind::GO_BACK, packet);
        }
        return;
    }
    if (!again)
    {
        pair.early.Insert(packet.sequence);
    }
    if (m_kind != TransportKind::None)
    {
        m_packets.Answer(PacketKind::ACKNOWLEDGEMENT, packet);
    }
}

bool
PairReceiver::Accept(QueuePair& pair, std::uint64_t sequence)
{
    pair.expected = sequence + 1;
    if (m_kind != TransportKind::GoBackN)
    {
        while (pair.early.Contains(pair.expected))
        {
            ++pair.expected;
        }
        pair.early.MoveBase(pair.expected);
    }
    return m_messages.Deliver(pair);
}

void
PairReceiver::NoticeMark(EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[packet.pair];
    ++pair.use.marked;
    if (m_needs.echo)
    {
        pair.markedBytes += packet.wire;
    }
    const std::int64_t now = m_clock.Now();
    if (m_needs.notificationInterval == 0 ||
        (pair.lastNotified >= 0 && now - pair.lastNotified < m_needs.notificationInterval))
    {
        return;
    }
    pair.lastNotified = now;
    ++pair.use.notified;
    m_packets.Answer(PacketKind::NOTIFICATION, packet);
}

} // namespace npunet::packet
