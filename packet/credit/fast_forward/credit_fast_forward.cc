/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/fast_forward/credit_fast_forward.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

namespace
{

/// Words that may be looked at for each event.
constexpr std::uint64_t STEADY_WORDS_PER_EVENT = 3;

} // namespace

SteadyTraffic::SteadyTraffic(PacketState& state, SteadyTrafficHost& host)
    : m_state(state), m_host(host), m_finder(state), m_notes(state.ports.size()),
      m_budget(STEADY_WORDS_PER_EVENT)
{
    for (PortNote& note : m_notes)
    {
        note.breakFor = engine::PeriodSearch::first_break;
    }
}

void
SteadyTraffic::BeforeStart(std::uint32_t port)
{
    const std::uint32_t group = m_finder.GroupOf(port);
    m_groups[group].still ? Resume(group) : Dissolve(group);
}

void
SteadyTraffic::AfterStart(std::uint32_t port, std::int64_t bytes)
{
    if (m_enabled && bytes >= engine::PeriodSearch::least_packets * m_state.mtu)
    {
        m_notes[port].breakFor = engine::PeriodSearch::first_break;
        PlanLook(port);
    }
}

void
SteadyTraffic::PacketComes(std::uint32_t port, std::uint32_t message)
{
    const std::uint32_t group = m_finder.GroupOf(port);
    if (m_groups[group].still)
    {
        Resume(group);
    }
    else if (!m_finder.IsIn(message, group))
    {
        Dissolve(group);
    }
}

void
SteadyTraffic::CreditComes(std::uint32_t port)
{
    Resume(m_finder.GroupOf(port));
}

void
SteadyTraffic::MessageEnds(std::uint32_t port)
{
    Dissolve(m_finder.GroupOf(port));
}

void
SteadyTraffic::PacketStarts(std::uint32_t port, std::int64_t now, std::int64_t end)
{
    PacketPort& state = m_state.ports[port];
    if (state.anchor != 0)
    {
        const std::uint32_t group = m_finder.GroupOf(port);
        Plan(end, Kind::COMPARE, group, m_groups[group].serial);
    }
    else if (now >= LookFrom(port))
    {
        // A packet that is made up for may be in already: then after a later one.
        const std::int64_t at = end + state.latency;
        state.look = at > m_state.Present() ? 0 : 1;
        if (state.look == 0)
        {
            Plan(at, Kind::LOOK, port, 0);
        }
    }
}

std::int64_t
SteadyTraffic::NextLook()
{
    m_budget.charge(m_looking.size());
    std::int64_t next = NEVER;
    for (const std::uint32_t index : m_looking)
    {
        const PacketPort& anchor = m_state.ports[m_groups[index].anchor];
        const bool starts = anchor.wake <= m_state.lastStart;
        next = std::min(next, starts ? anchor.wake + anchor.fullTime : NEVER);
    }
    return next;
}

void
SteadyTraffic::Settle()
{
    for (std::uint32_t index = 0; index < m_groups.size(); ++index)
    {
        if (m_groups[index].still)
        {
            Resume(index);
        }
    }
}

void
SteadyTraffic::Forget()
{
    Settle();
    while (!m_looking.empty())
    {
        Dissolve(m_looking.back());
    }
}

void
SteadyTraffic::Enable(bool enabled)
{
    Settle();
    m_enabled = enabled;
}

void
SteadyTraffic::Plan(std::int64_t at, Kind kind, std::uint32_t index, std::uint32_t serial)
{
    const std::uint64_t payload = static_cast<std::uint64_t>(kind) << 56 |
                                  static_cast<std::uint64_t>(serial & 0xffffffU) << 32 | index;
    m_state.events.schedule(Time::ps(at),
                            EventKey::of(Phase::Arbitration, engine::event_kind::steady, payload),
                            *this,
                            payload);
}

void
SteadyTraffic::handle(std::uint64_t payload)
{
    const auto index = static_cast<std::uint32_t>(payload);
    const auto kind = static_cast<Kind>(payload >> 56);
    if (kind == Kind::LOOK)
    {
        Look(index);
        return;
    }
    if ((m_groups[index].serial & 0xffffffU) != (payload >> 32 & 0xffffffU))
    {
        return;
    }
    if (kind == Kind::RESUME && m_groups[index].still)
    {
        Resume(index);
    }
    else if (kind == Kind::COMPARE && !m_groups[index].still)
    {
        Compare(index);
    }
}

void
SteadyTraffic::PlanLook(std::uint32_t port)
{
    PacketPort& state = m_state.ports[port];
    const std::int64_t now = m_state.Present();
    const std::int64_t room = m_state.lastStart - now;
    if (room / engine::PeriodSearch::longest_break > state.fullTime)
    {
        state.look = 1;
        m_notes[port].lookFrom = now + m_notes[port].breakFor * state.fullTime;
    }
}

void
SteadyTraffic::Look(std::uint32_t port)
{
    if (m_finder.GroupOf(port) != NONE)
    {
        return; // whoever dissolves it plans the next attempt
    }
    bool sends = false;
    for (std::uint32_t channel = 0; channel < m_state.channels; ++channel)
    {
        sends = sends || m_state.turns[port * m_state.channels + channel].first != NONE;
    }
    if (!sends)
    {
        return;
    }
    if (m_free.empty())
    {
        m_free.push_back(static_cast<std::uint32_t>(m_groups.size()));
        m_groups.emplace_back();
    }
    const std::uint32_t index = m_free.back();
    m_free.pop_back();
    Group& group = m_groups[index];
    ++group.serial;
    group.anchor = port;
    group.search.begin();
    group.work = 0;
    if (!Collect(index))
    {
        m_notes[port].breakFor = engine::PeriodSearch::break_after(m_notes[port].breakFor);
        Release(index);
        PlanLook(port);
        return;
    }
    for (const std::uint32_t member : group.traffic.ports)
    {
        m_state.ports[member].watched = 1;
    }
    m_looking.push_back(index);
    m_state.ports[port].anchor = 1;
}

bool
SteadyTraffic::Collect(std::uint32_t index)
{
    Group& group = m_groups[index];
    group.traffic.ports.clear();
    group.traffic.messages.clear();
    if (m_budget.is_spent(m_state.events.handled()))
    {
        return false;
    }
    const bool possible = m_finder.Collect(group.anchor, index, group.traffic);
    Charge(group, m_finder.Looks());
    return possible;
}

void
SteadyTraffic::Compare(std::uint32_t index)
{
    Group& group = m_groups[index];
    const std::int64_t now = m_state.Present();
    group.search.look();
    Charge(group, group.traffic.ports.size());
    if (now != m_lastCompare)
    {
        // Nodes that go on alone stop for it, all of them.
        m_lastCompare = now;
        Charge(group, m_state.plan.GetGraph().nodes());
    }
    const bool keep = group.search.keeps();
    const bool may =
        group.search.has_kept() && group.traffic.kept.MayRepeat(m_state, group.traffic.ports);
    if (keep || may)
    {
        group.traffic.present.Take(m_state, group.traffic.ports, group.traffic.messages, now);
        Charge(group, group.traffic.present.Size());
    }
    if (may && m_enabled && group.traffic.present.Repeats(group.traffic.kept) && StandStill(index))
    {
        return;
    }
    PortNote& note = m_notes[group.anchor];
    if (group.search.is_over(note.breakFor) || m_budget.is_spent(m_state.events.handled()))
    {
        note.breakFor = engine::PeriodSearch::break_after(note.breakFor);
        Dissolve(index);
        return;
    }
    if (keep)
    {
        std::swap(group.traffic.kept, group.traffic.present);
        group.search.kept();
    }
}

bool
SteadyTraffic::StandStill(std::uint32_t index)
{
    Group& group = m_groups[index];
    const TrafficGroup& traffic = group.traffic;
    const std::int64_t room = (m_state.lastStart - traffic.present.At()) / traffic.Period() - 1;
    group.periods = std::min(room, traffic.PeriodsLeft());
    if (group.periods < 2 || group.periods * traffic.PacketsInPeriod() <
                                 static_cast<std::int64_t>(traffic.present.Size() / 4))
    {
        return false;
    }
    group.still = true;
    // What has paid for itself does not count.
    m_budget.repay(group.work);
    for (const std::uint32_t port : group.traffic.ports)
    {
        PacketPort& state = m_state.ports[port];
        state.watched = 0;
        state.anchor = 0;
        state.still = 1;
        state.wake = NEVER;
    }
    m_looking.erase(std::find(m_looking.begin(), m_looking.end(), index));
    Plan(
        traffic.present.At() + group.periods * traffic.Period(), Kind::RESUME, index, group.serial);
    return true;
}

void
SteadyTraffic::Resume(std::uint32_t index)
{
    Group& group = m_groups[index];
    const std::int64_t now = m_state.Present();
    const std::int64_t since = group.traffic.present.At();
    const std::int64_t period = group.traffic.Period();
    const std::int64_t periods = std::min(group.periods, (now - since) / period);
    group.traffic.Skip(m_state, periods);
    const std::int64_t from = since + periods * period;
    m_notes[group.anchor].breakFor = engine::PeriodSearch::first_break;
    const std::vector<std::uint32_t> ports = group.traffic.ports;
    Dissolve(index);
    // Code of ns-3 that comes when the choices of this instant are made finds them made.
    m_host.Resume(ports, from, m_state.events.instant_is_over() ? now + 1 : now);
}

void
SteadyTraffic::Dissolve(std::uint32_t index)
{
    const Group& group = m_groups[index];
    PlanLook(group.anchor);
    // All of them would find the same group, whichever looks first: they share its break.
    const std::uint32_t breakFor = m_notes[group.anchor].breakFor;
    for (const std::uint32_t message : group.traffic.messages)
    {
        const std::uint32_t port = m_state.plan[m_state.messages[message].hop].port;
        m_notes[port].breakFor = breakFor;
        PlanLook(port);
    }
    m_budget.charge(group.traffic.messages.size());
    Release(index);
}

void
SteadyTraffic::Release(std::uint32_t index)
{
    Group& group = m_groups[index];
    ++group.serial;
    group.still = false;
    for (const std::uint32_t port : group.traffic.ports)
    {
        PacketPort& state = m_state.ports[port];
        state.watched = 0;
        state.anchor = 0;
        state.still = 0;
    }
    m_finder.Release(group.traffic);
    const auto looking = std::find(m_looking.begin(), m_looking.end(), index);
    if (looking != m_looking.end())
    {
        m_looking.erase(looking);
    }
    m_free.push_back(index);
}

} // namespace npunet::packet
