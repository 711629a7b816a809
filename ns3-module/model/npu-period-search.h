/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PERIOD_SEARCH_H
#define NPU_PERIOD_SEARCH_H

#include <algorithm>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Looks at a state again and again until it is one that was there before. Each look compares with
 * one that is kept: keeping the 1st, 2nd, 4th, 8th, ... finds periods of any length (R. P. Brent,
 * BIT 20, 1980). After as many looks as the break before it was long an attempt fails, and the next
 * break is longer. Breaks are counted in packets.
 *
 *     search.Begin();
 *     search.Look();                        // whenever there is something to look at
 *     if (search.HasKept() && same())  ...  // a period
 *     if (search.IsOver(note.breakFor)) ... // the attempt has failed
 *     if (search.Keeps())
 *     {
 *         keep();
 *         search.Kept();
 *     }
 */
class PeriodSearch
{
  public:
    /// Shorter messages are over before their pattern is found, in packets.
    static constexpr std::int64_t LEAST_PACKETS = 32;
    /// The first attempt comes after so many packets, when pipelines are full.
    static constexpr std::uint32_t FIRST_BREAK = 12;
    /// No break is longer.
    static constexpr std::uint32_t LONGEST_BREAK = 1U << 14;

    /**
     * @param breakFor the break before an attempt that has failed
     * @return the break after it
     */
    static std::uint32_t
    BreakAfter(std::uint32_t breakFor)
    {
        return std::min(breakFor * 3 / 2, LONGEST_BREAK);
    }

    /**
     * @param leastLooks a state is compared with an earlier one at least so often before an attempt
     *                   fails
     */
    explicit PeriodSearch(std::uint32_t leastLooks) : m_leastLooks(leastLooks)
    {
    }

    /// A new attempt.
    void
    Begin()
    {
        m_looks = 0;
        m_nextKept = 1;
    }

    /// Another look.
    void
    Look()
    {
        ++m_looks;
    }

    /**
     * @return whether the state of an earlier look is kept
     */
    bool
    HasKept() const
    {
        return m_looks > 1;
    }

    /**
     * @return whether the state of this look is to be kept
     */
    bool
    Keeps() const
    {
        return m_looks == m_nextKept;
    }

    /// The state of this look is kept.
    void
    Kept()
    {
        m_nextKept = 2 * m_looks;
    }

    /**
     * @return looks since the state was kept
     */
    std::uint32_t
    SinceKept() const
    {
        return m_looks - m_nextKept / 2;
    }

    /**
     * @param breakFor the break before this attempt
     * @return whether the attempt has failed
     */
    bool
    IsOver(std::uint32_t breakFor) const
    {
        return m_looks > std::max(m_leastLooks, breakFor);
    }

  private:
    std::uint32_t m_leastLooks;   ///< before an attempt fails
    std::uint32_t m_looks = 0;    ///< how often it was looked at
    std::uint32_t m_nextKept = 1; ///< the look whose state is kept next
};

/**
 * @ingroup npunet
 * How much may be looked at in vain: in proportion to what the simulation does meanwhile.
 */
class LookBudget
{
  public:
    /**
     * @param perEvent words that may be looked at for each event of the simulation
     */
    explicit LookBudget(std::uint64_t perEvent) : m_perEvent(perEvent)
    {
    }

    /**
     * @param words that were looked at
     */
    void
    Charge(std::uint64_t words)
    {
        m_words += words;
    }

    /**
     * @param words that have paid for themselves
     */
    void
    Repay(std::uint64_t words)
    {
        m_words -= std::min(m_words, words);
    }

    /**
     * @param events of the simulation so far
     * @return whether no more may be looked at for now
     */
    bool
    IsSpent(std::uint64_t events) const
    {
        return m_words > FREE_WORDS + m_perEvent * events;
    }

  private:
    /// Words that may be looked at at any rate.
    static constexpr std::uint64_t FREE_WORDS = 200'000;

    std::uint64_t m_perEvent;  ///< words for each event
    std::uint64_t m_words = 0; ///< looked at so far, in vain
};

} // namespace npunet::packet

#endif /* NPU_PERIOD_SEARCH_H */
