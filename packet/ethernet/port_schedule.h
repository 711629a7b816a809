/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_AGENDA_H
#define NPU_ETHERNET_AGENDA_H

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"

#include "engine/event_queue.h"
#include "engine/network.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * When ports choose, and when what is on their links is in: one pending event for each port that
 * sends and one for each link with packets on it.
 */
class EthernetAgenda
{
  public:
    /**
     * All of these must outlive this.
     * @param ports by link
     * @param packets under way
     * @param clock the network's
     * @param wake handles the events of ports that choose
     * @param arrive handles those of links whose packets are in
     */
    EthernetAgenda(std::vector<EthernetPort>& ports,
                   EthernetPackets& packets,
                   EthernetClock& clock,
                   engine::EventHandler& wake,
                   engine::EventHandler& arrive)
        : m_ports(ports), m_packets(packets), m_clock(clock), m_wake(wake), m_arrive(arrive)
    {
    }

    EthernetAgenda(const EthernetAgenda&) = delete;
    EthernetAgenda& operator=(const EthernetAgenda&) = delete;

    /**
     * A port may have something to send.
     * @param number of the port
     * @param at from when on, in picoseconds
     */
    void
    WakePort(std::uint32_t number, std::int64_t at)
    {
        // A port that is choosing plans its next wake itself.
        if (number != m_deciding)
        {
            Arm(number, std::max(m_ports[number].busyUntil, at));
        }
    }

    /**
     * @param number of a port to be woken
     * @param at when, in picoseconds
     */
    void
    Arm(std::uint32_t number, std::int64_t at)
    {
        EthernetPort& port = m_ports[number];
        if (at < port.wake)
        {
            port.wake = at;
            ScheduleWake(number, at);
        }
    }

    /**
     * @param number of the port that chooses from now on; NONE: none does
     */
    void
    SetDeciding(std::uint32_t number)
    {
        m_deciding = number;
    }

    /**
     * A packet starts so late that what follows may pass the end of the clock: the queue says so.
     * @param number of the port
     */
    void
    ScheduleAtEnd(std::uint32_t number)
    {
        m_clock.Schedule(NEVER, engine::EventKey(), m_wake, number);
    }

    /**
     * A packet is on a link, behind those that are there.
     * @param link the link
     * @param place of the packet
     */
    void
    Fly(std::uint32_t link, std::uint32_t place)
    {
        PacketLine& flight = m_ports[link].flight;
        const bool alone = flight.head == NONE;
        flight.Append(m_packets, place);
        if (alone)
        {
            AwaitArrival(link);
        }
    }

    /**
     * Sees to it that the first packet on a link is an event.
     * @param link the link, with packets on it
     */
    void
    AwaitArrival(std::uint32_t link)
    {
        EthernetPort& port = m_ports[link];
        port.due = m_packets[port.flight.head].ready;
        m_clock.Schedule(
            port.due,
            engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::packet_in, link),
            m_arrive,
            link);
    }

    /// The clock has another queue of events: what is pending is scheduled there.
    void
    ScheduleAnew()
    {
        for (std::uint32_t number = 0; number < m_ports.size(); ++number)
        {
            const EthernetPort& port = m_ports[number];
            if (port.wake != NEVER)
            {
                ScheduleWake(number, port.wake);
            }
            if (port.due != NEVER)
            {
                AwaitArrival(number);
            }
        }
    }

  private:
    /**
     * @param number of a port
     * @param at when it chooses, in picoseconds
     */
    void
    ScheduleWake(std::uint32_t number, std::int64_t at)
    {
        m_clock.Schedule(
            at,
            engine::EventKey::of(engine::Phase::Arbitration, engine::event_kind::port, number),
            m_wake,
            number);
    }

    std::vector<EthernetPort>& m_ports; ///< by link
    EthernetPackets& m_packets;         ///< under way
    EthernetClock& m_clock;             ///< the network's
    engine::EventHandler& m_wake;       ///< handles the events of ports that choose
    engine::EventHandler& m_arrive;     ///< handles those of links whose packets are in
    std::uint32_t m_deciding = NONE;    ///< the port that chooses
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_AGENDA_H */
