/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PORT_AGENDA_H
#define NPU_PORT_AGENDA_H

#include "packet/credit/lookahead_windows.h"
#include "packet/credit/network_state.h"

#include "engine/event_queue.h"
#include "engine/pending_events.h"
#include "engine/state_scan.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * When the ports have to decide next (PacketPort::wake), and how they get to: each by an event of
 * its own; or all of them by one event, from which on the nodes go on in windows of time; or, while
 * some make up for lost time, by a heap.
 *
 *     agenda.Arm(port, 5000);
 *
 * Times in picoseconds.
 */
class PortAgenda
{
  public:
    /**
     * @param state with the ports and the simulation's events; must outlive this
     * @param wake handles the event of a port, whose number it is given; must outlive this
     * @param turn handles that of all ports; must outlive this
     */
    PortAgenda(PacketState& state, engine::EventHandler& wake, engine::EventHandler& turn)
        : m_state(state), m_wake(wake), m_turn(turn)
    {
    }

    PortAgenda(const PortAgenda&) = delete;
    PortAgenda& operator=(const PortAgenda&) = delete;

    /**
     * Sets the wake of a port, unless there is an earlier one.
     * @param portNumber the port
     * @param at in picoseconds
     */
    void
    Arm(std::uint32_t portNumber, std::int64_t at)
    {
        PacketPort& port = m_state.ports[portNumber];
        if (at >= port.wake)
        {
            return;
        }
        port.wake = at;
        if (m_windows == nullptr || m_catchingUp)
        {
            ArmElsewhere(portNumber, at);
            return;
        }
        m_windows->Wake(portNumber, at, m_state.PartOf(port).alone);
        if (!m_state.inWindow)
        {
            PlanTurn(at);
        }
    }

    /**
     * Before the first port is armed.
     * @param windows of all nodes; null: every port has events of its own
     */
    void
    SetWindows(std::unique_ptr<NodeWindows> windows)
    {
        m_windows = std::move(windows);
    }

    /// From now on every port has events of its own.
    void LeaveWindows();

    /**
     * @return of all nodes; null where every port has events of its own
     */
    NodeWindows*
    Windows() const
    {
        return m_windows.get();
    }

    /**
     * Windows: sees to it that the ports have their turn.
     * @param at in picoseconds
     */
    void PlanTurn(std::int64_t at);

    /**
     * Windows: an event of all ports is due.
     * @return whether it is the one that was planned last, so that the ports have their turn
     */
    bool TakeTurn();

    /// Until EndCatchUp() ports that are armed wait in a heap.
    void
    BeginCatchUp()
    {
        m_catchingUp = true;
    }

    /// Ports that still wait in the heap are forgotten; their `wake` says when they were to decide.
    void
    EndCatchUp()
    {
        m_waiting.clear();
        m_catchingUp = false;
    }

    /**
     * @return whether ports that are armed wait in a heap
     */
    bool
    IsCatchingUp() const
    {
        return m_catchingUp;
    }

    /**
     * @return when the first port of the heap is to decide; NEVER where there is none
     */
    std::int64_t
    FirstWaiting() const
    {
        return m_waiting.empty() ? NEVER : m_waiting.front().first;
    }

    /**
     * @return the first port of the heap, which leaves it; its `wake` may be another one by now
     */
    std::uint32_t TakeWaiting();

    /**
     * The steady state of collective steps: what is planned follows from the ports, and moves along
     * with them.
     * @param scan describes, compares or moves
     * @param events of the queue
     */
    void Accompany(const engine::StateScan& scan, engine::PendingEvents& events);

  private:
    /// Arm() by an event of the port, or by the heap.
    void ArmElsewhere(std::uint32_t portNumber, std::int64_t at);

    PacketState& m_state;                   ///< with the ports
    engine::EventHandler& m_wake;           ///< handles the event of a port
    engine::EventHandler& m_turn;           ///< handles that of all ports
    std::unique_ptr<NodeWindows> m_windows; ///< nodes go on alone, or null
    std::int64_t m_turnAt = NEVER;          ///< time of the event pending for it
    bool m_catchingUp = false;              ///< ports make up for lost time
    /// When they decide next: a heap, the earliest first; obsolete where the port says otherwise.
    std::vector<std::pair<std::int64_t, std::uint32_t>> m_waiting;
};

} // namespace npunet::packet

#endif /* NPU_PORT_AGENDA_H */
