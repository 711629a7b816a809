/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/ethernet_network.h"

#include "packet/ethernet/network_setup.h"

#include <algorithm>
#include <utility>

namespace npunet::packet
{

EthernetNetwork::EthernetNetwork(const topology::NetworkDescription& description,
                                 engine::EventQueue& queue)
    : m_description(CheckedForEthernet(description)), m_state(description, queue),
      m_links(description, m_state.sizes, m_state.ports),
      m_routes(description, m_state.ports, m_links.Clock()),
      m_agenda(m_state.ports, m_state.packets, m_state.clock, m_wakeEvent, m_arriveEvent),
      m_flowControl(description, m_state, m_agenda), m_marks(description),
      m_queues(description, m_state, m_routes, m_agenda),
      m_stalls(description, m_state, m_queues, m_routes),
      m_losses(
          description.packet.transport.kind != topology::TransportKind::None, m_state, m_stalls),
      m_pairs(description,
              {m_state.clock, m_state.packets, m_state.telemetry, m_routes, m_queues},
              *this),
      m_periods(description,
                queue,
                m_state,
                m_links,
                m_agenda,
                m_flowControl,
                m_marks,
                m_queues,
                m_pairs),
      m_arbiter(m_state, m_queues, m_pairs), m_egress(m_state,
                                                      m_routes,
                                                      m_links,
                                                      m_agenda,
                                                      m_flowControl,
                                                      m_arbiter,
                                                      m_losses,
                                                      m_pairs,
                                                      m_periods),
      m_ingress(description,
                m_state,
                m_routes,
                m_links,
                m_agenda,
                m_flowControl,
                m_marks,
                m_queues,
                m_losses,
                m_pairs),
      m_epochs(m_state, m_routes, m_queues, m_flowControl, m_losses, m_pairs)
{
}

void
EthernetNetwork::send(const engine::Message& message)
{
    m_epochs.Await();
    m_pairs.SetListener(*listener_);
    m_periods.MessagesChange();
    m_pairs.Send(message, static_cast<std::uint8_t>(m_state.classes.Of(message)));
}

void
EthernetNetwork::GiveUp(const QueuePair& pair) const
{
    m_stalls.GiveUp(pair);
}

void
EthernetNetwork::MessagesChange()
{
    m_periods.MessagesChange();
}

void
EthernetNetwork::SetTrains(bool wanted)
{
    m_periods.SetTrains(wanted);
}

void
EthernetNetwork::Settle()
{
    m_periods.Settle();
}

void
EthernetNetwork::ObserverChanges()
{
    m_state.observer = m_observer;
    m_periods.ObserverChanges();
}

void
EthernetNetwork::Split(std::vector<bool> owned, PacketCut& cut)
{
    m_border = std::make_unique<EthernetBorder>(m_description.graph, std::move(owned), cut);
    m_frames = std::make_unique<EthernetFrames>(m_state, m_routes, m_agenda, *m_border);
    for (std::size_t number = 0; number < m_state.ports.size(); ++number)
    {
        m_state.ports[number].cut = m_border->IsCut(LinkId(number));
    }
    m_pairs.Split(*m_border);
    m_egress.SetFrames(*m_frames);
    m_periods.Split();
    m_epochs.GoThroughAll();
}

void
EthernetNetwork::Enter(const std::uint8_t* data, std::size_t size)
{
    m_frames->Enter(data, size);
}

std::string
EthernetNetwork::explain_stall() const
{
    std::string circle = m_stalls.ExplainPauses();
    return circle.empty() && m_border ? m_stalls.ExplainPausesFromAfar(*m_border) : circle;
}

std::vector<engine::LinkUse>
EthernetNetwork::link_use() const
{
    std::vector<engine::LinkUse> uses;
    uses.reserve(m_state.ports.size());
    for (std::size_t number = 0; number < m_state.ports.size(); ++number)
    {
        const EthernetPort& port = m_state.ports[number];
        engine::LinkUse use{
            Bytes(port.payload), Bytes(port.sent), Time::ps(port.busy), Bytes(port.maxQueue)};
        use.packets = static_cast<std::uint64_t>(port.packets);
        use.retransmissions = static_cast<std::uint64_t>(port.repeated);
        const std::int64_t still = port.paused != 0 ? m_state.clock.Now() - port.pausedAt : 0;
        use.credit_stall = Time::ps(port.pauseTime + still);
        use.pauses = static_cast<std::uint64_t>(port.pauses);
        use.marked = static_cast<std::uint64_t>(port.marked);
        use.drops = static_cast<std::uint64_t>(port.drops);
        use.queue_times = m_queues.TimesOf(number);
        if (m_state.classCount > 1)
        {
            use.classes_wire = ClassesWire(number);
        }
        uses.push_back(std::move(use));
    }
    return uses;
}

std::vector<engine::FlowUse>
EthernetNetwork::flow_use() const
{
    std::vector<engine::FlowUse> uses;
    for (const QueuePair& pair : m_pairs.GetPairs())
    {
        engine::FlowUse use;
        use.flow = {NodeId(std::size_t{pair.source}),
                    NodeId(std::size_t{pair.destination}),
                    pair.trafficClass};
        use.counts.packets = static_cast<std::uint64_t>(pair.use.packets);
        use.counts.retransmissions = static_cast<std::uint64_t>(pair.use.repeated);
        use.counts.timeouts = static_cast<std::uint64_t>(pair.use.timeouts);
        use.counts.marked = static_cast<std::uint64_t>(pair.use.marked);
        use.counts.notifications = static_cast<std::uint64_t>(pair.use.notified);
        uses.push_back(use);
    }
    std::sort(uses.begin(), uses.end(), [](const engine::FlowUse& a, const engine::FlowUse& b) {
        return a.flow < b.flow;
    });
    return uses;
}

engine::QueuePairLimits
EthernetNetwork::queue_pair_limits() const
{
    engine::QueuePairLimits limits;
    if (m_description.packet.transport.kind == topology::TransportKind::None)
    {
        return limits;
    }
    for (const QueuePair& pair : m_pairs.GetPairs())
    {
        engine::widen(limits.window, Bytes(pair.window));
        engine::widen(limits.timeout, Time::ps(pair.timeout));
    }
    return limits;
}

std::vector<Bytes>
EthernetNetwork::ClassesWire(std::size_t port) const
{
    std::vector<Bytes> wires;
    for (std::uint32_t number = 0; number < m_state.classCount; ++number)
    {
        wires.emplace_back(m_state.classes.ofPorts[port * m_state.classCount + number].wire);
    }
    return wires;
}

std::uint64_t
EthernetNetwork::packet_hops() const
{
    std::uint64_t hops = 0;
    for (const EthernetPort& port : m_state.ports)
    {
        hops += static_cast<std::uint64_t>(port.packets);
    }
    return hops;
}

void
EthernetNetwork::ListQueued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function)
{
    Settle();
    m_queues.List(link, function);
}

} // namespace npunet::packet
