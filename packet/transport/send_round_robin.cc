/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/send_round_robin.h"

#include <algorithm>

namespace npunet::packet
{

void
SendTurns::Wait(std::vector<QueuePair>& pairs, std::uint32_t number)
{
    QueuePair& pair = pairs[number];
    pair.place = QueuePair::Place::PACED;
    m_waiting.push_back({pair.nextStart, pair.key, number});
    std::push_heap(m_waiting.begin(), m_waiting.end());
}

void
SendTurns::JoinThoseDue(std::vector<QueuePair>& pairs, std::int64_t now)
{
    while (NextTime() <= now)
    {
        std::pop_heap(m_waiting.begin(), m_waiting.end());
        const std::uint32_t number = m_waiting.back().number;
        m_waiting.pop_back();
        Append(pairs, number);
    }
}

void
SendTurns::Empty(std::vector<QueuePair>& pairs, std::vector<std::uint32_t>& numbers)
{
    while (m_head != NONE)
    {
        numbers.push_back(m_head);
        Leave(pairs);
    }
    std::sort(m_waiting.begin(), m_waiting.end());
    for (auto waiting = m_waiting.rbegin(); waiting != m_waiting.rend(); ++waiting)
    {
        numbers.push_back(waiting->number);
        pairs[waiting->number].place = QueuePair::Place::NOWHERE;
    }
    m_waiting.clear();
}

void
SendTurns::Scan(const std::vector<QueuePair>& pairs, engine::StateScan& scan)
{
    for (std::uint32_t number = m_head; number != NONE; number = pairs[number].nextReady)
    {
        scan.same(std::int64_t{number});
    }
    scan.same(std::int64_t{-1});
    if (!scan.moves())
    {
        // Where they lie in the heap depends on how they came there. The heap remains one.
        std::sort_heap(m_waiting.begin(), m_waiting.end());
        std::reverse(m_waiting.begin(), m_waiting.end());
    }
    for (Waiting& waiting : m_waiting)
    {
        scan.same(std::int64_t{waiting.number});
        scan.ahead(waiting.at);
    }
    scan.same(std::int64_t{-1});
}

} // namespace npunet::packet
