/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-steady-traffic.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

namespace
{

/// Messages with less to send are about to end.
constexpr std::int64_t LEAST_LEFT = 6;
/// Words that may be looked at for each event.
constexpr std::uint64_t STEADY_WORDS_PER_EVENT = 3;

} // namespace

SteadyTraffic::SteadyTraffic(PacketState& state, SteadyTrafficHost& host)
    : m_state(state), m_host(host), m_notes(state.ports.size()), m_budget(STEADY_WORDS_PER_EVENT)
{
    for (PortNote& note : m_notes)
    {
        note.breakFor = engine::PeriodSearch::first_break;
    }
}

void
SteadyTraffic::BeforeStart(std::uint32_t port)
{
    const std::uint32_t group = m_notes[port].group;
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
    const std::uint32_t group = m_notes[port].group;
    if (m_groups[group].still)
    {
        Resume(group);
    }
    else if (m_groupOf.size() <= message || m_groupOf[message] != group)
    {
        Dissolve(group);
    }
}

void
SteadyTraffic::CreditComes(std::uint32_t port)
{
    Resume(m_notes[port].group);
}

void
SteadyTraffic::MessageEnds(std::uint32_t port)
{
    Dissolve(m_notes[port].group);
}

void
SteadyTraffic::PacketStarts(std::uint32_t port, std::int64_t now, std::int64_t end)
{
    PacketPort& state = m_state.ports[port];
    const PortNote& note = m_notes[port];
    if (state.anchor != 0)
    {
        Plan(end, Kind::COMPARE, note.group, m_groups[note.group].serial);
    }
    else if (now >= LookFrom(port))
    {
        state.look = 0;
        Plan(end + state.latency, Kind::LOOK, port, 0);
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
    if (m_notes[port].group != NONE)
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
    group.ports.assign(1, port);
    group.messages.clear();
    m_notes[port].group = index;
    if (m_budget.is_spent(m_state.events.handled()) || !Collect(group))
    {
        m_notes[port].breakFor = engine::PeriodSearch::break_after(m_notes[port].breakFor);
        Release(index);
        PlanLook(port);
        return;
    }
    std::sort(group.ports.begin(), group.ports.end());
    for (const std::uint32_t member : group.ports)
    {
        m_state.ports[member].watched = 1;
    }
    m_looking.push_back(index);
    m_state.ports[port].anchor = 1;
}

bool
SteadyTraffic::Collect(Group& group)
{
    // The list grows while it is gone through.
    for (std::size_t i = 0; i < group.ports.size(); ++i)
    {
        const std::uint32_t port = group.ports[i];
        if (m_state.ports[port].irregular == 1 || !AddMessagesOf(group, port) ||
            (m_state.reads.AreLimited() && !AddMessagesFrom(group, port)))
        {
            return false;
        }
    }
    return true;
}

bool
SteadyTraffic::AddMessagesFrom(Group& group, std::uint32_t input)
{
    const topology::Graph& graph = m_state.plan.GetGraph();
    bool possible = true;
    for (const LinkId output : graph.links_from(graph.link(LinkId(std::size_t{input})).to))
    {
        m_state.filled.ForEach(m_state.ports[output.index()], 0, [&](std::uint32_t number) {
            const VirtualQueue& queue = m_state.queues[number];
            possible = possible && (queue.upstream != input || AddPackets(group, queue));
            return !possible;
        });
    }
    return possible;
}

bool
SteadyTraffic::AddPackets(Group& group, const VirtualQueue& queue)
{
    bool possible = true;
    for (std::uint32_t place = queue.head; possible && place != NONE;
         place = m_state.packets[place].next)
    {
        possible = AddMessage(group, m_state.packets[place].message);
    }
    return possible;
}

bool
SteadyTraffic::AddMessagesOf(Group& group, std::uint32_t port)
{
    bool possible = true;
    m_state.filled.ForEach(m_state.ports[port], 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_state.queues[number];
        if (queue.upstream != NONE)
        {
            possible = AddPackets(group, queue);
            return !possible;
        }
        const TurnList& turns = m_state.turns[port * m_state.channels + queue.channel];
        for (std::uint32_t message = turns.first; possible && message != NONE;
             message = m_state.messages[message].next)
        {
            possible = AddMessage(group, message);
        }
        return !possible;
    });
    return possible;
}

bool
SteadyTraffic::AddMessage(Group& group, std::uint32_t message)
{
    Charge(group, 1);
    const auto index = static_cast<std::uint32_t>(&group - m_groups.data());
    if (message >= m_groupOf.size())
    {
        m_groupOf.resize(message + 1, NONE);
    }
    if (m_groupOf[message] == index)
    {
        return true;
    }
    const MessageRecord& record = m_state.messages[message];
    if (record.remaining < LEAST_LEFT * m_state.mtu)
    {
        return false;
    }
    m_groupOf[message] = index;
    group.messages.push_back(message);
    for (std::uint32_t hop = record.hop;; ++hop)
    {
        const PlannedHop& planned = m_state.plan[hop];
        std::uint32_t& groupOfPort = m_notes[planned.port].group;
        if (groupOfPort == NONE)
        {
            groupOfPort = index;
            group.ports.push_back(planned.port);
        }
        else if (groupOfPort != index)
        {
            return false;
        }
        if (planned.final)
        {
            return true;
        }
    }
}

void
SteadyTraffic::Compare(std::uint32_t index)
{
    Group& group = m_groups[index];
    const std::int64_t now = m_state.Present();
    group.search.look();
    Charge(group, group.ports.size());
    if (now != m_lastCompare)
    {
        // Nodes that go on alone stop for it, all of them.
        m_lastCompare = now;
        Charge(group, m_state.plan.GetGraph().nodes());
    }
    const bool keep = group.search.keeps();
    const bool may = group.search.has_kept() && group.kept.MayRepeat(m_state, group.ports);
    if (keep || may)
    {
        group.present.Take(m_state, group.ports, group.messages, now);
        Charge(group, group.present.Size());
    }
    if (may && m_enabled && group.present.Repeats(group.kept) && StandStill(index))
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
        std::swap(group.kept, group.present);
        group.search.kept();
    }
}

std::int64_t
SteadyTraffic::SentInPeriod(const Group& group, std::size_t message) const
{
    return group.kept.Remaining(message) - group.present.Remaining(message);
}

bool
SteadyTraffic::StandStill(std::uint32_t index)
{
    Group& group = m_groups[index];
    group.period = group.present.At() - group.kept.At();
    group.periods = (m_state.lastStart - group.present.At()) / group.period - 1;
    bool moves = false;
    for (std::size_t i = 0; i < group.messages.size(); ++i)
    {
        const std::int64_t sent = SentInPeriod(group, i);
        if (sent > 0)
        {
            moves = true;
            // The period after the last one that is counted has full packets only, too.
            const std::int64_t left = (group.present.Remaining(i) - 1) / sent - 1;
            group.periods = std::min(group.periods, left);
        }
    }
    std::int64_t packets = 0;
    for (std::size_t i = 0; i < group.ports.size(); ++i)
    {
        packets += group.present.Since(group.kept, i).packets;
    }
    if (!moves || group.periods < 2 ||
        group.periods * packets < static_cast<std::int64_t>(group.present.Size() / 4))
    {
        return false;
    }
    group.still = true;
    // What has paid for itself does not count.
    m_budget.repay(group.work);
    for (const std::uint32_t port : group.ports)
    {
        PacketPort& state = m_state.ports[port];
        state.watched = 0;
        state.anchor = 0;
        state.still = 1;
        state.wake = NEVER;
    }
    m_looking.erase(std::find(m_looking.begin(), m_looking.end(), index));
    Plan(group.present.At() + group.periods * group.period, Kind::RESUME, index, group.serial);
    return true;
}

void
SteadyTraffic::Resume(std::uint32_t index)
{
    Group& group = m_groups[index];
    const std::int64_t now = m_state.Present();
    const std::int64_t since = group.present.At();
    const std::int64_t periods = std::min(group.periods, (now - since) / group.period);
    Skip(group, periods);
    const std::int64_t from = since + periods * group.period;
    m_notes[group.anchor].breakFor = engine::PeriodSearch::first_break;
    const std::vector<std::uint32_t> ports = group.ports;
    Dissolve(index);
    // Code of ns-3 that comes when the choices of this instant are made finds them made.
    m_host.Resume(ports, from, m_state.events.instant_is_over() ? now + 1 : now);
}

void
SteadyTraffic::Skip(const Group& group, std::int64_t periods)
{
    for (std::size_t i = 0; i < group.messages.size(); ++i)
    {
        m_state.CountSent(m_state.messages[group.messages[i]],
                          periods * SentInPeriod(group, i),
                          m_state.parts.front());
    }
    for (std::size_t i = 0; i < group.ports.size(); ++i)
    {
        const PortCounts counts = group.present.Since(group.kept, i);
        if (counts.packets == 0)
        {
            continue; // whatever it has stays as it is
        }
        PacketPort& port = m_state.ports[group.ports[i]];
        port.payload += periods * counts.payload;
        port.wire += periods * counts.wire;
        port.busy += periods * counts.busy;
        if (m_state.load != nullptr)
        {
            m_state.load->add(group.ports[i],
                              group.present.At(),
                              group.present.At() + periods * group.period,
                              periods * counts.busy);
        }
        port.packets += periods * counts.packets;
        port.stall += periods * counts.stall;
        const std::size_t classes = m_state.several ? m_state.classes.given.count : 0;
        for (std::size_t number = 0; number < classes; ++number)
        {
            m_state.classes.OfPort(group.ports[i])[number].wire +=
                periods * group.present.ClassWireSince(group.kept, i * classes + number);
        }
        Shift(group.ports[i], periods * group.period);
    }
}

void
SteadyTraffic::Shift(std::uint32_t portNumber, std::int64_t by)
{
    PacketPort& port = m_state.ports[portNumber];
    port.busyUntil += by;
    for (std::uint32_t channel = 0; channel < m_state.channels; ++channel)
    {
        m_state.Credit(portNumber, channel).Shift(by);
    }
    m_state.reads.Shift(portNumber, by);
    m_state.filled.ForEach(port, 0, [&](std::uint32_t number) {
        VirtualQueue& queue = m_state.queues[number];
        if (queue.upstream == NONE)
        {
            return false;
        }
        queue.ready += by;
        for (std::uint32_t place = queue.head; place != NONE; place = m_state.packets[place].next)
        {
            m_state.packets[place].ready += by;
            if (m_state.oldest)
            {
                m_state.packets.Born(place) += by;
            }
        }
        return false;
    });
}

void
SteadyTraffic::Dissolve(std::uint32_t index)
{
    const Group& group = m_groups[index];
    PlanLook(group.anchor);
    // All of them would find the same group, whichever looks first: they share its break.
    const std::uint32_t breakFor = m_notes[group.anchor].breakFor;
    for (const std::uint32_t message : group.messages)
    {
        const std::uint32_t port = m_state.plan[m_state.messages[message].hop].port;
        m_notes[port].breakFor = breakFor;
        PlanLook(port);
    }
    m_budget.charge(group.messages.size());
    Release(index);
}

void
SteadyTraffic::Release(std::uint32_t index)
{
    Group& group = m_groups[index];
    ++group.serial;
    group.still = false;
    for (const std::uint32_t port : group.ports)
    {
        PacketPort& state = m_state.ports[port];
        state.watched = 0;
        state.anchor = 0;
        state.still = 0;
        m_notes[port].group = NONE;
    }
    for (const std::uint32_t message : group.messages)
    {
        m_groupOf[message] = NONE;
    }
    const auto looking = std::find(m_looking.begin(), m_looking.end(), index);
    if (looking != m_looking.end())
    {
        m_looking.erase(looking);
    }
    m_free.push_back(index);
}

} // namespace npunet::packet
