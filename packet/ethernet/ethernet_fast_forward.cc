/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/ethernet_fast_forward.h"

#include <algorithm>
#include <vector>

namespace npunet::packet
{

using engine::EventKey;
using topology::CongestionAlgorithm;

namespace
{

/// Passes the question of a queue on to the watch of another one, which waits for it.
class Inquiry final : public engine::QueueWatch
{
  public:
    /**
     * @param simulation whose watch answers
     * @param past who asks
     */
    Inquiry(engine::EventQueue& simulation, const engine::EventQueue& past)
        : m_simulation(simulation), m_past(past)
    {
    }

    bool
    goes_on() override
    {
        Count();
        return m_simulation.goes_on();
    }

    /// Counts what the queue has handled as events of the other one.
    void
    Count()
    {
        m_simulation.count_handled(m_past.handled() - m_counted);
        m_counted = m_past.handled();
    }

  private:
    engine::EventQueue& m_simulation; ///< whose watch answers
    const engine::EventQueue& m_past; ///< who asks
    std::uint64_t m_counted = 0;      ///< of its events
};

} // namespace

EthernetPeriods::EthernetPeriods(const topology::NetworkDescription& description,
                                 engine::EventQueue& queue,
                                 EthernetState& state,
                                 const EthernetLinks& links,
                                 EthernetAgenda& agenda,
                                 PriorityFlowControl& flowControl,
                                 EcnMarks& marks,
                                 const OutputQueues& queues,
                                 QueuePairs& pairs)
    : m_description(description), m_simulation(queue), m_state(state), m_links(links),
      m_agenda(agenda), m_flowControl(flowControl), m_marks(marks), m_queues(queues), m_pairs(pairs)
{
    SetTrains(true);
}

void
EthernetPeriods::SetTrains(bool wanted)
{
    m_watched = NONE;
    m_trains.reset(wanted && ArePossible() ? new EthernetTrains(m_simulation, *this) : nullptr);
}

bool
EthernetPeriods::ArePossible() const
{
    const CongestionAlgorithm algorithm = m_description.packet.congestion_control.algorithm;
    return m_simulation.order() == engine::EventQueue::Order::Content &&
           m_description.multipath == nullptr && !m_description.faults.take_links_down() &&
           m_links.AreRegular() && !m_isSplit && !m_queues.HaveHistograms() &&
           m_state.observer == nullptr && algorithm != CongestionAlgorithm::Hpcc &&
           algorithm != CongestionAlgorithm::ReceiverCredit;
}

void
EthernetPeriods::Split()
{
    m_isSplit = true;
    SetTrains(false);
}

void
EthernetPeriods::Settle()
{
    if (m_trains)
    {
        m_trains->Settle();
    }
}

void
EthernetPeriods::ObserverChanges()
{
    if (m_trains)
    {
        m_trains->Enable(m_state.observer == nullptr);
    }
}

void
EthernetPeriods::MessagesChange()
{
    if (m_trains)
    {
        m_trains->MessagesChange();
    }
}

void
EthernetPeriods::Watch(std::uint32_t port, std::int64_t from)
{
    m_watched = port;
    m_watchFrom = from;
}

std::size_t
EthernetPeriods::CollectFlows()
{
    return m_pairs.State().CollectFlows();
}

void
EthernetPeriods::NoteTimers(bool wanted)
{
    m_pairs.State().NoteRestarts(wanted);
}

std::int64_t
EthernetPeriods::PeriodsLeft(const engine::StateSample& earlier,
                             const engine::StateSample& present) const
{
    const std::int64_t room = (m_links.LastStart() - present.at) / (present.at - earlier.at) - 1;
    return std::min(room, m_pairs.State().PeriodsLeft(earlier, present));
}

void
EthernetPeriods::Scan(engine::StateScan& scan)
{
    m_marks.Scan(scan);
    if (scan.moves())
    {
        m_pairs.State().PrepareMove(scan);
    }
    m_pairs.State().Scan(scan);
    for (std::uint32_t number = 0; number < m_state.ports.size() && !scan.differs(); ++number)
    {
        ScanPort(scan, number);
    }
    if (!scan.differs())
    {
        m_flowControl.Scan(scan);
    }
}

void
EthernetPeriods::ScanPort(engine::StateScan& scan, std::uint32_t number)
{
    EthernetPort& port = m_state.ports[number];
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
    for (std::uint32_t trafficClass = 0; trafficClass < m_state.classCount; ++trafficClass)
    {
        if ((port.filled >> trafficClass & 1U) != 0)
        {
            ScanLine(scan, m_queues.Of(number, trafficClass).line);
        }
        if (m_state.classCount > 1)
        {
            ClassOfPort& share = m_state.classes.OfPort(number)[trafficClass];
            scan.same(share.lead);
            scan.count(share.wire);
        }
    }
    if (port.startsHere)
    {
        m_pairs.State().ScanPort(scan, number);
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
EthernetPeriods::ScanLine(engine::StateScan& scan, const PacketLine& line)
{
    for (std::uint32_t place = line.head; place != NONE; place = m_state.packets[place].next)
    {
        EthernetPacket& packet = m_state.packets[place];
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
EthernetPeriods::StandStill()
{
    m_state.clock.StandStill(true);
}

void
EthernetPeriods::GoOn(const engine::StateSample& earlier,
                      engine::StateSample& present,
                      std::int64_t periods,
                      EventKey until)
{
    std::vector<EthernetPort>& ports = m_state.ports;
    std::vector<std::int64_t> busy;
    for (std::size_t number = 0; m_state.load != nullptr && number < ports.size(); ++number)
    {
        busy.push_back(ports[number].busy);
    }
    engine::StateScan scan(earlier, present, periods);
    Scan(scan);
    const std::int64_t end = present.at + periods * (present.at - earlier.at);
    for (std::size_t number = 0; number < busy.size(); ++number)
    {
        m_state.load->add(number, present.at, end, ports[number].busy - busy[number]);
    }
    m_pairs.State().MoveTimers(earlier, present, periods);
    m_state.clock.StandStill(false);
    engine::EventQueue past;
    past.advance(Time::ps(end));
    Inquiry inquiry(m_simulation, past);
    // After the run has stopped only the counts are made up for, once.
    past.set_watch(m_simulation.stopped() ? nullptr : &inquiry);
    UseQueue(past);
    past.run_before(m_simulation.now(), until);
    inquiry.Count();
    if (past.stopped())
    {
        m_state.clock.UseQueue(m_simulation); // which will handle nothing more
        return;
    }
    UseQueue(m_simulation);
}

void
EthernetPeriods::UseQueue(engine::EventQueue& queue)
{
    m_state.clock.UseQueue(queue);
    m_pairs.State().ScheduleTimersAnew();
    m_agenda.ScheduleAnew();
}

} // namespace npunet::packet
