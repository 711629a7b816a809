/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// QueuePairs: credits that the receiver gives.

#include "npu-queue-pairs.h"

#include "base/quantities.h"
#include "topology/pair_hash.h"

#include <algorithm>

namespace npunet::packet
{

void
QueuePairs::OpenCredit(QueuePair& pair, const FlowPath& path)
{
    const topology::CongestionControlChoice& choice = m_description.packet.congestion_control;
    pair.credit = std::make_unique<CreditState>();
    const double window = topology::value_of(choice, "initial_window") * path.BandwidthDelay();
    pair.credit->initial =
        std::max<std::int64_t>(static_cast<std::int64_t>(window) / m_fullWire, 1);
    const topology::Hop last =
        m_description.route(NodeId(std::size_t{pair.source}), NodeId(std::size_t{pair.destination}))
            .back();
    pair.lastLink = static_cast<std::uint32_t>(last.link.index());
    const Time full = transfer_time(Bytes(m_fullWire), m_description.graph.link(last.link).rate);
    const double interval =
        static_cast<double>(full.ps()) / topology::value_of(choice, "credit_rate");
    m_credits.SetPace(pair.lastLink, static_cast<std::int64_t>(interval) + 1);
}

void
QueuePairs::BeginBurst(QueuePair& pair) const
{
    CreditState& credit = *pair.credit;
    const std::int64_t flying = (pair.inFlight + m_fullWire - 1) / m_fullWire;
    credit.balance = std::max(std::min(credit.balance, credit.initial), credit.initial - flying);
}

std::int64_t
QueuePairs::NeedOf(const QueuePair& pair) const
{
    const std::uint64_t lost = pair.selective ? pair.selective->losses : 0;
    const auto backlog = static_cast<std::int64_t>(pair.end - pair.next + lost);
    return std::max<std::int64_t>(backlog - pair.credit->balance, 0);
}

void
QueuePairs::AskForCredit(std::uint32_t number, bool afresh)
{
    QueuePair& pair = m_pairs[number];
    const std::int64_t need = NeedOf(pair);
    if (!afresh && pair.credit->Expected() >= need)
    {
        return;
    }
    pair.credit->Tell(need);
    const std::uint32_t place = m_packets.Take();
    EthernetPacket& packet = m_packets[place];
    packet.kind = PacketKind::REQUEST;
    packet.pair = number;
    packet.subject = pair.credit->had;
    packet.backlog = static_cast<std::uint32_t>(std::min<std::int64_t>(need, NONE));
    packet.repeated = afresh;
    packet.sentAt = Now();
    packet.wire = WireBytes(0);
    packet.trafficClass = pair.trafficClass;
    packet.hop = pair.forth;
    if (m_border != nullptr)
    {
        TakeAlong(place, number, NONE);
    }
    if (m_routes.AreChosen())
    {
        using topology::mixed;
        const std::uint64_t hash =
            mixed(mixed(mixed(m_description.packet.seed) ^ pair.key) + pair.transmissions);
        m_routes.Start(place, packet, pair.source, pair.destination, hash, Now());
    }
    if (pair.deadline == NEVER)
    {
        RestartTimer(pair, number);
    }
    m_wire.SendControl(place);
}

void
QueuePairs::LearnNeed(std::uint32_t number, const EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[number];
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
        m_credits.Join(pair.lastLink, number);
    }
}

void
QueuePairs::Grant(std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
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
        m_credits.JoinAgain(pair.lastLink, number);
    }
    EthernetPacket cause;
    cause.pair = number;
    cause.sequence = credit.given;
    Answer(PacketKind::GRANT, cause);
}

void
QueuePairs::ReceiveGrant(const EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[packet.pair];
    pair.credit->Get(packet.subject);
    if (pair.inFlight == 0)
    {
        RestartTimer(pair, packet.pair);
    }
    Review(packet.pair);
}

} // namespace npunet::packet
