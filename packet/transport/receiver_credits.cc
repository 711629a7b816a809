/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/receiver_credits.h"

#include "base/quantities.h"
#include "engine/network.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

ReceiverCredits::ReceiverCredits(const topology::NetworkDescription& description,
                                 EthernetClock& clock,
                                 const PacketSizes& sizes,
                                 PairTable& pairs,
                                 TransportPackets& packets)
    : m_clock(clock), m_pairs(pairs), m_packets(packets)
{
    const topology::CongestionControlChoice& choice = description.packet.congestion_control;
    if (choice.algorithm != topology::CongestionAlgorithm::ReceiverCredit)
    {
        return;
    }
    const double rate = topology::value_of(choice, "credit_rate");
    m_pacers.resize(description.graph.links());
    for (std::size_t number = 0; number < m_pacers.size(); ++number)
    {
        const topology::Link& link = description.graph.link(LinkId(number));
        const Time full = transfer_time(Bytes(sizes.Full()), link.rate);
        const double interval = static_cast<double>(full.ps()) / rate;
        m_pacers[number].interval = capped_whole(interval) + 1;
    }
}

void
ReceiverCredits::Learn(const EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[packet.pair];
    CreditState& credit = *pair.credit;
    // Control packets overtake data, and what it tells is no news then.
    if (packet.sentAt < credit.learnedAt)
    {
        return;
    }
    credit.learnedAt = packet.sentAt;
    credit.Learn(
        packet.backlog, packet.subject, packet.kind == PacketKind::REQUEST && packet.repeated);
    if (credit.demand > 0 && !credit.inTurn)
    {
        credit.inTurn = true;
        m_pacers[pair.lastLink].line.push_back(packet.pair);
        Await(pair.lastLink);
    }
}

void
ReceiverCredits::Await(std::uint32_t link)
{
    Pacer& pacer = m_pacers[link];
    if (pacer.awaited)
    {
        return;
    }
    pacer.awaited = true;
    ++m_due;
    m_clock.Schedule(std::max(pacer.next, m_clock.Now()),
                     EventKey::of(Phase::Arrival, engine::event_kind::grant, link),
                     m_event,
                     link);
}

void
ReceiverCredits::Due(std::uint32_t link)
{
    Pacer& pacer = m_pacers[link];
    pacer.awaited = false;
    --m_due;
    const std::uint32_t pair = pacer.line.front();
    pacer.line.pop_front();
    pacer.next = later(Time::ps(m_clock.Now()), Time::ps(pacer.interval)).ps();
    Grant(pair);
    if (!pacer.line.empty())
    {
        Await(link);
    }
}

void
ReceiverCredits::Grant(std::uint32_t number)
{
    const QueuePair& pair = m_pairs[number];
    CreditState& credit = *pair.credit;
    credit.inTurn = false;
    if (credit.demand == 0)
    {
        return;
    }
    --credit.demand;
    ++credit.given;
    if (credit.demand > 0)
    {
        credit.inTurn = true;
        m_pacers[pair.lastLink].line.push_back(number);
    }
    EthernetPacket cause;
    cause.pair = number;
    cause.sequence = credit.given;
    m_packets.Answer(PacketKind::GRANT, cause);
}

} // namespace npunet::packet
