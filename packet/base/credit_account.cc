/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/base/credit_account.h"

#include <algorithm>

namespace npunet::packet
{

void
CreditAccount::Insert(std::int64_t stamp, std::int64_t bytes)
{
    if (m_count == m_returning.size())
    {
        Grow();
    }
    std::size_t place = m_count;
    for (; place > 0 && At(place - 1).stamp > stamp; --place)
    {
        At(place) = At(place - 1);
    }
    At(place) = {stamp, bytes};
    ++m_count;
}

void
CreditAccount::Absorb(std::int64_t now)
{
    while (m_count > 0 && At(0).stamp <= now)
    {
        m_available += At(0).bytes;
        m_first = (m_first + 1) & (m_returning.size() - 1);
        --m_count;
    }
}

std::int64_t
CreditAccount::WhenReturned(std::int64_t wire) const
{
    std::int64_t sum = m_available;
    for (std::size_t i = 0; i < m_count; ++i)
    {
        sum += At(i).bytes;
        if (sum >= wire)
        {
            return At(i).stamp;
        }
    }
    return NEVER;
}

void
CreditAccount::Describe(std::int64_t now, std::vector<std::int64_t>& words)
{
    Absorb(now);
    words.push_back(m_available);
    words.push_back(static_cast<std::int64_t>(m_count));
    for (std::size_t i = 0; i < m_count; ++i)
    {
        words.push_back(At(i).stamp - now);
        words.push_back(At(i).bytes);
    }
}

void
CreditAccount::Shift(std::int64_t by)
{
    for (std::size_t i = 0; i < m_count; ++i)
    {
        At(i).stamp += by;
    }
}

void
CreditAccount::Grow()
{
    std::vector<Returning> larger(std::max<std::size_t>(8, 2 * m_returning.size()));
    for (std::size_t i = 0; i < m_count; ++i)
    {
        larger[i] = At(i);
    }
    m_returning.swap(larger);
    m_first = 0;
}

} // namespace npunet::packet
