/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The packet machine's side of packet trains (SteadyTraffic).

#include "npu-packet-machine.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
PacketMachine::SetTrains(bool wanted)
{
    // What these keep for every packet would have to be moved on, too.
    const bool possible = m_ways.router == nullptr && !m_detours && !m_border &&
                          m_histograms.empty() && m_observer == nullptr;
    m_trains = wanted;
    m_steady.reset(wanted && possible ? new SteadyTraffic(*this, *this) : nullptr);
}

void
PacketMachine::Settle()
{
    if (m_steady)
    {
        m_steady->Settle();
    }
}

void
PacketMachine::ObserverChanges()
{
    if (m_steady)
    {
        m_steady->Enable(m_observer == nullptr);
    }
    if (m_windows && m_observer != nullptr)
    {
        LeaveWindows();
    }
}

void
PacketMachine::Resume(const std::vector<std::uint32_t>& ports,
                      std::int64_t from,
                      std::int64_t until)
{
    // The port that has broken the pattern may be in the middle of its choice.
    PacketPart& part = m_parts.front();
    std::vector<std::uint32_t> again;
    part.again.swap(again);
    const bool secondChance = std::exchange(part.secondChance, false);
    m_resuming = true;
    for (const std::uint32_t port : ports)
    {
        m_ports[port].wake = NEVER;
        PlanWake(port, std::max(m_ports[port].busyUntil, from));
    }
    while (!m_resumed.empty() && m_resumed.front().first < until)
    {
        DecideResumed(m_resumed.front().first);
    }
    m_resumed.clear();
    m_resuming = false;
    part.secondChance = secondChance;
    part.again.swap(again);
    const std::uint32_t alone = std::exchange(part.alone, NONE);
    for (const std::uint32_t port : ports)
    {
        const std::int64_t wake = std::exchange(m_ports[port].wake, NEVER);
        if (wake != NEVER)
        {
            Arm(port, wake);
        }
    }
    part.alone = alone;
    if (!m_inWindow)
    {
        Gather();
    }
}

void
PacketMachine::DecideResumed(std::int64_t now)
{
    while (!m_resumed.empty() && m_resumed.front().first == now)
    {
        const std::uint32_t port = m_resumed.front().second;
        std::pop_heap(m_resumed.begin(), m_resumed.end(), std::greater<>());
        m_resumed.pop_back();
        DecideIfDue(port, now);
    }
    DecideAgain(m_parts.front(), now);
}

} // namespace npunet::packet
