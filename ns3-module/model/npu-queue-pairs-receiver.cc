/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// QueuePairs: what the receiver does with data.

#include "npu-queue-pairs.h"

#include "topology/pair_hash.h"

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;
using topology::TransportKind;

void
QueuePairs::ReceiveData(EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[packet.pair];
    if (pair.credit)
    {
        LearnNeed(packet.pair, packet);
    }
    if (packet.trimmed)
    {
        Answer(PacketKind::TRIMMED, packet);
        return;
    }
    if (packet.marked != 0)
    {
        NoticeMark(packet);
    }
    const std::uint64_t sequence = packet.sequence;
    const bool keepsEarly = m_kind != TransportKind::GoBackN;
    const bool again = sequence < pair.expected || (keepsEarly && pair.early.Contains(sequence));
    if (again || sequence > pair.expected)
    {
        if (!again && !keepsEarly)
        {
            if (!pair.askedBack)
            {
                pair.askedBack = true;
                Answer(PacketKind::GO_BACK, packet);
            }
            return;
        }
        if (!again)
        {
            pair.early.Insert(sequence);
        }
        if (m_kind != TransportKind::None)
        {
            Answer(PacketKind::ACKNOWLEDGEMENT, packet);
        }
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
        Answer(PacketKind::ACKNOWLEDGEMENT, packet);
    }
}

bool
QueuePairs::Accept(QueuePair& pair, std::uint64_t sequence)
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
    bool complete = false;
    while (pair.delivering != NONE && m_messages[pair.delivering].last < pair.expected)
    {
        const std::uint32_t place = pair.delivering;
        const PairMessage& message = m_messages[place];
        pair.delivering = message.next;
        pair.use.ended = Now();
        pair.use.delivered += message.bytes;
        ++pair.use.messages;
        m_wire.MessagesChange();
        m_queue->schedule(
            m_queue->now(),
            EventKey::of(Phase::Arrival, engine::event_kind::message_delivered, message.id),
            m_deliveredEvent,
            place);
        complete = true;
    }
    return complete;
}

void
QueuePairs::Answer(PacketKind kind, EthernetPacket& cause)
{
    QueuePair& pair = m_pairs[cause.pair];
    const std::uint32_t place = m_packets.Take();
    EthernetPacket& packet = m_packets[place];
    packet.kind = kind;
    packet.pair = cause.pair;
    packet.sequence = pair.expected;
    packet.subject = cause.sequence;
    packet.sentAt = cause.sentAt;
    packet.wire = WireBytes(0);
    packet.trafficClass = pair.trafficClass;
    packet.hop = pair.back;
    if (kind == PacketKind::ACKNOWLEDGEMENT || kind == PacketKind::GO_BACK)
    {
        packet.marked = pair.markedBytes;
        pair.markedBytes = 0;
        pair.unanswered = 0;
        if (m_needs.telemetry)
        {
            packet.telemetry = cause.telemetry;
            cause.telemetry = NONE;
            packet.wire +=
                TELEMETRY_BYTES * static_cast<std::uint32_t>(m_telemetry[packet.telemetry].size());
        }
    }
    if (m_border != nullptr)
    {
        TakeAlong(place, cause.pair, NONE);
    }
    if (m_routes.AreChosen())
    {
        using topology::mixed;
        const std::uint64_t hash =
            mixed(mixed(mixed(m_description.packet.seed) ^ ~pair.key) + pair.answers++);
        m_routes.Start(place, m_packets[place], pair.destination, pair.source, hash, Now());
    }
    m_wire.SendControl(place);
}

void
QueuePairs::NoticeMark(EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[packet.pair];
    ++pair.use.marked;
    if (m_needs.echo)
    {
        pair.markedBytes += packet.wire;
    }
    const std::int64_t now = Now();
    if (m_needs.notificationInterval == 0 ||
        (pair.lastNotified >= 0 && now - pair.lastNotified < m_needs.notificationInterval))
    {
        return;
    }
    pair.lastNotified = now;
    ++pair.use.notified;
    Answer(PacketKind::NOTIFICATION, packet);
}

} // namespace npunet::packet
