/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How the packet machine gets on: event by event, or in windows of time in which each node goes on
// alone.

#include "npu-packet-machine.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
PacketMachine::ChooseGait()
{
    // Ways, borders and faults look at other nodes at the same instant; listeners want one clock.
    std::int64_t least = NEVER;
    for (const PacketPort& port : m_ports)
    {
        least = std::min(least, port.irregular == 1 ? 0 : port.latency);
    }
    const bool possible = least > 0 && m_ways.router == nullptr && !m_detours && !m_border &&
                          m_histograms.empty() && m_observer == nullptr;
    m_lookahead = possible ? least : 0;
    m_windows.reset(possible ? new NodeWindows(m_plan.GetGraph()) : nullptr);
    std::int64_t shortest = NEVER;
    for (const PacketPort& port : m_ports)
    {
        shortest = std::min(shortest, port.fullTime);
    }
    m_lastBytes = possible ? (m_lookahead / shortest + 2) * m_mtu : 0;
}

void
PacketMachine::LeaveWindows()
{
    m_windows.reset();
    for (std::uint32_t port = 0; port < m_ports.size(); ++port)
    {
        const std::int64_t wake = m_ports[port].wake;
        m_ports[port].wake = NEVER;
        if (wake != NEVER)
        {
            Arm(port, wake);
        }
    }
}

void
PacketMachine::PlanTurn(std::int64_t at)
{
    if (at < m_turnAt)
    {
        m_turnAt = at;
        m_queue.schedule(Time::ps(at),
                         EventKey::of(Phase::Arbitration, engine::event_kind::port, 0),
                         m_turnEvent);
    }
}

void
PacketMachine::Turn(std::uint32_t)
{
    std::int64_t from = m_queue.now().ps();
    if (from != m_turnAt || !m_windows)
    {
        return;
    }
    m_turnAt = NEVER;
    m_inWindow = true;
    const bool ahead = m_queue.may_run_ahead();
    do
    {
        m_windowFrom = from;
        const std::int64_t limit = ahead ? WindowEnd(from) : from + 1;
        // A group of ports that is made to go on may have something to do in nodes that are done.
        while (m_windows->Earliest() < limit)
        {
            m_windows->ForEachDue(limit, [&](std::uint32_t node) { GoOnAlone(node, limit); });
        }
        from = m_windows->Earliest();
    } while (ahead && from < m_queue.next_time().ps());
    m_inWindow = false;
    if (from != NEVER)
    {
        PlanTurn(from);
    }
}

std::int64_t
PacketMachine::WindowEnd(std::int64_t from) const
{
    if (m_nearEnd > 0)
    {
        return from + 1; // somebody is told of the end of a packet
    }
    std::int64_t end = std::min(from + m_lookahead, m_queue.next_time().ps());
    if (m_steady)
    {
        end = std::min(end, m_steady->NextLook());
    }
    return std::max(end, from + 1);
}

void
PacketMachine::GoOnAlone(std::uint32_t node, std::int64_t limit)
{
    std::int64_t now = m_windows->First(node);
    while (now < limit)
    {
        m_windows->ForEachPort(node, now, [&](std::uint32_t port) {
            if (m_ports[port].wake == now)
            {
                m_ports[port].wake = NEVER;
                m_queue.count_handled(1);
                Decide(port, now);
            }
        });
        for (const std::uint32_t port : m_again)
        {
            DecideAgain(port, now);
        }
        m_again.clear();
        now = m_windows->First(node);
    }
    m_windows->Leave(node, now);
}

} // namespace npunet::packet
