/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-ethernet-network.h"

#include "base/errors.h"
#include "base/quantities.h"
#include "engine/link_load.h"
#include "topology/pair_hash.h"

#include <algorithm>
#include <cassert>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
EthernetNetwork::send(const engine::Message& message)
{
    if (m_routes.GetDetours() != nullptr)
    {
        AwaitEpoch();
    }
    m_pairs.SetListener(*listener_);
    if (m_trains)
    {
        m_trains->MessagesChange();
    }
    m_pairs.Send(message, static_cast<std::uint8_t>(m_classes.Of(message)));
}

void
EthernetNetwork::SendControl(std::uint32_t place)
{
    EthernetPacket& packet = m_packets[place];
    const std::uint32_t link = m_routes.LinkOf(packet);
    packet.ready = m_time.Now();
    m_ports[link].control.Append(m_packets, place);
    WakePort(link, packet.ready);
}

void
EthernetNetwork::WakePort(std::uint32_t port, std::int64_t at)
{
    // A port that is choosing plans its next wake itself.
    if (port != m_deciding)
    {
        Arm(port, std::max(m_ports[port].busyUntil, at));
    }
}

void
EthernetNetwork::Arm(std::uint32_t portNumber, std::int64_t at)
{
    EthernetPort& port = m_ports[portNumber];
    if (at < port.wake)
    {
        port.wake = at;
        m_time.Schedule(at,
                        EventKey::of(Phase::Arbitration, engine::event_kind::port, portNumber),
                        m_wakeEvent,
                        portNumber);
    }
}

void
EthernetNetwork::Wake(std::uint32_t portNumber)
{
    EthernetPort& port = m_ports[portNumber];
    if (port.wake == m_time.Now() && !m_time.IsStill())
    {
        port.wake = NEVER;
        Decide(portNumber);
    }
}

void
EthernetNetwork::Decide(std::uint32_t portNumber)
{
    EthernetPort& port = m_ports[portNumber];
    const std::int64_t now = m_time.Now();
    // Only what is sent by someone else after this instant's choices finds the port busy here.
    if (port.busyUntil > now)
    {
        Arm(portNumber, port.busyUntil);
        return;
    }
    m_deciding = portNumber;
    Release(portNumber);
    const std::int64_t up = port.irregular ? UpAgain(portNumber, now) : now;
    if (up > now)
    {
        m_deciding = NONE;
        if (up != NEVER)
        {
            Arm(portNumber, up);
        }
        return;
    }
    const std::uint32_t place = Choose(portNumber, now);
    m_deciding = NONE;
    if (place != NONE)
    {
        Transmit(portNumber, place, now);
        Arm(portNumber, port.busyUntil);
    }
    else
    {
        PlanWake(portNumber);
    }
}

std::uint32_t
EthernetNetwork::Choose(std::uint32_t portNumber, std::int64_t now)
{
    EthernetPort& port = m_ports[portNumber];
    if (port.requests.head != NONE)
    {
        return port.requests.Pop(m_packets);
    }
    if (port.control.head != NONE && m_packets[port.control.head].ready <= now)
    {
        return port.control.Pop(m_packets);
    }
    if (m_classCount == 1)
    {
        return port.paused == 0 && HasData(portNumber, 0, now) ? TakeData(portNumber, 0, now)
                                                               : NONE;
    }
    std::uint32_t open = 0;
    for (std::uint32_t number = 0; number < m_classCount; ++number)
    {
        const bool paused = (port.paused >> number & 1U) != 0;
        open |= !paused && HasData(portNumber, number, now) ? 1U << number : 0U;
    }
    return open == 0 ? NONE : TakeData(portNumber, m_classes.First(portNumber, open), now);
}

bool
EthernetNetwork::HasData(std::uint32_t portNumber, std::uint32_t trafficClass, std::int64_t now)
{
    const EthernetPort& port = m_ports[portNumber];
    if ((port.filled >> trafficClass & 1U) != 0)
    {
        const ClassQueue& queue = m_queues[portNumber * m_classCount + trafficClass];
        if (m_packets[queue.line.head].ready <= now)
        {
            return true;
        }
    }
    return port.startsHere && m_pairs.Lines().HasPacket(portNumber, trafficClass, now);
}

std::uint32_t
EthernetNetwork::TakeData(std::uint32_t portNumber, std::uint32_t trafficClass, std::int64_t now)
{
    EthernetPort& port = m_ports[portNumber];
    ClassQueue& queue = m_queues[portNumber * m_classCount + trafficClass];
    const std::uint32_t bit = 1U << trafficClass;
    const bool passing = (port.filled & bit) != 0 && m_packets[queue.line.head].ready <= now;
    const bool own = port.startsHere && (!passing || (port.ownTurn & bit) != 0) &&
                     m_pairs.Lines().HasPacket(portNumber, trafficClass, now);
    if (own)
    {
        port.ownTurn &= ~bit;
        return m_pairs.TakePacket(portNumber, trafficClass, now);
    }
    port.ownTurn |= bit;
    const std::uint32_t place = queue.line.Pop(m_packets);
    port.filled &= queue.line.head == NONE ? ~bit : ~0U;
    const EthernetPacket& packet = m_packets[place];
    queue.bytes -= packet.wire;
    port.queued -= packet.wire;
    port.leavingInput = packet.input;
    port.leavingClass = packet.trafficClass;
    port.leavingBytes = packet.wire;
    if (!m_histograms.empty())
    {
        m_histograms[portNumber].Depart(now, packet.wire);
    }
    return place;
}

void
EthernetNetwork::PlanWake(std::uint32_t portNumber)
{
    const EthernetPort& port = m_ports[portNumber];
    std::int64_t earliest = NEVER;
    if (port.control.head != NONE)
    {
        earliest = m_packets[port.control.head].ready;
    }
    for (std::uint32_t number = 0; number < m_classCount; ++number)
    {
        if ((port.paused >> number & 1U) != 0)
        {
            continue;
        }
        if ((port.filled >> number & 1U) != 0)
        {
            const ClassQueue& queue = m_queues[portNumber * m_classCount + number];
            earliest = std::min(earliest, m_packets[queue.line.head].ready);
        }
        if (port.startsHere)
        {
            earliest = std::min(earliest, m_pairs.Lines().NextTime(portNumber, number));
        }
    }
    if (earliest != NEVER)
    {
        Arm(portNumber, earliest);
    }
}

std::int64_t
EthernetNetwork::SendingTime(std::uint32_t portNumber, std::uint32_t wire)
{
    EthernetPort& port = m_ports[portNumber];
    if (wire == m_fullWire)
    {
        return port.fullTime;
    }
    if (wire != port.otherWire)
    {
        port.otherWire = wire;
        port.otherTime = transfer_time(Bytes(wire), Rate(port.rate)).ps();
    }
    return port.otherTime;
}

EthernetNetwork::Passage
EthernetNetwork::Cross(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
{
    const EthernetPort& port = m_ports[portNumber];
    if (port.irregular)
    {
        return CrossIrregular(portNumber, wire, now);
    }
    Passage passage{};
    passage.end = now + SendingTime(portNumber, wire);
    passage.arrival = passage.end + port.latency;
    passage.headerIn = m_cutThrough
                           ? now + SendingTime(portNumber, std::min(m_header, wire)) + port.latency
                           : passage.arrival;
    return passage;
}

void
EthernetNetwork::Transmit(std::uint32_t portNumber, std::uint32_t place, std::int64_t now)
{
    EthernetPort& port = m_ports[portNumber];
    EthernetPacket& packet = m_packets[place];
    // From here on the sums of times below would pass the end of the clock; the queue says so.
    if (now > m_lastStart)
    {
        m_time.Schedule(NEVER, EventKey(), m_wakeEvent, portNumber);
    }
    const bool passing = packet.input != NONE;
    const bool data = !IsControl(packet);
    const Bytes waited(packet.wire);
    if (data && passing && packet.telemetry != NONE)
    {
        const ClassQueue& queue = m_queues[portNumber * m_classCount + packet.trafficClass];
        m_telemetry[packet.telemetry].push_back({now, port.sent, queue.bytes, port.rate});
        packet.wire += TELEMETRY_BYTES;
    }
    const Passage passage = Cross(portNumber, packet.wire, now);
    port.busy += passage.end - now;
    if (load_ != nullptr)
    {
        load_->add(portNumber, now, passage.end);
    }
    port.busyUntil = passage.end;
    port.sent += packet.wire;
    port.payload += packet.payload;
    port.repeated += packet.repeated ? 1 : 0;
    ++port.packets;
    if (m_classCount > 1)
    {
        m_classes.OfPort(portNumber)[packet.trafficClass].wire += packet.wire;
        if (data)
        {
            m_classes.Charge(portNumber, packet.trafficClass, packet.wire);
        }
    }
    if (m_observer != nullptr)
    {
        m_observer->PacketStarted(LinkId(std::size_t{portNumber}),
                                  Bytes(packet.wire),
                                  passage.lost ? Time::max() : Time::ps(passage.arrival),
                                  data && passing ? waited : Bytes());
    }
    if (data && !passing)
    {
        m_pairs.Leaves(packet, passage.end);
        if (now >= m_watchFrom && (m_watched == portNumber || m_watched == ANY_PORT))
        {
            m_trains->PacketStarts(
                portNumber, m_pairs.GetPairs()[packet.pair].Unsent(), now, passage.end);
        }
    }
    if (passage.lost)
    {
        if (IsRequest(packet.kind))
        {
            port.requests.Prepend(m_packets, place);
        }
        else
        {
            Drop(portNumber,
                 place,
                 passage.corrupted ? PacketLoss::CORRUPTED : PacketLoss::LINK_DOWN,
                 "on the link");
        }
        return;
    }
    const bool early = m_cutThrough && !IsRequest(packet.kind) && !m_routes.IsLast(packet);
    packet.arrival = passage.arrival;
    packet.ready = early ? passage.headerIn : passage.arrival;
    if (port.cut)
    {
        LeaveByCut(portNumber, place);
        return;
    }
    Fly(portNumber, place);
}

void
EthernetNetwork::Fly(std::uint32_t link, std::uint32_t place)
{
    PacketLine& flight = m_ports[link].flight;
    const bool alone = flight.head == NONE;
    flight.Append(m_packets, place);
    if (alone)
    {
        AwaitArrival(link);
    }
}

void
EthernetNetwork::Release(std::uint32_t portNumber)
{
    EthernetPort& port = m_ports[portNumber];
    if (port.leavingInput == NONE)
    {
        return;
    }
    const std::uint32_t input = port.leavingInput;
    port.leavingInput = NONE;
    FreeRoom(port.node, input, port.leavingClass, port.leavingBytes);
}

void
EthernetNetwork::FreeRoom(std::uint32_t node,
                          std::uint32_t input,
                          std::uint8_t trafficClass,
                          std::int64_t bytes)
{
    if (!m_pauses)
    {
        m_buffer->Release(node, bytes);
    }
    else if (m_buffer->ReleaseAndResume(node, input, trafficClass, bytes))
    {
        AskToPause(input, PacketKind::RESUME, trafficClass);
    }
}

void
EthernetNetwork::AwaitArrival(std::uint32_t link)
{
    EthernetPort& port = m_ports[link];
    port.due = m_packets[port.flight.head].ready;
    m_time.Schedule(port.due,
                    EventKey::of(Phase::Arrival, engine::event_kind::packet_in, link),
                    m_arriveEvent,
                    link);
}

void
EthernetNetwork::Arrive(std::uint32_t link)
{
    EthernetPort& port = m_ports[link];
    const std::int64_t now = m_time.Now();
    if (port.due != now || m_time.IsStill())
    {
        return;
    }
    port.due = NEVER;
    while (port.flight.head != NONE && m_packets[port.flight.head].ready <= now)
    {
        Receive(port.flight.Pop(m_packets), link);
    }
    if (port.flight.head != NONE)
    {
        AwaitArrival(link);
    }
}

void
EthernetNetwork::Receive(std::uint32_t place, std::uint32_t link)
{
    EthernetPacket& packet = m_packets[place];
    if (IsRequest(packet.kind))
    {
        Pause(m_ports[link].reverse, packet);
        m_packets.Free(place);
        return;
    }
    if (m_routes.IsLast(packet))
    {
        m_pairs.Receive(place);
        return;
    }
    const std::int64_t now = m_time.Now();
    packet.input = link;
    m_routes.GoOn(place, packet, now);
    const std::uint32_t out = m_routes.LinkOf(packet);
    // A link whose rate changes might run dry: what goes by it is stored.
    packet.ready = !m_cutThrough ? now
                   : m_ports[out].irregular
                       ? packet.arrival
                       : std::max(now, packet.arrival - SendingTime(out, packet.wire));
    if (!IsControl(packet))
    {
        Enqueue(place, link);
        return;
    }
    m_ports[out].control.Append(m_packets, place);
    WakePort(out, packet.ready);
}

void
EthernetNetwork::Enqueue(std::uint32_t place, std::uint32_t link)
{
    EthernetPacket& packet = m_packets[place];
    const std::uint32_t out = m_routes.LinkOf(packet);
    EthernetPort& port = m_ports[out];
    ClassQueue& queue = m_queues[out * m_classCount + packet.trafficClass];
    SharedBuffer::Verdict verdict = SharedBuffer::Verdict::TAKEN;
    if (m_pauses)
    {
        verdict = m_buffer->TakeOrPause(port.node, link, packet.trafficClass, packet.wire);
        if (verdict == SharedBuffer::Verdict::DROPPED)
        {
            Drop(out, place, PacketLoss::NO_ROOM, "for want of headroom");
            return;
        }
    }
    else if (!m_buffer->TakeOrDrop(port.node, queue.bytes, packet.wire))
    {
        if (!m_trims)
        {
            Drop(out, place, PacketLoss::NO_ROOM, "for want of room");
            return;
        }
        CountDrop(out, packet.wire, PacketLoss::TRIMMED);
        packet.trimmed = true;
        packet.payload = 0;
        packet.wire = m_header;
        port.control.Append(m_packets, place);
        WakePort(out, packet.ready);
        return;
    }
    if (m_marksWanted && Marks(out, queue.bytes))
    {
        packet.marked = 1;
        ++port.marked;
        if (m_observer != nullptr)
        {
            m_observer->PacketMarked(LinkId(std::size_t{out}), Bytes(packet.wire));
        }
    }
    queue.line.Append(m_packets, place);
    queue.bytes += packet.wire;
    port.filled |= 1U << packet.trafficClass;
    port.queued += packet.wire;
    port.maxQueue = std::max(port.maxQueue, port.queued);
    if (!m_histograms.empty())
    {
        m_histograms[out].Arrive(m_time.Now(), packet.wire);
    }
    if (m_observer != nullptr)
    {
        m_observer->PacketQueued(
            LinkId(std::size_t{out}), Bytes(packet.wire), Time::ps(packet.ready));
    }
    WakePort(out, packet.ready);
    // The request is a packet, too: where packets are kept may move.
    if (verdict == SharedBuffer::Verdict::TAKEN_PAUSES)
    {
        AskToPause(link, PacketKind::PAUSE, packet.trafficClass);
    }
}

bool
EthernetNetwork::Marks(std::uint32_t port, std::int64_t queued)
{
    const auto number = static_cast<std::uint64_t>(m_ports[port].arrivals++);
    if (queued <= m_kmin[port])
    {
        return false;
    }
    if (queued > m_kmax[port])
    {
        return true;
    }
    const double share = static_cast<double>(queued - m_kmin[port]) /
                         static_cast<double>(m_kmax[port] - m_kmin[port]);
    using topology::mixed;
    const std::uint64_t drawn = mixed(mixed(m_markSeed + port) + number);
    ++m_draws;
    // 53 bits are exact in a double.
    constexpr double unit = 1.0 / 9007199254740992.0;
    return static_cast<double>(drawn >> 11) * unit < m_description.packet.ecn.pmax * share;
}

void
EthernetNetwork::CountDrop(std::uint32_t portNumber, std::uint32_t wire, PacketLoss why)
{
    ++m_ports[portNumber].drops;
    if (m_observer != nullptr)
    {
        m_observer->PacketLost(LinkId(std::size_t{portNumber}), Bytes(wire), why);
    }
}

void
EthernetNetwork::Drop(std::uint32_t portNumber,
                      std::uint32_t place,
                      PacketLoss why,
                      const char* where)
{
    EthernetPacket& packet = m_packets[place];
    CountDrop(portNumber, packet.wire, why);
    if (m_description.packet.transport.kind == topology::TransportKind::None)
    {
        RefuseLoss(portNumber, where);
    }
    m_telemetry.Free(packet.telemetry);
    m_packets.Free(place);
}

} // namespace npunet::packet
