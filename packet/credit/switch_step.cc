/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/switch_step.h"

#include "packet/credit/network_setup.h"

#include "base/quantities.h"

#include <algorithm>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

PacketMover::PacketMover(const topology::NetworkDescription& description,
                         RouteFunction route,
                         engine::EventQueue& queue,
                         const MessageHandlers& handlers,
                         engine::EventHandler& turn)
    : m_state(description, std::move(route), queue), m_links(description, m_state),
      m_counts(description, m_state, m_links), m_finder(m_state, m_links), m_arbiter(m_state),
      m_agenda(m_state, m_wakeEvent, turn), m_news(m_state, handlers)
{
    OpenPorts(description, m_state);
}

void
PacketMover::Start(std::uint32_t message)
{
    const std::int64_t bytes = m_state.messages[message].bytes;
    const std::uint32_t portNumber = m_state.plan[m_state.messages[message].hop].port;
    const PacketPort& port = m_state.ports[portNumber];
    if ((port.watched | port.still) != 0)
    {
        m_steady->BeforeStart(portNumber);
    }
    AwaitTurn(message);
    if (m_steady != nullptr)
    {
        m_steady->AfterStart(portNumber, bytes);
    }
}

void
PacketMover::AwaitTurn(std::uint32_t message)
{
    const PlannedHop hop = m_state.plan[m_state.messages[message].hop];
    m_state.messages.Append(m_state.Turns(hop.port, hop.channel), message);
    m_state.ShowTurn(hop.queue);
    m_agenda.Arm(hop.port, std::max(m_state.ports[hop.port].busyUntil, m_state.events.now().ps()));
}

void
PacketMover::Wake(std::uint32_t portNumber)
{
    PacketPort& port = m_state.ports[portNumber];
    const std::int64_t now = m_state.events.now().ps();
    if (port.wake != now)
    {
        return;
    }
    port.wake = NEVER;
    Decide(portNumber, now);
}

void
PacketMover::WakeAgain(std::uint32_t portNumber)
{
    DecideAgain(portNumber, m_state.events.now().ps());
}

void
PacketMover::DecideAgain(std::uint32_t portNumber, std::int64_t now)
{
    PacketPart& part = m_state.PartOf(m_state.ports[portNumber]);
    part.secondChance = true;
    Decide(portNumber, now);
    part.secondChance = false;
}

void
PacketMover::AwaitSecondChance(std::uint32_t portNumber)
{
    if (m_agenda.IsCatchingUp() || m_state.inWindow)
    {
        m_state.PartOf(m_state.ports[portNumber]).again.push_back(portNumber);
        return;
    }
    m_state.events.schedule(
        m_state.events.now(),
        EventKey::of(Phase::Arbitration, engine::event_kind::port_again, portNumber),
        m_againEvent,
        portNumber);
}

void
PacketMover::Decide(std::uint32_t portNumber, std::int64_t now)
{
    PacketPort& port = m_state.ports[portNumber];
    // Only a message sent by someone else after this instant's choices finds the port busy here.
    if (port.busyUntil <= now && (port.irregular == 0 || m_links.IsUp(portNumber, now)))
    {
        PacketPart& part = m_state.PartOf(port);
        part.yielded = false;
        const std::uint32_t queue = m_arbiter.Choose(portNumber, now);
        if (queue != NONE && port.irregular == 1 &&
            !m_finder.GetsThrough(portNumber, m_state.queues[queue].wire, now))
        {
            PlanWake(portNumber, m_finder.DeadFrom(portNumber));
            return;
        }
        if (queue != NONE)
        {
            m_counts.CountArrived(port, now);
            Transmit(portNumber, queue, now);
        }
        else if (part.yielded)
        {
            AwaitSecondChance(portNumber);
            return;
        }
    }
    PlanWake(portNumber, std::max(port.busyUntil, now));
}

inline void
PacketMover::GoOnByRoute(const PacketPort& from, std::uint32_t place, const Crossing& crossing)
{
    QueuedPacket& packet = m_state.packets[place];
    ++packet.hop;
    const std::uint32_t next = m_state.plan[packet.hop].port;
    packet.ready = m_links.MayLeave(crossing, next, m_state.WireBytes(packet.payload));
    const PacketPort& to = m_state.ports[next];
    if (m_state.PartNumber(from) != m_state.PartNumber(to))
    {
        m_state.MailTo(from, to).packets.push_back(place);
        return;
    }
    Push(place);
}

void
PacketMover::Transmit(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now)
{
    PacketPort& port = m_state.ports[portNumber];
    const VirtualQueue& queue = m_state.queues[queueNumber];
    const std::uint32_t slot = queueNumber - port.firstQueue;
    port.turn = (slot + 1 == port.queues ? 0 : slot + 1) & PacketPort::MOST_QUEUES;

    const std::uint32_t wire = queue.wire;
    const Crossing crossing = m_links.Cross(portNumber, wire, now);
    if (port.starved != 0)
    {
        m_counts.CountStall(portNumber, now);
    }
    const bool starts = queue.upstream == NONE;
    if (!starts)
    {
        m_counts.Leave(portNumber, wire, now);
    }
    if (m_state.several)
    {
        m_arbiter.ServeClass(portNumber, queueNumber, crossing.attempts);
    }
    const std::uint8_t channel = queue.channel;
    m_state.Credit(portNumber, channel).Take(wire);
    port.busyUntil = crossing.end;
    const std::uint32_t place = starts ? CutPacket(queueNumber, now, crossing.end)
                                       : PopPacket(port, queueNumber, crossing.end);
    port.busy += crossing.busy;
    if (m_state.load != nullptr)
    {
        m_state.load->add(portNumber, now, crossing.end, crossing.busy);
    }
    port.wire += wire;
    ++port.packets;
    if ((port.anchor | port.look) != 0)
    {
        m_news.AnnounceStart(portNumber, now, crossing.end);
    }

    QueuedPacket& packet = m_state.packets[place];
    port.payload += packet.payload;
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketStarted(LinkId(std::size_t{portNumber}),
                                        Bytes(wire),
                                        Time::ps(crossing.arrival),
                                        starts ? Bytes() : Bytes(wire));
    }
    const bool final = m_state.plan[packet.hop].final;
    if (final)
    {
        m_state.Credit(portNumber, channel)
            .Return(m_links.CreditBack(portNumber, crossing.arrival), wire);
    }
    if (port.cut == 1)
    {
        m_border->Leave(portNumber, place, crossing);
        return;
    }
    if (!final && m_state.ways.router == nullptr)
    {
        GoOnByRoute(port, place, crossing);
        return;
    }
    if (!final)
    {
        GoOn(portNumber, place, crossing, port.packets);
        return;
    }
    Arrive(port, packet.message, packet.last == 1, crossing.arrival);
    m_state.packets.Free(place, m_state.PartNumber(port));
}

void
PacketMover::GoOn(std::uint32_t portNumber,
                  std::uint32_t place,
                  const Crossing& crossing,
                  std::int64_t number)
{
    if (m_state.ways.router == nullptr)
    {
        GoOnByRoute(m_state.ports[portNumber], place, crossing);
        return;
    }
    m_finder.Cross(place, crossing);
    if (m_state.ways.router->is_oblivious())
    {
        PacketIn(place);
        return;
    }
    // No two packets of a link come in at once, but after a change of latency.
    m_state.events.schedule(Time::ps(m_state.packets[place].ready),
                            EventKey::of(Phase::Arrival,
                                         engine::event_kind::packet_in,
                                         portNumber,
                                         static_cast<std::uint64_t>(number)),
                            m_packetInEvent,
                            place);
}

void
PacketMover::PacketIn(std::uint32_t place)
{
    m_finder.Choose(place);
    Push(place);
}

void
PacketMover::Arrive(const PacketPort& port, std::uint32_t message, bool last, std::int64_t arrival)
{
    if (m_state.ways.router != nullptr)
    {
        if (m_finder.Arrive(message, arrival))
        {
            m_news.Announce(port, {m_state.ways.OfMessage(message).lastArrival, message, true});
        }
    }
    else if (last)
    {
        m_news.Announce(port, {arrival, message, true});
    }
    if (m_border != nullptr)
    {
        m_border->Release(message);
    }
}

std::uint32_t
PacketMover::CutPacket(std::uint32_t queueNumber, std::int64_t now, std::int64_t end)
{
    const std::uint32_t number = m_state.queues[queueNumber].head;
    const std::uint32_t portNumber = m_state.queues[queueNumber].tail;
    const PacketPort& port = m_state.ports[portNumber];
    MessageRecord& message = m_state.messages[number];
    const std::int64_t payload = std::min(message.remaining, m_state.mtu);
    m_state.CountSent(message, payload, m_state.PartOf(port));
    if (message.firstByteLeft < 0)
    {
        message.firstByteLeft = now;
    }
    const std::uint32_t place = m_state.packets.Take(m_state.PartNumber(port));
    QueuedPacket& packet = m_state.packets[place];
    packet.message = number;
    packet.hop = message.hop;
    packet.payload = static_cast<std::uint32_t>(payload) & 0x7fffffff;
    packet.last = message.remaining == 0;
    if (m_state.oldest)
    {
        m_state.packets.Born(place) = now;
    }
    if (m_border != nullptr)
    {
        m_border->Hold(number);
    }

    TurnList& turns = m_state.Turns(portNumber, m_state.queues[queueNumber].channel);
    if (m_state.ways.router != nullptr && m_finder.Cut(number, place, end))
    {
        m_state.messages.Remove(turns, number);
        AwaitTurn(number);
    }
    else if (message.remaining > 0)
    {
        m_state.messages.Serve(turns, number);
        if (turns.first == turns.last && message.remaining >= m_state.mtu)
        {
            return place; // the same message again, and a full packet of it
        }
    }
    else
    {
        if (port.watched != 0)
        {
            m_steady->MessageEnds(portNumber);
        }
        m_state.messages.Remove(turns, number);
        EndSource(port, number, end);
    }
    m_state.ShowTurn(queueNumber);
    return place;
}

void
PacketMover::EndSource(const PacketPort& port, std::uint32_t message, std::int64_t end)
{
    if (m_state.messages[message].wantsSent)
    {
        const bool several = m_state.ways.router != nullptr;
        m_news.Announce(port,
                        {several ? m_state.ways.OfMessage(message).lastEnd : end, message, false});
    }
    else if (m_border != nullptr)
    {
        m_border->EndSource(message);
    }
}

std::uint32_t
PacketMover::PopPacket(PacketPort& port, std::uint32_t queueNumber, std::int64_t end)
{
    VirtualQueue& queue = m_state.queues[queueNumber];
    const std::uint32_t wire = queue.wire;
    const std::uint32_t place = queue.head;
    const std::uint32_t next = m_state.packets[place].next;
    if (m_state.ways.router != nullptr)
    {
        m_finder.Leave(place);
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
        m_state.ShowHead(queue);
    }
    else
    {
        m_state.filled.Clear(port, queueNumber);
    }

    const PacketPort& upstream = m_state.ports[queue.upstream];
    const bool near = m_state.PartNumber(port) == m_state.PartNumber(upstream);
    if (near && upstream.still != 0)
    {
        m_steady->CreditComes(queue.upstream);
    }
    if (m_state.reads.AreLimited())
    {
        const auto output = static_cast<std::uint32_t>(&port - m_state.ports.data());
        m_state.reads.Start(queue.upstream, output, end);
    }
    const MailedCredit credit{
        m_links.CreditBack(queue.upstream, end), queue.upstream, queue.inputChannel, wire};
    if (!near)
    {
        m_state.MailTo(port, upstream).credits.push_back(credit);
        return place;
    }
    ReturnCredit(credit);
    return place;
}

void
PacketMover::ReturnCredit(const MailedCredit& credit)
{
    if (m_state.ports[credit.port].cut == 1)
    {
        m_border->SendCreditBack(credit);
        return;
    }
    TakeCredit(credit);
}

void
PacketMover::TakeCredit(const MailedCredit& credit)
{
    const PacketPort& port = m_state.ports[credit.port];
    m_state.Credit(credit.port, credit.channel).Return(credit.stamp, credit.wire);
    if ((port.waiting >> credit.channel & 1U) != 0)
    {
        m_agenda.Arm(credit.port, std::max(port.busyUntil, credit.stamp));
    }
}

void
PacketMover::Push(std::uint32_t place)
{
    const PlannedHop hop = m_state.plan[m_state.packets[place].hop];
    PacketPort& port = m_state.ports[hop.port];
    if ((port.watched | port.still) != 0)
    {
        m_steady->PacketComes(hop.port, m_state.packets[place].message);
    }
    QueuedPacket& packet = m_state.packets[place];
    packet.next = NONE;
    VirtualQueue& queue = m_state.queues[hop.queue];
    const std::uint32_t wire = m_state.WireBytes(packet.payload);
    port.queued += wire;
    m_counts.Join(hop.port, wire, packet.ready);
    if (queue.unarrived == NONE)
    {
        queue.unarrived = place;
    }
    if (queue.head != NONE)
    {
        // The head is covered by a wake already, and this packet will be when it is the head.
        m_state.packets[queue.tail].next = place;
        queue.tail = place;
        return;
    }
    queue.head = place;
    queue.tail = place;
    m_state.ShowHead(queue);
    m_state.filled.Set(port, hop.queue);
    m_agenda.Arm(hop.port, std::max(port.busyUntil, packet.ready));
}

void
PacketMover::OpenMail(std::uint32_t number)
{
    for (PacketPart& sender : m_state.parts)
    {
        PartMail& mail = sender.mail[number];
        for (const std::uint32_t place : mail.packets)
        {
            Push(place);
        }
        for (const MailedCredit& credit : mail.credits)
        {
            ReturnCredit(credit);
        }
        mail.packets.clear();
        mail.credits.clear();
    }
}

void
PacketMover::PlanWake(std::uint32_t portNumber, std::int64_t from)
{
    PacketPort& port = m_state.ports[portNumber];
    std::int64_t earliest = NEVER;
    port.waiting = 0;
    m_state.filled.ForEach(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_state.queues[number];
        std::int64_t there = std::max(queue.ready, from);
        const std::int64_t paid = m_state.Credit(portNumber, queue.channel).When(queue.wire, from);
        if (m_state.reads.AreLimited() && queue.upstream != NONE)
        {
            const std::int64_t free = m_state.reads.FreeAt(queue.upstream, from);
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
        m_agenda.Arm(portNumber, m_links.AfterOutage(portNumber, earliest));
    }
}

} // namespace npunet::packet
