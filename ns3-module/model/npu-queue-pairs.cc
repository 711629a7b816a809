/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-queue-pairs.h"

#include "base/quantities.h"
#include "topology/pair_hash.h"

#include <algorithm>
#include <cassert>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;
using topology::TransportKind;

QueuePairs::QueuePairs(const topology::NetworkDescription& description,
                       engine::EventQueue& queue,
                       EthernetPackets& packets,
                       TelemetryRecords& telemetry,
                       EthernetRoutes& routes,
                       TransportWire& wire)
    : m_description(description), m_queue(&queue), m_packets(packets), m_telemetry(telemetry),
      m_routes(routes), m_wire(wire), m_kind(description.packet.transport.kind),
      m_ackEvery(description.packet.transport.ack_every),
      m_retries(static_cast<std::uint32_t>(description.packet.transport.retries)),
      m_reordering(description.packet.transport.reordering),
      m_needs(NeedsOf(description.packet.congestion_control)),
      m_mtu(description.packet.mtu.value()), m_header(description.packet.header.value()),
      m_fullWire(WireBytes(m_mtu)), m_classes(description.packet.classes.count),
      m_credits(queue, description.graph.links(), [this](std::uint32_t pair) { Grant(pair); }),
      m_turns(description.graph.links() * m_classes)
{
    if (m_reordering < 0 && description.multipath == nullptr)
    {
        m_reordering = 0;
    }
}

std::uint32_t
QueuePairs::PairOf(std::uint64_t key)
{
    const auto found = m_numbers.find(key);
    if (found != m_numbers.end())
    {
        return found->second;
    }
    const auto number = static_cast<std::uint32_t>(m_pairs.size());
    m_numbers.emplace(key, number);
    m_pairs.emplace_back();
    QueuePair& pair = m_pairs.back();
    pair.key = key;
    pair.source = QueuePair::SourceOf(key);
    pair.destination = QueuePair::DestinationOf(key);
    pair.trafficClass = static_cast<std::uint8_t>(key & 0xff);
    if (!m_routes.AreChosen())
    {
        pair.forth = m_routes.FirstHop(pair.source, pair.destination);
        pair.back = m_routes.FirstHop(pair.destination, pair.source);
        pair.port = m_routes.LinkAt(pair.forth);
    }
    if (m_kind == TransportKind::None)
    {
        pair.window = CongestionControl::NO_WINDOW;
        return number;
    }
    const FlowPath path = PathOf(pair);
    const topology::TransportParameters& transport = m_description.packet.transport;
    const std::int64_t product = 2 * static_cast<std::int64_t>(path.BandwidthDelay()) + 1;
    pair.window = transport.window.value() > 0 ? transport.window.value()
                                               : product + (m_ackEvery + 1) * m_fullWire;
    constexpr std::int64_t leastTimeout = 500'000'000;
    pair.timeout =
        transport.rto > Time() ? transport.rto.ps() : std::max(leastTimeout, 8 * path.roundTrip);
    if (m_description.packet.congestion_control.algorithm ==
        topology::CongestionAlgorithm::ReceiverCredit)
    {
        OpenCredit(pair, path);
    }
    if (!SendsHere(pair))
    {
        return number;
    }
    pair.control = MakeCongestionControl(m_description.packet.congestion_control, path);
    if (m_kind == TransportKind::SelectiveRepeat)
    {
        pair.selective = std::make_unique<SelectiveState>();
    }
    return number;
}

FlowPath
QueuePairs::PathOf(const QueuePair& pair) const
{
    const NodeId source(std::size_t{pair.source});
    const NodeId destination(std::size_t{pair.destination});
    const topology::Graph& graph = m_description.graph;
    const std::vector<topology::Hop> forth = m_description.route(source, destination);
    FlowPath path;
    path.hops = static_cast<std::int32_t>(forth.size());
    path.packet = m_fullWire;
    path.rate = graph.link(forth.front().link).rate.bytes_per_second();
    path.slowest = path.rate;
    const bool cutThrough = m_description.packet.switching == topology::Switching::CutThrough;
    Time trip;
    Time longest;
    for (const topology::Hop& hop : forth)
    {
        const topology::Link& link = graph.link(hop.link);
        const Time sending = transfer_time(Bytes(m_fullWire), link.rate);
        path.slowest = std::min(path.slowest, link.rate.bytes_per_second());
        longest = std::max(longest, sending);
        trip += link.latency + (cutThrough ? Time() : sending);
    }
    trip += cutThrough ? longest : Time();
    for (const topology::Hop& hop : m_description.route(destination, source))
    {
        const topology::Link& link = graph.link(hop.link);
        trip += link.latency + transfer_time(Bytes(WireBytes(0)), link.rate);
    }
    path.roundTrip = std::max<std::int64_t>(trip.ps(), 1);
    return path;
}

void
QueuePairs::Send(const engine::Message& message, std::uint8_t trafficClass)
{
    const std::uint32_t number =
        PairOf(QueuePair::KeyOf(static_cast<std::uint32_t>(message.source.index()),
                                static_cast<std::uint32_t>(message.destination.index()),
                                trafficClass));
    QueuePair& pair = m_pairs[number];
    const std::uint32_t place = m_messages.Take();
    ++m_underWay;
    PairMessage& record = m_messages[place];
    record.id = message.id.value();
    record.bytes = message.bytes.value();
    record.pair = number;
    record.handle = message.handle;
    record.wantsSent = message.wants_sent;
    if (pair.credit && !HasMore(pair))
    {
        BeginBurst(pair);
    }
    record.first = pair.end;
    pair.end += PacketsOf(record.bytes);
    record.last = pair.end - 1;
    if (pair.newest != NONE)
    {
        m_messages[pair.newest].next = place;
    }
    pair.newest = place;
    if (m_border != nullptr)
    {
        OpenAtBorder(place, message);
    }
    for (std::uint32_t* pointer : {&pair.sending, &pair.acknowledging, &pair.delivering})
    {
        const bool here = pointer != &pair.delivering || ReceivesHere(pair);
        *pointer = *pointer == NONE && here ? place : *pointer;
    }
    if (pair.use.started < 0)
    {
        pair.use.started = Now();
    }
    Review(number);
}

bool
QueuePairs::MaySend(const QueuePair& pair) const
{
    if (!HasMore(pair) || (pair.credit && pair.credit->balance <= 0))
    {
        return false;
    }
    return pair.inFlight == 0 || m_kind == TransportKind::None || IsOpen(pair) ||
           ExpectsNoAnswer(pair);
}

void
QueuePairs::LineUp(std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    const std::int64_t now = Now();
    if (m_routes.AreChosen())
    {
        using topology::mixed;
        const std::uint64_t hash =
            mixed(mixed(mixed(m_description.packet.seed) ^ pair.key) + pair.transmissions);
        pair.port = m_routes.ChooseForPair(number,
                                           pair.source,
                                           pair.destination,
                                           hash,
                                           static_cast<std::uint32_t>(m_fullWire),
                                           now);
    }
    SendTurns& turns = m_turns[pair.port * m_classes + pair.trafficClass];
    if (pair.nextStart > now)
    {
        turns.Wait(m_pairs, number);
    }
    else
    {
        turns.Join(m_pairs, number, now);
    }
    m_wire.WakePort(pair.port, std::max(pair.nextStart, now));
}

bool
QueuePairs::HasPacket(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now)
{
    SendTurns& turns = m_turns[port * m_classes + trafficClass];
    turns.JoinThoseDue(m_pairs, now);
    // A window may have closed meanwhile.
    while (turns.First() != NONE && !MaySend(m_pairs[turns.First()]))
    {
        turns.Leave(m_pairs);
    }
    return turns.First() != NONE;
}

std::uint32_t
QueuePairs::TakePacket(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now)
{
    SendTurns& turns = m_turns[port * m_classes + trafficClass];
    const std::uint32_t number = turns.First();
    turns.Leave(m_pairs);
    QueuePair& pair = m_pairs[number];

    std::uint64_t sequence = pair.next;
    std::uint32_t messagePlace = pair.sending;
    if (pair.selective && pair.selective->losses > 0)
    {
        SelectiveState& selective = *pair.selective;
        while (!selective.lost.Contains(selective.firstLost))
        {
            ++selective.firstLost;
        }
        sequence = selective.firstLost++;
        selective.lost.Erase(sequence);
        --selective.losses;
        messagePlace = MessageOf(pair, sequence);
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

    const std::uint32_t place = m_packets.Take();
    EthernetPacket& packet = m_packets[place];
    packet.kind = PacketKind::DATA;
    packet.pair = number;
    packet.sequence = sequence;
    packet.subject = sequence == message.last ? messagePlace : NONE;
    packet.payload = static_cast<std::uint32_t>(PayloadOf(message, sequence));
    packet.wire = WireBytes(packet.payload);
    packet.trafficClass = pair.trafficClass;
    packet.sentAt = now;
    packet.hop = pair.forth;
    if (m_routes.AreChosen())
    {
        m_routes.TakeFromPair(place, packet, number);
    }
    if (pair.credit)
    {
        --pair.credit->balance;
        const std::int64_t need = NeedOf(pair);
        pair.credit->Tell(need);
        packet.backlog = static_cast<std::uint32_t>(std::min<std::int64_t>(need, NONE));
        packet.subject = pair.credit->had;
    }
    if (m_needs.telemetry)
    {
        packet.telemetry = m_telemetry.Take();
    }
    if (m_border != nullptr)
    {
        TakeAlong(place, number, messagePlace);
    }
    ++pair.transmissions;
    ++pair.use.packets;
    packet.repeated = sequence < pair.top;
    pair.use.repeated += packet.repeated ? 1 : 0;
    pair.top = std::max(pair.top, sequence + 1);
    if (m_kind != TransportKind::None)
    {
        pair.inFlight += packet.wire;
        if (pair.deadline == NEVER)
        {
            RestartTimer(pair, number);
        }
    }
    if (pair.control)
    {
        pair.control->PacketSent(now, packet.wire);
        const std::int64_t rate = pair.control->Rate(now);
        if (rate != CongestionControl::NO_PACING)
        {
            pair.nextStart = now + time_for(packet.wire, rate).ps();
        }
    }
    packet.asks = !HasMore(pair) || !IsOpen(pair);
    if (packet.asks || sequence == message.last)
    {
        pair.asked = std::max(pair.asked, sequence + 1);
    }
    Review(number);
    return place;
}

void
QueuePairs::LeavesForGood(const EthernetPacket& packet, std::int64_t end)
{
    QueuePair& pair = m_pairs[packet.pair];
    pair.lastEnd = std::max(pair.lastEnd, end);
    if (packet.subject != NONE)
    {
        pair.acknowledged = packet.sequence + 1;
        const auto message = static_cast<std::uint32_t>(packet.subject);
        pair.acknowledging = m_messages[message].next;
        SenderIsDone(message, pair.lastEnd);
    }
}

std::uint32_t
QueuePairs::MessageOf(const QueuePair& pair, std::uint64_t sequence)
{
    std::uint32_t message = pair.acknowledging;
    while (m_messages[message].last < sequence)
    {
        message = m_messages[message].next;
    }
    return message;
}

std::int64_t
QueuePairs::PayloadOf(const PairMessage& message, std::uint64_t sequence) const
{
    const auto before = static_cast<std::int64_t>(sequence - message.first) * m_mtu;
    return std::min(message.bytes - before, m_mtu);
}

void
QueuePairs::SenderIsDone(std::uint32_t place, std::int64_t at)
{
    PairMessage& message = m_messages[place];
    m_wire.MessagesChange();
    if (!message.wantsSent)
    {
        const std::uint32_t handle = message.handle;
        const bool leaves = !ReceivesHere(m_pairs[message.pair]);
        message.acknowledged = true;
        FreeIfDone(place);
        if (leaves)
        {
            m_border->Cut().MessageHasLeft(handle);
        }
        return;
    }
    m_queue->schedule(Time::ps(at),
                      EventKey::of(Phase::Arrival, engine::event_kind::message_sent, message.id),
                      m_sentEvent,
                      place);
}

void
QueuePairs::MessageSent(std::uint32_t place)
{
    PairMessage& message = m_messages[place];
    const std::uint32_t handle = message.handle;
    const bool leaves = !ReceivesHere(m_pairs[message.pair]);
    message.acknowledged = true;
    FreeIfDone(place);
    m_listener->on_sent(handle);
    if (leaves)
    {
        m_border->Cut().MessageHasLeft(handle);
    }
}

void
QueuePairs::MessageDelivered(std::uint32_t place)
{
    PairMessage& message = m_messages[place];
    const std::uint32_t handle = message.handle;
    const Time left = Time::ps(message.firstByteLeft);
    const bool comesFromAfar = !SendsHere(m_pairs[message.pair]);
    message.delivered = true;
    FreeIfDone(place);
    if (comesFromAfar)
    {
        const BorderMessage known = m_border->OfMessage(place);
        m_border->Cut().MessageArrives(known);
        return;
    }
    m_listener->on_delivered(handle, left);
}

void
QueuePairs::FreeIfDone(std::uint32_t place)
{
    const PairMessage& message = m_messages[place];
    if (!message.acknowledged || !message.delivered)
    {
        return;
    }
    QueuePair& pair = m_pairs[message.pair];
    if (pair.newest == place)
    {
        pair.newest = NONE;
    }
    m_messages.Free(place);
    --m_underWay;
}

void
QueuePairs::Receive(std::uint32_t place)
{
    EthernetPacket packet = m_packets[place];
    if (m_border != nullptr)
    {
        ComeToEnd(place, packet);
    }
    m_packets.Free(place);
    switch (packet.kind)
    {
    case PacketKind::DATA:
        ReceiveData(packet);
        break;
    case PacketKind::NOTIFICATION:
        if (m_pairs[packet.pair].control)
        {
            m_pairs[packet.pair].control->Notified(Now());
        }
        break;
    case PacketKind::REQUEST:
        LearnNeed(packet.pair, packet);
        break;
    case PacketKind::GRANT:
        ReceiveGrant(packet);
        break;
    default:
        ReceiveAnswer(packet);
        break;
    }
    m_telemetry.Free(packet.telemetry);
}

void
QueuePairs::ChooseAnew()
{
    m_list.clear();
    for (SendTurns& turns : m_turns)
    {
        turns.Empty(m_pairs, m_list);
    }
    for (const std::uint32_t number : m_list)
    {
        Review(number);
    }
}

} // namespace npunet::packet
