/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/retransmission_timers.h"

#include "base/quantities.h"
#include "engine/network.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
RetransmissionTimers::Restart(QueuePair& pair, std::uint32_t number)
{
    const bool waits = pair.credit && pair.credit->balance <= 0 && pair.GrantsNeeded() > 0;
    constexpr std::uint32_t mostDoublings = 6;
    const std::int64_t now = m_clock.Now();
    const std::int64_t factor = std::int64_t{1} << std::min(pair.backoff, mostDoublings);
    // What lies beyond the end of the clock is never.
    pair.deadline = pair.inFlight == 0 && !waits
                        ? NEVER
                        : later(Time::ps(now), Time::ps(capped_product(factor, pair.timeout))).ps();
    if (m_notes)
    {
        const EventKey timers = EventKey::of(Phase::Arrival, engine::event_kind::timeout, 0);
        m_noted.push_back({number, now, pair.deadline, !(m_clock.Position() < timers)});
    }
    if (pair.deadline < pair.timer)
    {
        pair.timer = pair.deadline;
        Await(pair, number);
    }
}

void
RetransmissionTimers::Await(const QueuePair& pair, std::uint32_t number)
{
    m_clock.Schedule(pair.timer,
                     EventKey::of(Phase::Arrival, engine::event_kind::timeout, pair.key),
                     m_event,
                     number);
}

void
RetransmissionTimers::Due(std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    const std::int64_t now = m_clock.Now();
    if (pair.timer != now || (m_clock.IsStill() && pair.IsUnderWay()))
    {
        return;
    }
    pair.timer = NEVER;
    if (pair.deadline <= now)
    {
        m_handler.TimedOut(number);
    }
    else if (pair.deadline != NEVER)
    {
        pair.timer = pair.deadline;
        Await(pair, number);
    }
}

void
RetransmissionTimers::Note(bool wanted)
{
    m_notes = wanted;
    if (wanted)
    {
        m_noted.clear();
    }
}

void
RetransmissionTimers::Move(const std::vector<std::uint32_t>& flows,
                           const engine::StateSample& earlier,
                           const engine::StateSample& present,
                           std::int64_t periods)
{
    const auto before = [](const TimerRestart& one, const TimerRestart& other) {
        return one.pair < other.pair;
    };
    std::stable_sort(m_noted.begin(), m_noted.end(), before);
    for (const std::uint32_t number : flows)
    {
        const auto [first, last] = std::equal_range(
            m_noted.begin(), m_noted.end(), TimerRestart{number, 0, 0, false}, before);
        const RepeatedRestarts restarts(m_noted.data() + (first - m_noted.begin()),
                                        m_noted.data() + (last - m_noted.begin()),
                                        earlier.at,
                                        present.at - earlier.at);
        QueuePair& pair = m_pairs[number];
        pair.timer = restarts.TimerAfter(pair.timer, periods);
    }
}

void
RetransmissionTimers::ScheduleAnew(const std::vector<std::uint32_t>& flows)
{
    for (const std::uint32_t number : flows)
    {
        const QueuePair& pair = m_pairs[number];
        if (pair.timer != NEVER)
        {
            Await(pair, number);
        }
    }
}

} // namespace npunet::packet
