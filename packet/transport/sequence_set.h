/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_SEQUENCE_SET_H
#define NPU_SEQUENCE_SET_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * A set of sequence numbers not below a base that moves up: a bit for each, in a circle that grows
 * with the distance of the highest from the base.
 *
 *     SequenceSet set;
 *     set.Insert(70);
 *     set.MoveBase(64);       // forgets what is below
 *     set.Contains(70);       // true
 */
class SequenceSet
{
  public:
    /**
     * @param number not below the base
     */
    void
    Insert(std::uint64_t number)
    {
        MakeRoom(number);
        m_words[WordOf(number)] |= BitOf(number);
    }

    /**
     * @param number not below the base
     */
    void
    Erase(std::uint64_t number)
    {
        if (Covers(number))
        {
            m_words[WordOf(number)] &= ~BitOf(number);
        }
    }

    /**
     * @param number any; what is below the base is not in the set
     * @return whether it is in the set
     */
    bool
    Contains(std::uint64_t number) const
    {
        return number >= m_base && Covers(number) && (m_words[WordOf(number)] & BitOf(number)) != 0;
    }

    /**
     * Forgets all numbers below.
     * @param base not below the present one
     */
    void
    MoveBase(std::uint64_t base)
    {
        if (base - m_base >= 64 * m_words.size())
        {
            m_words.assign(m_words.size(), 0);
        }
        else
        {
            for (std::uint64_t number = m_base; number < base; ++number)
            {
                m_words[WordOf(number)] &= ~BitOf(number);
            }
        }
        m_base = base;
    }

    /**
     * @param function called for each number in the set, ascending
     */
    template <class Function>
    void
    ForEach(Function function) const
    {
        for (std::uint64_t number = m_base; number < m_base + 64 * m_words.size(); ++number)
        {
            if (Contains(number))
            {
                function(number);
            }
        }
    }

    /**
     * Makes the base and all numbers larger.
     * @param by how much
     */
    void
    Shift(std::uint64_t by)
    {
        SequenceSet moved;
        moved.m_base = m_base + by;
        ForEach([&](std::uint64_t number) { moved.Insert(number + by); });
        *this = std::move(moved);
    }

  private:
    /**
     * @param number not below the base
     * @return whether it has a bit
     */
    bool
    Covers(std::uint64_t number) const
    {
        return number - m_base < 64 * m_words.size();
    }

    /**
     * @param number any
     * @return index of its word
     */
    std::size_t
    WordOf(std::uint64_t number) const
    {
        return static_cast<std::size_t>(number / 64) & (m_words.size() - 1);
    }

    /**
     * @param number any
     * @return its bit in its word
     */
    static std::uint64_t
    BitOf(std::uint64_t number)
    {
        return std::uint64_t{1} << (number % 64);
    }

    /**
     * Sees to it that a number has a bit.
     * @param number not below the base
     */
    void
    MakeRoom(std::uint64_t number)
    {
        if (Covers(number))
        {
            return;
        }
        SequenceSet larger;
        larger.m_base = m_base;
        std::size_t words = m_words.empty() ? 1 : m_words.size();
        while (64 * words <= number - m_base)
        {
            words *= 2;
        }
        larger.m_words.resize(words);
        for (std::uint64_t old = m_base; old < m_base + 64 * m_words.size(); ++old)
        {
            if (Contains(old))
            {
                larger.m_words[larger.WordOf(old)] |= BitOf(old);
            }
        }
        *this = std::move(larger);
    }

    std::uint64_t m_base = 0;           ///< lowest number that may be in the set
    std::vector<std::uint64_t> m_words; ///< a power of two of them, or none
};

} // namespace npunet::packet

#endif /* NPU_SEQUENCE_SET_H */
