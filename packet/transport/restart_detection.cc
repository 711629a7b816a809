/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/restart_detection.h"

#include "packet/base/credit_account.h"

#include <algorithm>

namespace npunet::packet
{

std::int64_t
RepeatedRestarts::TimerAfter(std::int64_t timer, std::int64_t repetitions) const
{
    const std::int64_t end = m_from + (repetitions + 1) * m_period;
    std::int64_t next = m_count; // restart that is behind the last event of the timer
    for (;;)
    {
        if (timer == NEVER)
        {
            next = NextWithDeadline(next, repetitions);
            if (next == NOBODY)
            {
                return NEVER;
            }
            timer = DeadlineOf(next);
        }
        if (timer > end)
        {
            return timer;
        }
        next = FirstBehind(timer);
        timer = m_count == 0 ? NEVER : DeadlineOf(next - 1);
    }
}

std::int64_t
RepeatedRestarts::DeadlineOf(std::int64_t restart) const
{
    const std::int64_t deadline = m_first[restart % m_count].deadline;
    return deadline == NEVER ? NEVER : deadline + restart / m_count * m_period;
}

std::int64_t
RepeatedRestarts::NextWithDeadline(std::int64_t restart, std::int64_t repetitions) const
{
    const std::int64_t end = std::min((repetitions + 1) * m_count, restart + m_count);
    while (restart < end && DeadlineOf(restart) == NEVER)
    {
        ++restart;
    }
    return restart < end ? restart : NOBODY;
}

std::int64_t
RepeatedRestarts::FirstBehind(std::int64_t timer) const
{
    // The earlier state is behind the timers of its instant.
    const std::int64_t repetition = (timer - m_from - 1) / m_period;
    const std::int64_t at = timer - repetition * m_period;
    const TimerRestart* const behind =
        std::partition_point(m_first, m_first + m_count, [at](const TimerRestart& restart) {
            return restart.at < at || (restart.at == at && !restart.afterTimers);
        });
    return repetition * m_count + (behind - m_first);
}

} // namespace npunet::packet
