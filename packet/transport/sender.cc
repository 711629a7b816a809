/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/sender.h"

#include "base/quantities.h"

#include <algorithm>
#include <vector>

namespace npunet::packet
{

PairSender::PairSender(const topology::NetworkDescription& description,
                       const TransportNetwork& network,
                       const PacketSizes& sizes,
                       PairTable& pairs,
                       TransportMessages& messages,
                       TransportPackets& packets,
                       const TransportHost& host)
    : m_isReliable(description.packet.transport.kind != topology::TransportKind::None),
      m_retries(static_cast<std::uint32_t>(description.packet.transport.retries)),
      m_network(network), m_pairs(pairs), m_messages(messages), m_packets(packets), m_host(host),
      m_window(description.packet.transport, sizes), m_lines(description.graph.links(),
                                                             description.packet.classes.count,
                                                             network,
                                                             sizes.Full(),
                                                             m_window,
                                                             pairs),
      m_timers(network.clock, pairs, *this),
      m_recovery(description, sizes, network.clock, messages),
      m_credits(sizes, pairs, packets, m_timers), m_jitter(description)
{
}

void
PairSender::Send(const engine::Message& message, std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    if (!pair.HasMore())
    {
        m_jitter.PutOff(pair, m_network.clock.Now());
        if (pair.credit)
        {
            m_credits.BeginBurst(pair);
        }
    }
    m_messages.Open(message, number);
    Review(number);
}

std::uint32_t
PairSender::TakePacket(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now)
{
    const std::uint32_t number = m_lines.TakeFirst(port, trafficClass);
    QueuePair& pair = m_pairs[number];
    std::uint64_t sequence = pair.next;
    std::uint32_t messagePlace = pair.sending;
    if (pair.selective && pair.selective->losses > 0)
    {
        sequence = LossRecovery::TakeLost(*pair.selective);
        messagePlace = m_messages.Of(pair, sequence);
    }
    else
    {
        ++pair.next;
    }
    PairMessage& message = m_messages[messagePlace];
    if (messagePlace == pair.sending && pair.next > message.last)
    {
        pair.sending = message.next;
    }
    if (message.firstByteLeft < 0)
    {
        message.firstByteLeft = now;
    }
    const std::uint32_t place = m_packets.MakeData(number, sequence, messagePlace, message);
    EthernetPacket& packet = m_packets[place];
    if (pair.credit)
    {
        SenderCredits::Spend(pair, packet);
    }
    Count(pair, number, packet);
    if (pair.control)
    {
        pair.control->PacketSent(now, packet.wire);
        const std::int64_t rate = pair.control->Rate(now);
        if (rate != CongestionControl::NO_PACING)
        {
            pair.nextStart = later(Time::ps(now), time_for(packet.wire, rate)).ps();
        }
    }
    packet.asks = !pair.HasMore() || !m_window.IsOpen(pair);
    if (packet.asks || sequence == message.last)
    {
        pair.asked = std::max(pair.asked, sequence + 1);
    }
    Review(number);
    return place;
}

void
PairSender::Count(QueuePair& pair, std::uint32_t number, const EthernetPacket& packet)
{
    ++pair.transmissions;
    ++pair.use.packets;
    pair.use.repeated += packet.repeated ? 1 : 0;
    pair.top = std::max(pair.top, packet.sequence + 1);
    if (m_isReliable)
    {
        pair.inFlight += packet.wire;
        if (pair.deadline == NEVER)
        {
            m_timers.Restart(pair, number);
        }
    }
}

void
PairSender::LeavesForGood(const EthernetPacket& packet, std::int64_t end)
{
    QueuePair& pair = m_pairs[packet.pair];
    pair.lastEnd = std::max(pair.lastEnd, end);
    if (packet.subject != NONE)
    {
        pair.acknowledged = packet.sequence + 1;
        const auto message = static_cast<std::uint32_t>(packet.subject);
        pair.acknowledging = m_messages[message].next;
        m_messages.SenderIsDone(message, pair.lastEnd);
    }
}

void
PairSender::ReceiveAnswer(const EthernetPacket& packet)
{
    const std::uint32_t number = packet.pair;
    QueuePair& pair = m_pairs[number];
    const std::int64_t now = m_network.clock.Now();
    const std::int64_t bytes = m_recovery.Hear(pair, packet);
    if (bytes > 0)
    {
        pair.backoff = 0;
        m_timers.Restart(pair, number);
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
            const std::vector<HopTelemetry>& hops = m_network.telemetry[packet.telemetry];
            told.telemetry = hops.data();
            told.hops = static_cast<std::uint32_t>(hops.size());
        }
        pair.control->Acknowledged(told);
    }
    Review(number);
}

void
PairSender::ReceiveNotification(std::uint32_t number)
{
    const QueuePair& pair = m_pairs[number];
    if (pair.control)
    {
        pair.control->Notified(m_network.clock.Now());
    }
}

void
PairSender::ReceiveGrant(const EthernetPacket& packet)
{
    m_credits.Get(packet);
    Review(packet.pair);
}

void
PairSender::ChooseAnew()
{
    for (const std::uint32_t number : m_lines.Empty())
    {
        Review(number);
    }
}

void
PairSender::TimedOut(std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    ++pair.use.timeouts;
    ++pair.backoff;
    if (m_retries > 0 && pair.backoff > m_retries)
    {
        m_host.GiveUp(pair);
    }
    m_recovery.LoseAll(pair);
    pair.deadline = NEVER;
    if (pair.control)
    {
        pair.control->Lost(m_network.clock.Now(), true);
    }
    if (pair.credit && !m_window.MaySend(pair))
    {
        m_credits.Ask(number, true);
    }
    Review(number);
}

} // namespace npunet::packet
