/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/loss_recovery.h"

#include <algorithm>

namespace npunet::packet
{

LossRecovery::LossRecovery(const topology::NetworkDescription& description,
                           const PacketSizes& sizes,
                           const EthernetClock& clock,
                           TransportMessages& messages)
    : m_reordering(description.packet.transport.reordering), m_sizes(sizes), m_clock(clock),
      m_messages(messages), m_jitter(description)
{
    if (m_reordering < 0 && description.multipath == nullptr)
    {
        m_reordering = 0;
    }
}

std::int64_t
LossRecovery::Hear(QueuePair& pair, const EthernetPacket& answer)
{
    std::int64_t bytes = Acknowledge(pair, answer.sequence);
    if (pair.selective)
    {
        if (answer.kind == PacketKind::ACKNOWLEDGEMENT)
        {
            bytes += AcknowledgeOne(pair, answer.subject);
            JudgeLosses(pair);
        }
        else if (answer.subject >= pair.acknowledged &&
                 !pair.selective->received.Contains(answer.subject) &&
                 !pair.selective->lost.Contains(answer.subject))
        {
            Lose(pair, answer.subject);
            TellLoss(pair, answer.subject);
        }
    }
    else if (answer.kind == PacketKind::GO_BACK && answer.sequence == pair.acknowledged &&
             pair.next > pair.acknowledged)
    {
        TellLoss(pair, pair.acknowledged);
        LoseAll(pair);
    }
    return bytes;
}

std::int64_t
LossRecovery::Acknowledge(QueuePair& pair, std::uint64_t upTo)
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
            bytes += AcknowledgeSome(pair, message, end);
        }
        if (end == message.last + 1)
        {
            pair.acknowledging = message.next;
            if (pair.next < end)
            {
                pair.next = end;
                pair.sending = message.next;
            }
            m_messages.SenderIsDone(place, m_clock.Now());
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
LossRecovery::AcknowledgeSome(QueuePair& pair, const PairMessage& message, std::uint64_t end)
{
    const auto packets = static_cast<std::int64_t>(end - pair.acknowledged);
    const std::int64_t bytes = (packets - 1) * m_sizes.Full() + m_messages.WireOf(message, end - 1);
    // What lies beyond `next` had been given up for lost.
    const std::uint64_t flying = std::clamp(pair.next, pair.acknowledged, end);
    const auto counted = static_cast<std::int64_t>(flying - pair.acknowledged);
    pair.inFlight -= flying == end ? bytes : std::min(pair.inFlight, counted * m_sizes.Full());
    pair.acknowledged = end;
    return bytes;
}

std::int64_t
LossRecovery::AcknowledgeOne(QueuePair& pair, std::uint64_t sequence)
{
    SelectiveState& selective = *pair.selective;
    if (sequence < pair.acknowledged || selective.received.Contains(sequence))
    {
        return 0;
    }
    const std::int64_t wire =
        m_messages.WireOf(m_messages[m_messages.Of(pair, sequence)], sequence);
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
LossRecovery::JudgeLosses(QueuePair& pair)
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
LossRecovery::Lose(QueuePair& pair, std::uint64_t sequence)
{
    SelectiveState& selective = *pair.selective;
    pair.inFlight -= m_messages.WireOf(m_messages[m_messages.Of(pair, sequence)], sequence);
    selective.lost.Insert(sequence);
    selective.firstLost =
        selective.losses == 0 ? sequence : std::min(selective.firstLost, sequence);
    ++selective.losses;
}

void
LossRecovery::TellLoss(QueuePair& pair, std::uint64_t sequence)
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
        pair.control->Lost(m_clock.Now(), false);
    }
}

void
LossRecovery::LoseAll(QueuePair& pair)
{
    pair.asked = 0;
    m_jitter.PutOff(pair, m_clock.Now());
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

std::uint64_t
LossRecovery::TakeLost(SelectiveState& selective)
{
    while (!selective.lost.Contains(selective.firstLost))
    {
        ++selective.firstLost;
    }
    const std::uint64_t sequence = selective.firstLost++;
    selective.lost.Erase(sequence);
    --selective.losses;
    return sequence;
}

} // namespace npunet::packet
