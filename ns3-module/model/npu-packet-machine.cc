/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"
#include "npu-packet-rounds.h"

#include "base/quantities.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
PacketMachine::send(const engine::Message& message)
{
    assert(message.bytes.value() >= 0);
    const std::int64_t now = m_queue.now().ps();
    const std::uint32_t place = m_messages.Take();
    MessageRecord& record = m_messages[place];
    record.id = message.id.value();
    record.start = now;
    record.bytes = message.bytes.value();
    record.remaining = message.bytes.value();
    record.handle = message.handle;
    record.wantsSent = message.wants_sent;
    m_nearEnd += record.wantsSent && record.bytes <= m_lastBytes ? 1 : 0;
    if (m_ways.router == nullptr)
    {
        record.hop = m_plan.FirstHop(message.source, message.destination, m_classes.Of(message));
    }
    else
    {
        if (m_detours)
        {
            AwaitEpoch();
            ++m_underWay;
        }
        OpenWays(place, message);
    }
    if (m_border)
    {
        OpenOwn(place, message);
    }
    const PlannedHop hop = m_plan[m_messages[place].hop];
    if ((m_ports[hop.port].watched | m_ports[hop.port].still) != 0)
    {
        m_steady->BeforeStart(hop.port);
    }
    m_messages.Append(m_turns[hop.port * m_channels + hop.channel], place);
    ShowTurn(hop.queue);
    Arm(hop.port, std::max(m_ports[hop.port].busyUntil, now));
    if (m_steady)
    {
        m_steady->AfterStart(hop.port, message.bytes.value());
    }
}

void
PacketMachine::MessageSent(std::uint32_t message)
{
    m_nearEnd -= m_nearEnd > 0 ? 1 : 0;
    listener_->on_sent(m_messages[message].handle);
    if (m_border)
    {
        SourceIsDone(message);
    }
}

void
PacketMachine::MessageDelivered(std::uint32_t message)
{
    const MessageRecord& record = m_messages[message];
    const std::uint32_t handle = record.handle;
    const Time left = Time::ps(record.firstByteLeft);
    if (m_border)
    {
        const BorderMessage known = (*m_border)[message];
        Release(message);
        if (!m_border->Owns(known.source))
        {
            m_border->Cut().MessageArrives(known);
            return;
        }
        listener_->on_delivered(handle, left);
        return;
    }
    m_messages.Free(message);
    m_underWay -= m_detours ? 1 : 0;
    listener_->on_delivered(handle, left);
}

void
PacketMachine::Arm(std::uint32_t portNumber, std::int64_t at)
{
    PacketPort& port = m_ports[portNumber];
    if (at < port.wake)
    {
        port.wake = at;
        if (m_resuming)
        {
            m_resumed.emplace_back(at, portNumber);
            std::push_heap(m_resumed.begin(), m_resumed.end(), std::greater<>());
            return;
        }
        if (m_windows)
        {
            m_windows->Wake(portNumber, at, PartOf(port).alone);
            if (!m_inWindow)
            {
                PlanTurn(at);
            }
            return;
        }
        m_queue.schedule(Time::ps(at),
                         EventKey::of(Phase::Arbitration, engine::event_kind::port, portNumber),
                         m_wakeEvent,
                         portNumber);
    }
}

void
PacketMachine::Wake(std::uint32_t portNumber)
{
    PacketPort& port = m_ports[portNumber];
    const std::int64_t now = m_queue.now().ps();
    if (port.wake != now)
    {
        return;
    }
    port.wake = NEVER;
    Decide(portNumber, now);
}

void
PacketMachine::Decide(std::uint32_t portNumber, std::int64_t now)
{
    PacketPort& port = m_ports[portNumber];
    // Only a message sent by someone else after this instant's choices finds the port busy here.
    if (port.busyUntil <= now)
    {
        if (port.irregular == 0 || IsUp(portNumber, now))
        {
            PartOf(port).yielded = false;
            const std::uint32_t queue = ChooseQueue(port, now);
            if (queue != NONE && m_detours && port.irregular == 1 &&
                !GetsThrough(portNumber, m_queues[queue].wire, now))
            {
                PlanWake(portNumber, m_detours->dead_from(LinkId(std::size_t{portNumber})).ps());
                return;
            }
            if (queue != NONE)
            {
                if (port.queued > port.maxQueue)
                {
                    CountArrived(port, now);
                }
                Transmit(portNumber, queue, now);
            }
            else if (PartOf(port).yielded)
            {
                AwaitSecondChance(portNumber);
                return;
            }
        }
    }
    PlanWake(portNumber, std::max(port.busyUntil, now));
}

std::uint32_t
PacketMachine::Choose(PacketPort& port, std::int64_t now)
{
    const auto portNumber = static_cast<std::uint32_t>(&port - m_ports.data());
    std::uint32_t chosen = NONE;
    ForEachQueue(port, port.turn, [&](std::uint32_t number) {
        if (!CanGo(portNumber, number, now))
        {
            return false;
        }
        chosen = number;
        return true;
    });
    return chosen;
}

std::uint32_t
PacketMachine::ChooseOldest(PacketPort& port, std::int64_t now)
{
    const auto portNumber = static_cast<std::uint32_t>(&port - m_ports.data());
    std::uint32_t chosen = NONE;
    std::int64_t born = NEVER;
    std::uint64_t order = 0;
    ForEachQueue(port, 0, [&](std::uint32_t number) {
        if (CanGo(portNumber, number, now))
        {
            const VirtualQueue& queue = m_queues[number];
            const std::int64_t own = queue.upstream == NONE ? now : m_packets.Born(queue.head);
            const std::uint64_t rank = engine::MessageId::rank(MessageOfHead(queue).id);
            if (own < born || (own == born && rank < order))
            {
                chosen = number;
                born = own;
                order = rank;
            }
        }
        return false;
    });
    return chosen;
}

void
PacketMachine::Transmit(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now)
{
    PacketPort& port = m_ports[portNumber];
    const VirtualQueue& queue = m_queues[queueNumber];
    const std::uint32_t slot = queueNumber - port.firstQueue;
    port.turn = (slot + 1 == port.queues ? 0 : slot + 1) & PacketPort::MOST_QUEUES;

    // From here on the sums of times below would pass the end of the clock; the queue says so.
    if (now > m_lastStart)
    {
        m_queue.schedule(Time::max(), EventKey(), m_wakeEvent, portNumber);
    }
    const std::uint32_t wire = queue.wire;
    Crossing crossing;
    if (port.irregular == 0)
    {
        crossing.busy = SendingTime(portNumber, wire);
        crossing.end = now + crossing.busy;
        crossing.arrival = crossing.end + port.latency;
        crossing.headerIn = now + m_headerTimes[portNumber] + port.latency;
    }
    else
    {
        crossing = CrossIrregular(portNumber, wire, now);
    }
    if (port.starved != 0)
    {
        CountStall(portNumber, now);
    }
    if (!m_histograms.empty() && queue.upstream != NONE)
    {
        m_histograms[portNumber].Depart(now, wire);
    }
    if (m_several)
    {
        ServeClass(portNumber, queueNumber, crossing.attempts);
    }
    const std::uint8_t channel = queue.channel;
    Credit(portNumber, channel).Take(wire);
    port.busyUntil = crossing.end;
    const std::uint32_t place = queue.upstream == NONE ? CutPacket(queueNumber, now, crossing.end)
                                                       : PopPacket(port, queueNumber, crossing.end);
    port.busy += crossing.busy;
    if (m_load != nullptr)
    {
        m_load->add(portNumber, now, crossing.end, crossing.busy);
    }
    port.wire += wire;
    ++port.packets;
    if ((port.anchor | port.look) != 0)
    {
        LookAtStart(portNumber, now, crossing.end);
    }

    QueuedPacket& packet = m_packets[place];
    port.payload += packet.payload;
    if (m_observer != nullptr)
    {
        m_observer->PacketStarted(LinkId(std::size_t{portNumber}),
                                  Bytes(wire),
                                  Time::ps(crossing.arrival),
                                  queue.upstream != NONE ? Bytes(wire) : Bytes());
    }
    if (port.cut == 1)
    {
        LeaveByCut(portNumber, place, crossing);
        return;
    }
    if (!m_plan[packet.hop].final)
    {
        if (m_ways.router != nullptr)
        {
            GoOn(place, crossing, port.packets);
            return;
        }
        GoOnByRoute(port, place, wire, crossing);
        return;
    }
    Credit(portNumber, channel).Return(CreditBack(portNumber, crossing.arrival), wire);
    if (m_ways.router != nullptr)
    {
        ArriveByWay(packet.message, crossing.arrival);
    }
    else if (packet.last)
    {
        Announce(port, {crossing.arrival, packet.message, true});
    }
    if (m_border)
    {
        Release(packet.message);
    }
    m_packets.Free(place, PartNumber(port));
}

void
PacketMachine::Schedule(const MessageEvent& event)
{
    using namespace engine::event_kind;
    engine::EventHandler& handler = event.delivered
                                        ? static_cast<engine::EventHandler&>(m_deliveredEvent)
                                        : static_cast<engine::EventHandler&>(m_sentEvent);
    m_queue.schedule(Time::ps(event.at),
                     EventKey::of(Phase::Arrival,
                                  event.delivered ? message_delivered : message_sent,
                                  m_messages[event.message].id),
                     handler,
                     event.message);
}

std::uint32_t
PacketMachine::CutPacket(std::uint32_t queueNumber, std::int64_t now, std::int64_t end)
{
    const std::uint32_t number = m_queues[queueNumber].head;
    MessageRecord& message = m_messages[number];
    const std::int64_t payload = std::min(message.remaining, m_mtu);
    PacketPort& output = m_ports[m_queues[queueNumber].tail];
    CountSent(message, payload, PartOf(output));
    if (message.firstByteLeft < 0)
    {
        message.firstByteLeft = now;
    }
    const std::uint32_t place = m_packets.Take(PartNumber(output));
    QueuedPacket& packet = m_packets[place];
    packet.message = number;
    packet.hop = message.hop;
    packet.payload = static_cast<std::uint32_t>(payload) & 0x7fffffff;
    packet.last = message.remaining == 0;
    if (m_oldest)
    {
        m_packets.Born(place) = now;
    }
    if (m_border)
    {
        m_border->Hold(number);
    }

    const std::uint32_t port = m_queues[queueNumber].tail;
    TurnList& turns = m_turns[port * m_channels + m_queues[queueNumber].channel];
    const bool moves = m_ways.router != nullptr && CutWay(number, place, end);
    if (moves)
    {
        m_messages.Remove(turns, number);
        MoveMessage(number);
    }
    else if (message.remaining > 0)
    {
        m_messages.Serve(turns, number);
        if (turns.first == turns.last && message.remaining >= m_mtu)
        {
            return place; // the same message again, and a full packet of it
        }
    }
    else
    {
        if (m_ports[port].watched != 0)
        {
            m_steady->MessageEnds(port);
        }
        m_messages.Remove(turns, number);
        if (message.wantsSent)
        {
            const std::int64_t left =
                m_ways.router == nullptr ? end : m_ways.OfMessage(number).lastEnd;
            Announce(output, {left, number, false});
        }
        else if (m_border)
        {
            SourceIsDone(number);
        }
    }
    ShowTurn(queueNumber);
    return place;
}

std::uint32_t
PacketMachine::PopPacket(PacketPort& port, std::uint32_t queueNumber, std::int64_t end)
{
    VirtualQueue& queue = m_queues[queueNumber];
    const std::uint32_t wire = queue.wire;
    const std::uint32_t place = queue.head;
    const std::uint32_t next = m_packets[place].next;
    if (m_ways.router != nullptr)
    {
        m_chooser.Leave(m_ways.OfPacket(place));
    }
    port.queued -= wire;
    if (queue.unarrived == place)
    {
        queue.unarrived = next;
    }
    else
    {
        port.arrived -= wire;
    }
    queue.head = next;
    if (next != NONE)
    {
        ShowHead(queue);
    }
    else
    {
        const std::uint32_t slot = queueNumber - port.firstQueue;
        m_masks[port.firstMask + slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    }

    const bool near = PartNumber(port) == PartNumber(m_ports[queue.upstream]);
    if (near && m_ports[queue.upstream].still != 0)
    {
        m_steady->CreditComes(queue.upstream);
    }
    if (m_reads.AreLimited())
    {
        const auto output = static_cast<std::uint32_t>(&port - m_ports.data());
        m_reads.Start(queue.upstream, output, end);
    }
    const MailedCredit credit{
        CreditBack(queue.upstream, end), queue.upstream, queue.inputChannel, wire};
    if (!near)
    {
        MailTo(port, m_ports[queue.upstream]).credits.push_back(credit);
        return place;
    }
    ReturnCredit(credit);
    return place;
}

void
PacketMachine::ReturnCredit(const MailedCredit& credit)
{
    PacketPort& port = m_ports[credit.port];
    if (port.cut == 1)
    {
        SendCreditBack(credit.port, credit.channel, credit.wire, credit.stamp);
        return;
    }
    Credit(credit.port, credit.channel).Return(credit.stamp, credit.wire);
    if ((port.waiting >> credit.channel & 1U) != 0)
    {
        Arm(credit.port, std::max(port.busyUntil, credit.stamp));
    }
}

void
PacketMachine::PushPacket(std::uint32_t place)
{
    const PlannedHop hop = m_plan[m_packets[place].hop];
    PacketPort& port = m_ports[hop.port];
    if ((port.watched | port.still) != 0)
    {
        m_steady->PacketComes(hop.port, m_packets[place].message);
    }
    QueuedPacket& packet = m_packets[place];
    packet.next = NONE;
    VirtualQueue& queue = m_queues[hop.queue];
    port.queued += WireBytes(packet.payload);
    if (!m_histograms.empty())
    {
        m_histograms[hop.port].Arrive(packet.ready, WireBytes(packet.payload));
    }
    if (m_observer != nullptr)
    {
        m_observer->PacketQueued(LinkId(std::size_t{hop.port}),
                                 Bytes(WireBytes(packet.payload)),
                                 Time::ps(packet.ready));
    }
    if (queue.unarrived == NONE)
    {
        queue.unarrived = place;
    }
    if (queue.head != NONE)
    {
        // The head is covered by a wake already, and this packet will be when it is the head.
        m_packets[queue.tail].next = place;
        queue.tail = place;
        return;
    }
    queue.head = place;
    queue.tail = place;
    ShowHead(queue);
    const std::uint32_t slot = hop.queue - port.firstQueue;
    m_masks[port.firstMask + slot / 64] |= std::uint64_t{1} << (slot % 64);
    Arm(hop.port, std::max(port.busyUntil, packet.ready));
}

void
PacketMachine::ShowHead(VirtualQueue& queue)
{
    const QueuedPacket& packet = m_packets[queue.head];
    queue.ready = packet.ready;
    queue.wire = WireBytes(packet.payload);
    queue.channel = m_plan[packet.hop].channel;
}

void
PacketMachine::ShowTurn(std::uint32_t queueNumber)
{
    VirtualQueue& queue = m_queues[queueNumber];
    const std::uint32_t port = queue.tail;
    const TurnList& turns = m_turns[port * m_channels + queue.channel];
    queue.head = m_messages.Turn(turns);
    const std::uint32_t slot = queueNumber - m_ports[port].firstQueue;
    std::uint64_t& mask = m_masks[m_ports[port].firstMask + slot / 64];
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    if (queue.head == NONE)
    {
        mask &= ~bit;
        return;
    }
    mask |= bit;
    queue.wire = WireBytes(std::min(m_messages[queue.head].remaining, m_mtu));
}

void
PacketMachine::PlanWake(std::uint32_t portNumber, std::int64_t from)
{
    PacketPort& port = m_ports[portNumber];
    std::int64_t earliest = NEVER;
    port.waiting = 0;
    ForEachQueue(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_queues[number];
        std::int64_t there = std::max(queue.ready, from);
        const std::int64_t paid = Credit(portNumber, queue.channel).When(queue.wire, from);
        if (m_reads.AreLimited() && queue.upstream != NONE)
        {
            const std::int64_t free = m_reads.FreeAt(queue.upstream, from);
            port.starved |= free > there ? 1U : 0U;
            there = std::max(there, free);
        }
        if (paid > from)
        {
            // A credit yet to be returned may count earlier than those already on their way.
            port.waiting |= 1U << queue.channel;
            port.starved |= paid > there ? 1U : 0U;
        }
        earliest = std::min(earliest, std::max(there, paid));
        // Nothing can be earlier; whoever has not been asked is asked at that time.
        return earliest == from;
    });
    if (earliest != NEVER)
    {
        Arm(portNumber, port.irregular == 0 ? earliest : AfterOutage(portNumber, earliest));
    }
}

} // namespace npunet::packet
