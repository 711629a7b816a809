/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/egress.h"

namespace npunet::packet
{

EthernetEgress::EthernetEgress(EthernetState& state,
                               const EthernetRoutes& routes,
                               EthernetLinks& links,
                               EthernetAgenda& agenda,
                               PriorityFlowControl& flowControl,
                               EthernetArbiter& arbiter,
                               EthernetLosses& losses,
                               QueuePairs& pairs,
                               EthernetPeriods& periods)
    : m_state(state), m_routes(routes), m_links(links), m_agenda(agenda),
      m_flowControl(flowControl), m_arbiter(arbiter), m_losses(losses), m_pairs(pairs),
      m_periods(periods)
{
}

void
EthernetEgress::Wake(std::uint32_t number)
{
    EthernetPort& port = m_state.ports[number];
    const std::int64_t now = m_state.clock.Now();
    if (port.wake == now && !m_state.clock.IsStill())
    {
        port.wake = NEVER;
        Decide(number, now);
    }
}

void
EthernetEgress::Decide(std::uint32_t number, std::int64_t now)
{
    EthernetPort& port = m_state.ports[number];
    // Only what is sent by someone else after this instant's choices finds the port busy here.
    if (port.busyUntil > now)
    {
        m_agenda.Arm(number, port.busyUntil);
        return;
    }
    m_agenda.SetDeciding(number);
    m_flowControl.Release(port);
    const std::int64_t up = port.irregular ? UpAgain(number, now) : now;
    const std::uint32_t place = up > now ? NONE : m_arbiter.Choose(number, now);
    m_agenda.SetDeciding(NONE);
    if (place != NONE)
    {
        Transmit(number, place, now);
        m_agenda.Arm(number, port.busyUntil);
        return;
    }
    const std::int64_t next = up > now ? up : m_arbiter.NextTime(number);
    if (next != NEVER)
    {
        m_agenda.Arm(number, next);
    }
}

std::int64_t
EthernetEgress::UpAgain(std::uint32_t number, std::int64_t now) const
{
    const std::int64_t up = m_links.UpFrom(number, now);
    // Copies of what has arrived may be left when all messages are done.
    if (up == NEVER && m_pairs.IsBusy() && m_arbiter.IsWanted(number))
    {
        m_links.Refuse(number, now);
    }
    return up;
}

void
EthernetEgress::Transmit(std::uint32_t number, std::uint32_t place, std::int64_t now)
{
    EthernetPort& port = m_state.ports[number];
    EthernetPacket& packet = m_state.packets[place];
    if (now > m_links.LastStart())
    {
        m_agenda.ScheduleAtEnd(number);
    }
    const bool passing = packet.input != NONE;
    const bool data = !IsControl(packet);
    const Bytes waited(packet.wire);
    if (data && passing && packet.telemetry != NONE)
    {
        m_state.telemetry[packet.telemetry].push_back(
            {now, port.sent, m_arbiter.Queued(number, packet.trafficClass), port.rate});
        packet.wire += TELEMETRY_BYTES;
    }
    const LinkPassage passage = m_links.Cross(number, packet.wire, now);
    Count(number, packet, now, passage.end);
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketStarted(LinkId(std::size_t{number}),
                                        Bytes(packet.wire),
                                        passage.lost ? Time::max() : Time::ps(passage.arrival),
                                        data && passing ? waited : Bytes());
    }
    if (data && !passing)
    {
        m_pairs.Leaves(packet, passage.end);
        m_periods.PacketStarts(number, packet.pair, now, passage.end);
    }
    if (passage.lost)
    {
        Lose(number, place, passage.corrupted ? PacketLoss::CORRUPTED : PacketLoss::LINK_DOWN);
        return;
    }
    const bool goesOn = !IsRequest(packet.kind) && !m_routes.IsLast(packet);
    packet.arrival = passage.arrival;
    packet.ready = goesOn ? passage.headerIn : passage.arrival;
    if (port.cut)
    {
        m_frames->Leave(number, place);
        return;
    }
    m_agenda.Fly(number, place);
}

void
EthernetEgress::Count(std::uint32_t number,
                      const EthernetPacket& packet,
                      std::int64_t now,
                      std::int64_t end)
{
    EthernetPort& port = m_state.ports[number];
    port.busy += end - now;
    if (m_state.load != nullptr)
    {
        m_state.load->add(number, now, end);
    }
    port.busyUntil = end;
    port.sent += packet.wire;
    port.payload += packet.payload;
    port.repeated += packet.repeated ? 1 : 0;
    ++port.packets;
    if (m_state.classCount > 1)
    {
        m_state.classes.OfPort(number)[packet.trafficClass].wire += packet.wire;
        if (!IsControl(packet))
        {
            m_state.classes.Charge(number, packet.trafficClass, packet.wire);
        }
    }
}

void
EthernetEgress::Lose(std::uint32_t number, std::uint32_t place, PacketLoss why)
{
    if (IsRequest(m_state.packets[place].kind))
    {
        m_state.ports[number].requests.Prepend(m_state.packets, place);
        return;
    }
    m_losses.Drop(number, place, why, "on the link");
}

} // namespace npunet::packet
