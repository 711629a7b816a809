/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_QUEUE_HISTOGRAM_H
#define NPU_QUEUE_HISTOGRAM_H

#include "base/quantities.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * For how long how many bytes waited at an output port, by powers of two. Arrivals may be told long
 * before they happen and in any order, departures are told when they happen.
 *
 *     QueueHistogram histogram;
 *     histogram.Arrive(100, 4160);
 *     histogram.Depart(350, 4160);
 *     histogram.GetTimes();             // 250 ps in the entry of 4096 to 8191 bytes
 */
class QueueHistogram
{
  public:
    /**
     * @param at when the bytes begin to wait, in picoseconds; not before the last departure
     * @param bytes how many
     */
    void
    Arrive(std::int64_t at, std::int64_t bytes)
    {
        m_arrivals.emplace(at, bytes);
    }

    /**
     * @param now when the bytes leave, in picoseconds
     * @param bytes how many
     */
    void
    Depart(std::int64_t now, std::int64_t bytes)
    {
        while (!m_arrivals.empty() && m_arrivals.top().first <= now)
        {
            Advance(m_arrivals.top().first);
            m_waiting += m_arrivals.top().second;
            m_arrivals.pop();
        }
        Advance(now);
        m_waiting -= bytes;
    }

    /**
     * @return by k: how long 2^k to 2^(k+1) - 1 bytes waited, up to the last departure
     */
    const std::vector<Time>&
    GetTimes() const
    {
        return m_times;
    }

  private:
    /// When bytes begin to wait, and how many.
    using Arrival = std::pair<std::int64_t, std::int64_t>;

    /**
     * The bytes that wait have done so until now.
     * @param now in picoseconds
     */
    void
    Advance(std::int64_t now)
    {
        if (m_waiting > 0 && now > m_since)
        {
            const auto power = static_cast<std::size_t>(
                63 - __builtin_clzll(static_cast<unsigned long long>(m_waiting)));
            if (power >= m_times.size())
            {
                m_times.resize(power + 1);
            }
            m_times[power] += Time::ps(now - m_since);
        }
        m_since = now;
    }

    /// Those yet to come, the earliest on top.
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<Arrival>> m_arrivals;
    std::int64_t m_since = 0;   ///< since when `m_waiting` bytes wait, in picoseconds
    std::int64_t m_waiting = 0; ///< bytes that wait
    std::vector<Time> m_times;  ///< by power of two
};

} // namespace npunet::packet

#endif /* NPU_QUEUE_HISTOGRAM_H */
