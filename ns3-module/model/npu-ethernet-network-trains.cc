/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// EthernetNetwork: packet trains (EthernetTrains).

#include "npu-ethernet-network.h"

#include "engine/link_load.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;
using topology::CongestionAlgorithm;

void
EthernetNetwork::SetTrains(bool wanted)
{
    m_trainsWanted = wanted;
    const CongestionAlgorithm algorithm = m_description.packet.congestion_control.algorithm;
    // What these keep for every packet would have to be moved on, too.
    const bool possible = m_simulation.order() == engine::EventQueue::Order::Content &&
                          !m_routes.AreChosen() && !m_errors.Any() && !m_clock.faulty() &&
                          !m_border && m_histograms.empty() && m_observer == nullptr &&
                          algorithm != CongestionAlgorithm::Hpcc &&
                          algorithm != CongestionAlgorithm::ReceiverCredit;
    m_watched = NONE;
    m_trains.reset(wanted && possible ? new EthernetTrains(m_simulation, *this) : nullptr);
}

void
EthernetNetwork::Settle()
{
    if (m_trains)
    {
        m_trains->Settle();
    }
}

void
EthernetNetwork::ObserverChanges()
{
    if (m_trains)
    {
        m_trains->Enable(m_observer == nullptr);
    }
}

void
EthernetNetwork::MessagesChange()
{
    if (m_trains)
    {
        m_trains->MessagesChange();
    }
}

void
EthernetNetwork::Watch(std::uint32_t port, std::int64_t from)
{
    m_watched = port;
    m_watchFrom = from;
}

std::size_t
EthernetNetwork::CollectFlows()
{
    return m_pairs.State().CollectFlows();
}

void
EthernetNetwork::NoteTimers(bool wanted)
{
    m_pairs.State().NoteRestarts(wanted);
}

std::int64_t
EthernetNetwork::PeriodsLeft(const engine::StateSample& earlier,
                             const engine::StateSample& present) const
{
    const std::int64_t room = (m_lastStart - present.at) / (present.at - earlier.at) - 1;
    return std::min(room, m_pairs.State().PeriodsLeft(earlier, present));
}

void
EthernetNetwork::Scan(engine::StateScan& scan)
{
    // Whether a packet is marked by chance depends on how many came before it.
    scan.same(m_draws);
    if (scan.moves())
    {
        m_pairs.State().PrepareMove(scan);
    }
    m_pairs.State().Scan(scan);
    for (std::uint32_t port = 0; port < m_ports.size() && !scan.differs(); ++port)
    {
        ScanPort(scan, port);
    }
    if (!scan.differs())
    {
        m_buffer->Scan(scan);
    }
}

void
EthernetNetwork::ScanPort(engine::StateScan& scan, std::uint32_t portNumber)
{
    EthernetPort& port = m_ports[portNumber];
    const bool leaves = port.leavingInput != NONE;
    const bool idle = !leaves && port.wake == NEVER && port.busyUntil <= scan.at() &&
                      port.due == NEVER && port.requests.head == NONE &&
                      port.control.head == NONE && port.filled == 0;
    scan.same(std::int64_t{port.paused} << 32 | std::int64_t{port.ownTurn} << 2 |
              std::int64_t{leaves} << 1 | std::int64_t{idle});
    if (port.paused != 0)
    {
        scan.lasting(port.pausedAt);
    }
    if (!idle)
    {
        scan.ahead(port.busyUntil);
        scan.instant(port.wake);
        scan.instant(port.due);
        ScanLine(scan, port.flight);
        ScanLine(scan, port.requests);
        ScanLine(scan, port.control);
    }
    if (leaves)
    {
        scan.same(std::int64_t{port.leavingInput} << 32 | std::int64_t{port.leavingClass});
        scan.same(port.leavingBytes);
    }
    for (std::uint32_t number = 0; number < m_classCount; ++number)
    {
        if ((port.filled >> number & 1U) != 0)
        {
            ScanLine(scan, m_queues[portNumber * m_classCount + number].line);
        }
        if (m_classCount > 1)
        {
            scan.same(m_classes.OfPort(portNumber)[number].lead);
            scan.count(m_classes.OfPort(portNumber)[number].wire);
        }
    }
    if (port.startsHere)
    {
        m_pairs.State().ScanPort(scan, portNumber);
    }
    for (std::int64_t* count : {&port.payload,
                                &port.sent,
                                &port.busy,
                                &port.packets,
                                &port.repeated,
                                &port.pauseTime,
                                &port.pauses,
                                &port.marked,
                                &port.drops,
                                &port.arrivals})
    {
        scan.count(*count);
    }
}

void
EthernetNetwork::ScanLine(engine::StateScan& scan, const PacketLine& line)
{
    for (std::uint32_t place = line.head; place != NONE; place = m_packets[place].next)
    {
        EthernetPacket& packet = m_packets[place];
        scan.same(std::int64_t{packet.wire} << 32 | std::int64_t{packet.asks} << 18 |
                  std::int64_t{packet.repeated} << 17 | std::int64_t{packet.trimmed} << 16 |
                  std::int64_t{packet.trafficClass} << 8 | static_cast<std::int64_t>(packet.kind));
        scan.same(std::int64_t{packet.hop} << 32 | std::int64_t{packet.input});
        scan.same(std::int64_t{packet.payload});
        scan.ahead(packet.ready);
        scan.ahead(packet.arrival);
        if (!IsRequest(packet.kind))
        {
            m_pairs.State().ScanPacket(scan, packet);
        }
    }
    scan.same(std::int64_t{-1});
}

void
EthernetNetwork::StandStill()
{
    m_time.StandStill(true);
}

void
EthernetNetwork::GoOn(const engine::StateSample& earlier,
                      engine::StateSample& present,
                      std::int64_t periods,
                      EventKey until)
{
    std::vector<std::int64_t> busy;
    for (std::size_t number = 0; load_ != nullptr && number < m_ports.size(); ++number)
    {
        busy.push_back(m_ports[number].busy);
    }
    engine::StateScan scan(earlier, present, periods);
    Scan(scan);
    const std::int64_t end = present.at + periods * (present.at - earlier.at);
    for (std::size_t number = 0; number < busy.size(); ++number)
    {
        load_->add(number, present.at, end, m_ports[number].busy - busy[number]);
    }
    m_pairs.State().MoveTimers(earlier, present, periods);
    m_time.StandStill(false);
    engine::EventQueue past;
    past.advance(Time::ps(end));
    UseQueue(past);
    past.run_before(m_simulation.now(), until);
    UseQueue(m_simulation);
    m_simulation.count_handled(past.handled());
}

void
EthernetNetwork::UseQueue(engine::EventQueue& queue)
{
    m_time.UseQueue(queue);
    m_pairs.State().ScheduleTimersAnew();
    for (std::uint32_t number = 0; number < m_ports.size(); ++number)
    {
        EthernetPort& port = m_ports[number];
        if (port.wake != NEVER)
        {
            m_time.Schedule(port.wake,
                            EventKey::of(Phase::Arbitration, engine::event_kind::port, number),
                            m_wakeEvent,
                            number);
        }
        if (port.due != NEVER)
        {
            AwaitArrival(number);
        }
    }
}

} // namespace npunet::packet
