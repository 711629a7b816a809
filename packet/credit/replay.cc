/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/replay.h"

#include <algorithm>
#include <utility>

namespace npunet::packet
{

CatchUp::CatchUp(PacketMover& mover)
    : m_state(mover.State()), m_agenda(mover.Agenda()), m_mover(mover)
{
}

void
CatchUp::Resume(const std::vector<std::uint32_t>& ports, std::int64_t from, std::int64_t until)
{
    // The port that has broken the pattern may be in the middle of its choice.
    PacketPart& part = m_state.parts.front();
    std::vector<std::uint32_t> again;
    part.again.swap(again);
    const bool secondChance = std::exchange(part.secondChance, false);
    m_agenda.BeginCatchUp();
    for (const std::uint32_t port : ports)
    {
        m_state.ports[port].wake = NEVER;
        m_mover.PlanWake(port, std::max(m_state.ports[port].busyUntil, from));
    }
    // After the run has stopped only the counts are made up for, once.
    while (m_agenda.FirstWaiting() < until &&
           (m_state.events.stopped() || m_state.events.goes_on()))
    {
        DecideAt(m_agenda.FirstWaiting());
        m_state.events.count_handled(std::exchange(part.handled, 0));
    }
    m_agenda.EndCatchUp();
    part.secondChance = secondChance;
    part.again.swap(again);
    const std::uint32_t alone = std::exchange(part.alone, NONE);
    for (const std::uint32_t port : ports)
    {
        const std::int64_t wake = std::exchange(m_state.ports[port].wake, NEVER);
        if (wake != NEVER)
        {
            m_agenda.Arm(port, std::max(wake, until)); // earlier: the run has been broken off
        }
    }
    part.alone = alone;
    if (!m_state.inWindow)
    {
        m_mover.News().Gather();
    }
}

void
CatchUp::DecideAt(std::int64_t now)
{
    while (m_agenda.FirstWaiting() == now)
    {
        m_mover.DecideIfDue(m_agenda.TakeWaiting(), now);
    }
    m_mover.DecideAgain(m_state.parts.front(), now);
}

} // namespace npunet::packet
