/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/reroute_epochs.h"

#include "engine/network.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
EthernetEpochs::AwaitNext()
{
    topology::Detours& detours = *m_routes.GetDetours();
    const std::vector<Time>& begins = detours.epochs();
    if (m_isAwaited)
    {
        return;
    }
    // Nothing is under way: whatever has changed meanwhile concerns nobody.
    const Time now = Time::ps(m_state.clock.Now());
    std::size_t epoch = m_epoch;
    while (epoch + 1 < begins.size() && begins[epoch + 1] <= now)
    {
        ++epoch;
    }
    if (epoch != m_epoch)
    {
        m_epoch = epoch;
        detours.set_epoch(epoch);
    }
    if (epoch + 1 < begins.size())
    {
        m_isAwaited = true;
        m_state.clock.Schedule(begins[epoch + 1].ps(),
                               EventKey::of(Phase::Arrival, engine::event_kind::routes, 0),
                               m_beginEvent,
                               static_cast<std::uint32_t>(epoch + 1));
    }
}

void
EthernetEpochs::Begin(std::uint32_t epoch)
{
    topology::Detours& detours = *m_routes.GetDetours();
    m_isAwaited = false;
    m_epoch = epoch;
    detours.set_epoch(epoch);
    for (std::uint32_t number = 0; number < m_state.ports.size(); ++number)
    {
        if (detours.is_dead(LinkId(std::size_t{number})))
        {
            Bury(number);
        }
    }
    m_pairs.ChooseAnew();
    if (m_all || IsBusy())
    {
        AwaitNext();
    }
}

bool
EthernetEpochs::IsBusy() const
{
    // Copies of what has arrived may be left when all messages are done, and grants, and pauses.
    return m_pairs.IsBusy() || m_pairs.AnyGrantIsDue() ||
           std::any_of(m_state.ports.begin(), m_state.ports.end(), [](const EthernetPort& port) {
               return port.flight.head != NONE || port.requests.head != NONE ||
                      port.control.head != NONE || port.filled != 0 || port.paused != 0;
           });
}

void
EthernetEpochs::Bury(std::uint32_t number)
{
    EthernetPort& port = m_state.ports[number];
    while (port.requests.head != NONE)
    {
        m_state.packets.Free(port.requests.Pop(m_state.packets));
    }
    while (port.control.head != NONE)
    {
        m_losses.Drop(
            number, port.control.Pop(m_state.packets), PacketLoss::LINK_DOWN, "on a dead link");
    }
    for (std::uint32_t trafficClass = 0; trafficClass < m_state.classCount; ++trafficClass)
    {
        BuryData(number, trafficClass);
    }
    m_flowControl.Forget(number);
}

void
EthernetEpochs::BuryData(std::uint32_t number, std::uint32_t trafficClass)
{
    const EthernetPort& port = m_state.ports[number];
    while ((port.filled >> trafficClass & 1U) != 0)
    {
        const std::uint32_t place = m_queues.Take(number, trafficClass);
        // A request that follows is a packet, too: where packets are kept may move.
        const EthernetPacket packet = m_state.packets[place];
        if (m_state.observer != nullptr)
        {
            m_state.observer->PacketGaveUp(LinkId(std::size_t{number}),
                                           Bytes(packet.wire),
                                           Time::ps(std::max(packet.ready, m_state.clock.Now())));
        }
        m_flowControl.FreeRoom(port.node, packet.input, packet.trafficClass, packet.wire);
        m_losses.Drop(number, place, PacketLoss::LINK_DOWN, "on a dead link");
    }
}

} // namespace npunet::packet
