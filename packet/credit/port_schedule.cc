/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/port_schedule.h"

#include <algorithm>
#include <functional>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
PortAgenda::ArmElsewhere(std::uint32_t portNumber, std::int64_t at)
{
    if (m_catchingUp)
    {
        m_waiting.emplace_back(at, portNumber);
        std::push_heap(m_waiting.begin(), m_waiting.end(), std::greater<>());
        return;
    }
    m_state.events.schedule(Time::ps(at),
                            EventKey::of(Phase::Arbitration, engine::event_kind::port, portNumber),
                            m_wake,
                            portNumber);
}

std::uint32_t
PortAgenda::TakeWaiting()
{
    const std::uint32_t port = m_waiting.front().second;
    std::pop_heap(m_waiting.begin(), m_waiting.end(), std::greater<>());
    m_waiting.pop_back();
    return port;
}

void
PortAgenda::LeaveWindows()
{
    m_windows.reset();
    for (std::uint32_t port = 0; port < m_state.ports.size(); ++port)
    {
        const std::int64_t wake = std::exchange(m_state.ports[port].wake, NEVER);
        if (wake != NEVER)
        {
            Arm(port, wake);
        }
    }
}

void
PortAgenda::PlanTurn(std::int64_t at)
{
    if (at < m_turnAt)
    {
        m_turnAt = at;
        m_state.events.schedule(
            Time::ps(at), EventKey::of(Phase::Arbitration, engine::event_kind::port, 0), m_turn);
    }
}

bool
PortAgenda::TakeTurn()
{
    if (m_state.events.now().ps() != m_turnAt || !m_windows)
    {
        return false;
    }
    m_turnAt = NEVER;
    return true;
}

void
PortAgenda::Accompany(const engine::StateScan& scan, engine::PendingEvents& events)
{
    events.accompany(scan, m_wake);
    events.accompany(scan, m_turn);
    if (!scan.moves())
    {
        return;
    }
    m_turnAt += m_turnAt == NEVER ? 0 : scan.by();
    if (m_windows)
    {
        m_windows->Clear();
    }
    for (std::uint32_t number = 0; number < m_state.ports.size(); ++number)
    {
        PacketPort& port = m_state.ports[number];
        if (port.wake == NEVER)
        {
            continue;
        }
        port.wake += scan.by();
        if (m_windows)
        {
            m_windows->Wake(number, port.wake, NONE);
        }
    }
}

} // namespace npunet::packet
