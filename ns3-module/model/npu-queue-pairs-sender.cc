/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// QueuePairs: what the sender does when answers come, and when none do.

#include "npu-queue-pairs.h"

#include "base/quantities.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;
using topology::TransportKind;

void
QueuePairs::ReceiveAnswer(const EthernetPacket& packet)
{
    const std::uint32_t number = packet.pair;
    QueuePair& pair = m_pairs[number];
    const std::int64_t now = Now();
    std::int64_t bytes = Acknowledge(pair, packet.sequence);
    if (pair.selective)
    {
        if (packet.kind == PacketKind::ACKNOWLEDGEMENT)
        {
            bytes += AcknowledgeOne(pair, packet.subject);
            JudgeLosses(pair);
        }
        else if (packet.subject >= pair.acknowledged &&
                 !pair.selective->received.Contains(packet.subject) &&
                 !pair.selective->lost.Contains(packet.subject))
        {
            Lose(pair, packet.subject);
            TellLoss(pair, packet.subject);
        }
    }
    else if (packet.kind == PacketKind::GO_BACK && packet.sequence == pair.acknowledged &&
             pair.next > pair.acknowledged)
    {
        TellLoss(pair, pair.acknowledged);
        LoseAll(pair);
    }
    if (bytes > 0)
    {
        pair.backoff = 0;
        RestartTimer(pair, number);
    }
    if (pair.control && packet.kind != PacketKind::TRIMMED)
    {
        Acknowledgement told;
        told.now = now;
        told.bytes = bytes;
        told.marked = std::min<std::int64_t>(packet.marked, bytes);
        told.roundTrip = now - packet.sentAt;
        told.next = packet.sequence;
        told.sent = pair.top;
        if (packet.telemetry != NONE)
        {
            const std::vector<HopTelemetry>& hops = m_telemetry[packet.telemetry];
            told.telemetry = hops.data();
            told.hops = static_cast<std::uint32_t>(hops.size());
        }
        pair.control->Acknowledged(told);
    }
    Review(number);
}

std::int64_t
QueuePairs::Acknowledge(QueuePair& pair, std::uint64_t upTo)
{
    std::int64_t bytes = 0;
    while (pair.acknowledged < upTo)
    {
        const std::uint32_t place = pair.acknowledging;
        const PairMessage& message = m_messages[place];
        const std::uint64_t end = std::min(upTo, message.last + 1);
        if (pair.selective)
        {
            for (; pair.acknowledged < end; ++pair.acknowledged)
            {
                bytes += AcknowledgeOne(pair, pair.acknowledged);
            }
        }
        else
        {
            const auto packets = static_cast<std::int64_t>(end - pair.acknowledged);
            const std::int64_t some =
                (packets - 1) * m_fullWire + WireBytes(PayloadOf(message, end - 1));
            // What lies beyond `next` had been given up for lost.
            const std::uint64_t flying = std::clamp(pair.next, pair.acknowledged, end);
            const auto counted = static_cast<std::int64_t>(flying - pair.acknowledged);
            pair.inFlight -= flying == end ? some : std::min(pair.inFlight, counted * m_fullWire);
            bytes += some;
            pair.acknowledged = end;
        }
        if (end == message.last + 1)
        {
            pair.acknowledging = message.next;
            if (pair.next < end)
            {
                pair.next = end;
                pair.sending = message.next;
            }
            SenderIsDone(place, Now());
        }
        pair.next = std::max(pair.next, pair.acknowledged);
    }
    if (pair.selective)
    {
        pair.selective->received.MoveBase(pair.acknowledged);
        pair.selective->lost.MoveBase(pair.acknowledged);
        pair.selective->firstLost = std::max(pair.selective->firstLost, pair.acknowledged);
    }
    return bytes;
}

std::int64_t
QueuePairs::AcknowledgeOne(QueuePair& pair, std::uint64_t sequence)
{
    SelectiveState& selective = *pair.selective;
    if (sequence < pair.acknowledged || selective.received.Contains(sequence))
    {
        return 0;
    }
    const std::int64_t wire = WireBytes(PayloadOf(m_messages[MessageOf(pair, sequence)], sequence));
    if (selective.lost.Contains(sequence))
    {
        selective.lost.Erase(sequence);
        --selective.losses;
    }
    else
    {
        pair.inFlight -= wire;
    }
    selective.received.Insert(sequence);
    selective.highest = std::max(selective.highest, sequence + 1);
    return wire;
}

void
QueuePairs::JudgeLosses(QueuePair& pair)
{
    SelectiveState& selective = *pair.selective;
    if (m_reordering < 0)
    {
        return;
    }
    const auto tolerated = static_cast<std::uint64_t>(m_reordering);
    // The highest that is in has `tolerated` others between it and the last that is judged.
    const std::uint64_t end =
        selective.highest > tolerated + 1 ? selective.highest - 1 - tolerated : 0;
    for (std::uint64_t sequence = std::max(selective.judged, pair.acknowledged); sequence < end;
         ++sequence)
    {
        if (!selective.received.Contains(sequence) && !selective.lost.Contains(sequence))
        {
            Lose(pair, sequence);
            TellLoss(pair, sequence);
        }
    }
    selective.judged = std::max(selective.judged, end);
}

void
QueuePairs::Lose(QueuePair& pair, std::uint64_t sequence)
{
    SelectiveState& selective = *pair.selective;
    const PairMessage& message = m_messages[MessageOf(pair, sequence)];
    pair.inFlight -= WireBytes(PayloadOf(message, sequence));
    selective.lost.Insert(sequence);
    selective.firstLost =
        selective.losses == 0 ? sequence : std::min(selective.firstLost, sequence);
    ++selective.losses;
}

void
QueuePairs::TellLoss(QueuePair& pair, std::uint64_t sequence)
{
    if (pair.selective)
    {
        if (sequence < pair.selective->recoveryEnd)
        {
            return;
        }
        pair.selective->recoveryEnd = pair.top;
    }
    if (pair.control)
    {
        pair.control->Lost(Now(), false);
    }
}

void
QueuePairs::LoseAll(QueuePair& pair)
{
    pair.asked = 0;
    if (pair.selective)
    {
        for (std::uint64_t sequence = pair.acknowledged; sequence < pair.next; ++sequence)
        {
            if (!pair.selective->received.Contains(sequence) &&
                !pair.selective->lost.Contains(sequence))
            {
                Lose(pair, sequence);
            }
        }
        pair.selective->recoveryEnd = pair.top;
    }
    else
    {
        pair.next = pair.acknowledged;
        pair.sending = pair.acknowledging;
        pair.inFlight = 0;
    }
}

void
QueuePairs::RestartTimer(QueuePair& pair, std::uint32_t number)
{
    const bool waits = pair.credit && pair.credit->balance <= 0 && NeedOf(pair) > 0;
    constexpr std::uint32_t mostDoublings = 6;
    pair.deadline = pair.inFlight == 0 && !waits
                        ? NEVER
                        : Now() + (pair.timeout << std::min(pair.backoff, mostDoublings));
    if (m_notes)
    {
        NoteRestart(number, pair.deadline);
    }
    if (pair.deadline < pair.timer)
    {
        pair.timer = pair.deadline;
        m_queue->schedule(Time::ps(pair.timer),
                          EventKey::of(Phase::Arrival, engine::event_kind::timeout, pair.key),
                          m_timerEvent,
                          number);
    }
}

void
QueuePairs::TimerDue(std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    const std::int64_t now = Now();
    if (pair.timer != now || (m_still && IsUnderWay(pair)))
    {
        return;
    }
    pair.timer = NEVER;
    if (pair.deadline > now)
    {
        if (pair.deadline != NEVER)
        {
            pair.timer = pair.deadline;
            m_queue->schedule(Time::ps(pair.timer),
                              EventKey::of(Phase::Arrival, engine::event_kind::timeout, pair.key),
                              m_timerEvent,
                              number);
        }
        return;
    }
    ++pair.use.timeouts;
    ++pair.backoff;
    if (m_retries > 0 && pair.backoff > m_retries)
    {
        m_wire.GiveUp(pair);
    }
    LoseAll(pair);
    pair.deadline = NEVER;
    if (pair.control)
    {
        pair.control->Lost(now, true);
    }
    if (pair.credit && !MaySend(pair))
    {
        AskForCredit(number, true);
    }
    Review(number);
}

} // namespace npunet::packet
