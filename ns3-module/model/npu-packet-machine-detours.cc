/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"
#include "npu-packet-rounds.h"

#include <algorithm>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
PacketMachine::KnowRoutes(const topology::NetworkDescription& description)
{
    m_ways.seed = description.packet.seed;
    m_ways.router = description.multipath.get();
    if (description.faults.take_links_down())
    {
        m_detours = std::make_unique<topology::Detours>(description);
        m_ways.router = m_detours.get();
    }
    if (m_ways.router != nullptr)
    {
        m_chooser.Use(*m_ways.router, m_channels);
    }
}

void
PacketMachine::AwaitEpoch()
{
    const std::vector<Time>& begins = m_detours->epochs();
    const Time now = m_queue.now();
    if (m_epochAwaited)
    {
        return;
    }
    // Nothing is under way: whatever has changed meanwhile concerns nobody.
    std::size_t epoch = m_epoch;
    while (epoch + 1 < begins.size() && begins[epoch + 1] <= now)
    {
        ++epoch;
    }
    if (epoch != m_epoch)
    {
        m_epoch = epoch;
        m_detours->set_epoch(epoch);
    }
    if (epoch + 1 < begins.size())
    {
        m_epochAwaited = true;
        m_queue.schedule(begins[epoch + 1],
                         EventKey::of(Phase::Arrival, engine::event_kind::routes, 0),
                         m_epochEvent,
                         static_cast<std::uint32_t>(epoch + 1));
    }
}

void
PacketMachine::EpochBegins(std::uint32_t epoch)
{
    m_epochAwaited = false;
    m_epoch = epoch;
    m_detours->set_epoch(epoch);
    if (m_underWay == 0)
    {
        return;
    }
    LeaveDeadLinks();
    ChooseStartsAnew();
    AwaitEpoch();
}

void
PacketMachine::LeaveDeadLinks()
{
    std::vector<std::uint32_t> leaving;
    for (std::uint32_t number = 0; number < m_ports.size(); ++number)
    {
        if (m_ports[number].irregular == 1 && m_detours->is_dead(LinkId(std::size_t{number})))
        {
            EmptyQueues(m_ports[number], leaving);
        }
    }
    for (const std::uint32_t place : leaving)
    {
        WayOfPacket& way = m_ways.OfPacket(place);
        m_chooser.Leave(way);
        way.then = topology::Hop();
        ChooseWay(way);
        m_packets[place].ready = std::max(m_packets[place].ready, m_queue.now().ps());
        StandInLine(place);
    }
}

void
PacketMachine::EmptyQueues(PacketPort& port, std::vector<std::uint32_t>& packets)
{
    const auto number = static_cast<std::size_t>(&port - m_ports.data());
    std::vector<std::pair<std::int64_t, std::uint32_t>> leaving;
    for (std::uint32_t slot = 0; slot < port.queues; ++slot)
    {
        VirtualQueue& queue = m_queues[port.firstQueue + slot];
        if (queue.upstream == NONE || queue.head == NONE)
        {
            continue;
        }
        bool arrived = true;
        for (std::uint32_t place = queue.head; place != NONE; place = m_packets[place].next)
        {
            const std::uint32_t wire = WireBytes(m_packets[place].payload);
            arrived = arrived && place != queue.unarrived;
            port.queued -= wire;
            port.arrived -= arrived ? wire : 0;
            leaving.emplace_back(std::max(m_queue.now().ps(), m_packets[place].ready), wire);
            packets.push_back(place);
        }
        queue.head = NONE;
        queue.unarrived = NONE;
        m_masks[port.firstMask + slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    }
    std::sort(leaving.begin(), leaving.end());
    for (const auto& [at, wire] : leaving)
    {
        if (!m_histograms.empty())
        {
            m_histograms[number].Depart(at, wire);
        }
        if (m_observer != nullptr)
        {
            m_observer->PacketGaveUp(LinkId(number), Bytes(wire), Time::ps(at));
        }
    }
}

void
PacketMachine::ChooseStartsAnew()
{
    std::vector<std::uint32_t> waiting;
    for (const TurnList& turns : m_turns)
    {
        for (std::uint32_t message = turns.first; message != NONE;
             message = m_messages[message].next)
        {
            waiting.push_back(message);
        }
    }
    for (const std::uint32_t message : waiting)
    {
        const PlannedHop before = m_plan[m_messages[message].hop];
        m_chooser.Leave(m_ways.OfMessage(message).next);
        ChooseStart(message);
        if (m_plan[m_messages[message].hop].queue != before.queue)
        {
            m_messages.Withdraw(m_turns[before.port * m_channels + before.channel], message);
            ShowTurn(before.queue);
            // Whose turn it is now may need less credit than the one for which the port waited.
            Arm(before.port, std::max(m_ports[before.port].busyUntil, m_queue.now().ps()));
            MoveMessage(message);
        }
    }
}

} // namespace npunet::packet
