/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/credit_network.h"

#include "packet/credit/network_setup.h"
#include "packet/credit/credit_state_scan.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::packet
{

PacketMachine::PacketMachine(const topology::NetworkDescription& description,
                             engine::EventQueue& queue)
    : PacketMachine(
          CheckedForRoutes(description),
          [&description](NodeId from, NodeId to) { return description.route(from, to); },
          queue)
{
    m_mover.Finder().Use(description);
    ChooseGait();
    SetTrains(true);
}

PacketMachine::PacketMachine(const topology::NetworkDescription& description,
                             RouteFunction route,
                             engine::EventQueue& queue)
    : m_mover(CheckedForPackets(description),
              std::move(route),
              queue,
              {m_sentEvent, m_deliveredEvent},
              m_turnEvent),
      m_counts(m_mover.Counts()), m_state(m_mover.State()), m_runner(m_mover), m_catchUp(m_mover),
      m_epochs(m_mover)
{
    ChooseGait();
    SetTrains(true);
}

void
PacketMachine::send(const engine::Message& message)
{
    assert(message.bytes.value() >= 0);
    const std::uint32_t place = m_state.messages.Take();
    MessageRecord& record = m_state.messages[place];
    record.id = message.id.value();
    record.start = m_state.events.now().ps();
    record.bytes = message.bytes.value();
    record.remaining = message.bytes.value();
    record.handle = message.handle;
    record.wantsSent = message.wants_sent;
    m_state.nearEnd += record.wantsSent && record.bytes <= m_state.lastBytes ? 1 : 0;
    if (m_state.ways.router == nullptr)
    {
        record.hop =
            m_state.plan.FirstHop(message.source, message.destination, m_state.classes.Of(message));
    }
    else
    {
        m_epochs.Await();
        m_mover.Finder().Open(place, message);
    }
    if (m_border)
    {
        m_border->OpenOwn(place, message);
    }
    m_mover.Start(place);
}

void
PacketMachine::MessageSent(std::uint32_t message)
{
    m_state.nearEnd -= m_state.nearEnd > 0 ? 1 : 0;
    listener_->on_sent(m_state.messages[message].handle);
    if (m_border)
    {
        m_border->EndSource(message);
    }
}

void
PacketMachine::MessageDelivered(std::uint32_t message)
{
    const MessageRecord& record = m_state.messages[message];
    const std::uint32_t handle = record.handle;
    const Time left = Time::ps(record.firstByteLeft);
    if (!m_border)
    {
        m_state.messages.Free(message);
    }
    else if (!m_border->Deliver(message))
    {
        return;
    }
    listener_->on_delivered(handle, left);
}

std::vector<engine::LinkUse>
PacketMachine::link_use() const
{
    return m_counts.GetUse();
}

std::uint64_t
PacketMachine::packet_hops() const
{
    return m_counts.GetHops();
}

void
PacketMachine::ListQueued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function)
{
    Settle();
    m_counts.ListQueued(link, function);
}

void
PacketMachine::Settle()
{
    if (m_steady)
    {
        m_steady->Settle();
    }
}

bool
PacketMachine::LooksAtPackets() const
{
    return m_state.ways.router != nullptr || m_border || m_counts.HasHistograms() ||
           m_state.observer != nullptr;
}

void
PacketMachine::SetTrains(bool wanted)
{
    m_trains = wanted;
    const bool possible = wanted && !LooksAtPackets();
    m_steady = possible ? std::make_unique<SteadyTraffic>(m_state, m_catchUp) : nullptr;
    m_mover.SetSteady(m_steady.get());
    m_runner.SetSteady(m_steady.get());
}

void
PacketMachine::SetThreads(std::size_t threads, std::uint64_t leastPackets)
{
    m_runner.SetThreads(threads, leastPackets);
    ChooseGait();
}

void
PacketMachine::ChooseGait()
{
    m_runner.ChooseGait(!LooksAtPackets());
}

void
PacketMachine::ObserverChanges()
{
    m_state.observer = m_observer;
    if (m_steady)
    {
        m_steady->Enable(m_observer == nullptr);
    }
    if (m_mover.Agenda().Windows() != nullptr && m_observer != nullptr)
    {
        m_mover.Agenda().LeaveWindows();
    }
}

void
PacketMachine::Split(std::vector<bool> owned, PacketCut& cut)
{
    m_border = std::make_unique<BorderTraffic>(m_state, std::move(owned), cut);
    m_entrance = std::make_unique<BorderEntrance>(m_mover, *m_border, m_epochs);
    m_mover.SetBorder(m_border.get());
    ChooseGait();
    SetTrains(m_trains);
}

void
PacketMachine::Enter(const std::uint8_t* data, std::size_t size)
{
    m_entrance->Enter(data, size);
}

bool
PacketMachine::prepare_scan()
{
    const bool possible = m_steady && m_observer == nullptr &&
                          std::none_of(m_state.ports.begin(),
                                       m_state.ports.end(),
                                       [](const PacketPort& port) { return port.irregular == 1; });
    if (possible)
    {
        m_steady->Settle();
    }
    return possible;
}

void
PacketMachine::scan(engine::StateScan& scan,
                    engine::MessageScanner& messages,
                    engine::PendingEvents& events)
{
    if (scan.moves())
    {
        m_steady->Forget();
    }
    StepScan(m_state, scan, messages).Scan(events, {m_sentEvent, m_deliveredEvent});
    m_mover.Agenda().Accompany(scan, events);
    events.accompany(scan, m_steady->Looker());
}

} // namespace npunet::packet
