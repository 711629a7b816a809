/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/reroute_epochs.h"

#include <algorithm>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

DetourEpochs::DetourEpochs(PacketMover& mover)
    : m_state(mover.State()), m_finder(mover.Finder()), m_mover(mover)
{
}

void
DetourEpochs::Await()
{
    topology::Detours* detours = m_finder.GetDetours();
    if (detours == nullptr || m_isAwaited)
    {
        return;
    }
    const std::vector<Time>& begins = detours->epochs();
    const Time now = m_state.events.now();
    // Nothing is under way: whatever has changed meanwhile concerns nobody.
    std::size_t epoch = m_epoch;
    while (epoch + 1 < begins.size() && begins[epoch + 1] <= now)
    {
        ++epoch;
    }
    if (epoch != m_epoch)
    {
        m_epoch = epoch;
        detours->set_epoch(epoch);
    }
    if (epoch + 1 < begins.size())
    {
        m_isAwaited = true;
        m_state.events.schedule(begins[epoch + 1],
                                EventKey::of(Phase::Arrival, engine::event_kind::routes, 0),
                                m_beginEvent,
                                static_cast<std::uint32_t>(epoch + 1));
    }
}

void
DetourEpochs::Begin(std::uint32_t epoch)
{
    m_isAwaited = false;
    m_epoch = epoch;
    m_finder.GetDetours()->set_epoch(epoch);
    if (m_state.messages.UnderWay() == 0)
    {
        return;
    }
    LeaveDeadLinks();
    ChooseStartsAnew();
    Await();
}

void
DetourEpochs::LeaveDeadLinks()
{
    std::vector<std::uint32_t> leaving;
    for (std::uint32_t number = 0; number < m_state.ports.size(); ++number)
    {
        if (m_state.ports[number].irregular == 1 &&
            m_finder.GetDetours()->is_dead(LinkId(std::size_t{number})))
        {
            EmptyQueues(number, leaving);
        }
    }
    for (const std::uint32_t place : leaving)
    {
        m_finder.ChooseAnew(place);
        m_mover.Push(place);
    }
}

void
DetourEpochs::EmptyQueues(std::uint32_t number, std::vector<std::uint32_t>& packets)
{
    PacketPort& port = m_state.ports[number];
    const std::int64_t now = m_state.events.now().ps();
    std::vector<std::pair<std::int64_t, std::uint32_t>> leaving;
    for (std::uint32_t slot = 0; slot < port.queues; ++slot)
    {
        VirtualQueue& queue = m_state.queues[port.firstQueue + slot];
        if (queue.upstream == NONE || queue.head == NONE)
        {
            continue;
        }
        bool arrived = true;
        for (std::uint32_t place = queue.head; place != NONE; place = m_state.packets[place].next)
        {
            const QueuedPacket& packet = m_state.packets[place];
            const std::uint32_t wire = m_state.WireBytes(packet.payload);
            arrived = arrived && place != queue.unarrived;
            port.queued -= wire;
            port.arrived -= arrived ? wire : 0;
            leaving.emplace_back(std::max(now, packet.ready), wire);
            packets.push_back(place);
        }
        queue.head = NONE;
        queue.unarrived = NONE;
        m_state.filled.Clear(port, port.firstQueue + slot);
    }
    std::sort(leaving.begin(), leaving.end());
    for (const auto& [at, wire] : leaving)
    {
        m_mover.Counts().GiveUp(number, wire, at);
    }
}

void
DetourEpochs::ChooseStartsAnew()
{
    std::vector<std::uint32_t> waiting;
    for (const TurnList& turns : m_state.turns)
    {
        for (std::uint32_t message = turns.first; message != NONE;
             message = m_state.messages[message].next)
        {
            waiting.push_back(message);
        }
    }
    for (const std::uint32_t message : waiting)
    {
        const PlannedHop before = m_state.plan[m_state.messages[message].hop];
        m_finder.ChooseStartAnew(message);
        if (m_state.plan[m_state.messages[message].hop].queue != before.queue)
        {
            m_state.messages.Withdraw(m_state.Turns(before.port, before.channel), message);
            m_state.ShowTurn(before.queue);
            // Whose turn it is now may need less credit than the one for which the port waited.
            m_mover.Agenda().Arm(
                before.port,
                std::max(m_state.ports[before.port].busyUntil, m_state.events.now().ps()));
            m_mover.AwaitTurn(message);
        }
    }
}

} // namespace npunet::packet
