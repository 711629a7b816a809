/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/priority_flow_control.h"

#include "base/errors.h"
#include "topology/headroom.h"

#include <fmt/format.h>

#include <utility>

namespace npunet::packet
{

namespace
{

/**
 * @param graph the network
 * @return by link: the link back, NONE where there is none; parallel links in their order
 */
std::vector<std::uint32_t>
LinksBack(const topology::Graph& graph)
{
    std::vector<std::uint32_t> back(graph.links(), NONE);
    for (std::uint32_t forth = 0; forth < graph.links(); ++forth)
    {
        if (back[forth] != NONE)
        {
            continue;
        }
        const topology::Link& link = graph.link(LinkId(std::size_t{forth}));
        for (const LinkId candidate : graph.links_from(link.to))
        {
            const std::size_t number = candidate.index();
            if (graph.link(candidate).to == link.from && back[number] == NONE && number != forth)
            {
                back[forth] = static_cast<std::uint32_t>(number);
                back[number] = forth;
                break;
            }
        }
    }
    return back;
}

/**
 * Requests to pause go back by the link that they are about.
 * @param description the network
 * @return as LinksBack()
 */
std::vector<std::uint32_t>
CheckedLinksBack(const topology::NetworkDescription& description)
{
    const topology::Graph& graph = description.graph;
    const bool pauses = description.packet.flow_control == topology::FlowControl::Pfc;
    std::vector<std::uint32_t> back = LinksBack(graph);
    for (std::size_t number = 0; number < back.size(); ++number)
    {
        if (pauses && back[number] == NONE)
        {
            const topology::Link& link = graph.link(LinkId(number));
            throw InputError({description.file,
                              "packet.flow_control",
                              fmt::format("pfc, and no link back for {} -> {}",
                                          graph.name(link.from),
                                          graph.name(link.to)),
                              "a link back for every link, by which it can be told to pause",
                              "Add it, or use flow_control: credit"});
        }
    }
    return back;
}

} // namespace

PriorityFlowControl::PriorityFlowControl(const topology::NetworkDescription& description,
                                         EthernetState& state,
                                         EthernetAgenda& agenda)
    : PriorityFlowControl(description, state, agenda, CheckedLinksBack(description))
{
}

PriorityFlowControl::PriorityFlowControl(const topology::NetworkDescription& description,
                                         EthernetState& state,
                                         EthernetAgenda& agenda,
                                         const std::vector<std::uint32_t>& back)
    : m_state(state), m_agenda(agenda),
      m_pauses(description.packet.flow_control == topology::FlowControl::Pfc),
      m_buffer(description, topology::largest_packet(description.packet).value(), back)
{
    for (std::size_t number = 0; number < back.size(); ++number)
    {
        state.ports[number].reverse = back[number];
    }
}

void
PriorityFlowControl::Ask(std::uint32_t link, PacketKind kind, std::uint8_t trafficClass)
{
    const std::uint32_t back = m_state.ports[link].reverse;
    // No more than one waits for each class, which the headroom is made for.
    if (m_state.ports[back].requests.Remove(m_state.packets, trafficClass))
    {
        return;
    }
    const std::uint32_t place = m_state.packets.Take();
    EthernetPacket& packet = m_state.packets[place];
    packet.kind = kind;
    packet.trafficClass = trafficClass;
    packet.wire = PAUSE_BYTES;
    packet.ready = m_state.clock.Now();
    m_state.ports[back].requests.Append(m_state.packets, place);
    // The port whose packet has left asks by itself when that is the way.
    m_agenda.WakePort(back, packet.ready);
}

void
PriorityFlowControl::Heed(std::uint32_t link, const EthernetPacket& packet)
{
    const std::uint32_t number = m_state.ports[link].reverse;
    EthernetPort& port = m_state.ports[number];
    const std::int64_t now = m_state.clock.Now();
    const std::uint32_t bit = 1U << packet.trafficClass;
    Tell(number, packet.trafficClass, packet.kind == PacketKind::PAUSE);
    if (packet.kind == PacketKind::PAUSE)
    {
        ++port.pauses;
        port.pausedAt = port.paused == 0 ? now : port.pausedAt;
        port.paused |= bit;
        return;
    }
    port.paused &= ~bit;
    if (port.paused == 0)
    {
        EndPause(number);
    }
    else
    {
        m_agenda.WakePort(number, now);
    }
}

void
PriorityFlowControl::Forget(std::uint32_t link)
{
    const std::uint32_t number = m_state.ports[link].reverse;
    if (number == NONE || m_state.ports[number].paused == 0)
    {
        return;
    }
    const std::uint32_t paused = std::exchange(m_state.ports[number].paused, 0);
    for (std::uint8_t trafficClass = 0; trafficClass < m_state.classCount; ++trafficClass)
    {
        if ((paused >> trafficClass & 1U) != 0)
        {
            Tell(number, trafficClass, false);
        }
    }
    EndPause(number);
}

void
PriorityFlowControl::Tell(std::uint32_t number, std::uint8_t trafficClass, bool paused)
{
    if (m_state.observer != nullptr)
    {
        m_state.observer->LinkPaused(LinkId(std::size_t{number}), trafficClass, paused);
    }
}

void
PriorityFlowControl::EndPause(std::uint32_t number)
{
    EthernetPort& port = m_state.ports[number];
    const std::int64_t now = m_state.clock.Now();
    port.pauseTime += now - port.pausedAt;
    if (m_state.observer != nullptr)
    {
        m_state.observer->CreditStalled(
            LinkId(std::size_t{number}), Time::ps(port.pausedAt), Time::ps(now - port.pausedAt));
    }
    m_agenda.WakePort(number, now);
}

} // namespace npunet::packet
