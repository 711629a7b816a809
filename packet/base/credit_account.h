/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CREDIT_ACCOUNT_H
#define NPU_CREDIT_ACCOUNT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace npunet::packet
{

/// A time that never comes, in picoseconds.
inline constexpr std::int64_t NEVER = std::numeric_limits<std::int64_t>::max();

/**
 * @ingroup npunet
 * The credit that one output port holds for one virtual channel of the input buffer at the other
 * end of its link, in bytes with headers.
 *
 * Credits on their way back are no events: each is a stamp, the picosecond from which on it counts,
 * in a short list that is looked at when the port has to decide. A credit stamped t counts at t.
 * The packets of one input buffer leave by several outputs of unequal rates, so the stamps do not
 * come in order; the list is kept sorted, by insertion from its end, where they nearly always
 * belong.
 *
 *     CreditAccount account;
 *     account.Open(8320);
 *     account.Take(4160);
 *     account.Return(1'000'000, 4160);      // counts from 1 us on
 *     account.When(8320, 0);                // 1'000'000
 */
class CreditAccount
{
  public:
    /**
     * Starts with the whole buffer free.
     * @param bytes size of the buffer
     */
    void
    Open(std::int64_t bytes)
    {
        m_available = bytes;
    }

    /**
     * @param wire bytes wanted, header included
     * @param now in picoseconds, not before any earlier `now`
     * @return whether they are there
     */
    bool
    Has(std::int64_t wire, std::int64_t now)
    {
        if (m_available < wire)
        {
            Absorb(now);
        }
        return m_available >= wire;
    }

    /**
     * @param wire bytes used up; Has() said that they are there
     */
    void
    Take(std::int64_t wire)
    {
        m_available -= wire;
    }

    /**
     * @param stamp when the credit counts, in picoseconds
     * @param bytes how much
     */
    void
    Return(std::int64_t stamp, std::int64_t bytes)
    {
        if (m_count < m_returning.size() && (m_count == 0 || At(m_count - 1).stamp <= stamp))
        {
            At(m_count++) = {stamp, bytes};
            return;
        }
        Insert(stamp, bytes);
    }

    /**
     * When the bytes will be there, by the credits that are known to be under way.
     * @param wire bytes wanted, header included
     * @param from the earliest time that is of interest, in picoseconds; no decision lies before it
     * @return a time not before `from`, or NEVER
     */
    std::int64_t
    When(std::int64_t wire, std::int64_t from) const
    {
        return m_available >= wire ? from : std::max(from, WhenReturned(wire));
    }

    /**
     * What decides when which bytes are there.
     * @param now in picoseconds, not before any earlier `now`
     * @param words to which it is added; times are relative to now
     */
    void Describe(std::int64_t now, std::vector<std::int64_t>& words);

    /**
     * Puts off everything that is on its way back.
     * @param by in picoseconds
     */
    void Shift(std::int64_t by);

  private:
    /// One credit on its way back.
    struct Returning
    {
        std::int64_t stamp; ///< when it counts, in picoseconds
        std::int64_t bytes; ///< how much it is
    };

    /**
     * Adds what has come back.
     * @param now in picoseconds
     */
    void Absorb(std::int64_t now);

    /**
     * Return() where the list is full, or others come back later.
     * @param stamp when the credit counts, in picoseconds
     * @param bytes how much
     */
    void Insert(std::int64_t stamp, std::int64_t bytes);

    /**
     * When() where the bytes are not there at once.
     * @param wire bytes wanted
     * @return a time, or NEVER
     */
    std::int64_t WhenReturned(std::int64_t wire) const;

    /// Doubles the list.
    void Grow();

    /**
     * @param position in the list, 0 is the earliest
     * @return the credit there
     */
    Returning&
    At(std::size_t position)
    {
        return m_returning[(m_first + position) & (m_returning.size() - 1)];
    }

    /// @copydoc At
    const Returning&
    At(std::size_t position) const
    {
        return m_returning[(m_first + position) & (m_returning.size() - 1)];
    }

    std::int64_t m_available = 0;       ///< bytes that may be sent
    std::vector<Returning> m_returning; ///< circular, its size is 0 or a power of 2
    std::size_t m_first = 0;            ///< index of the earliest stamp
    std::size_t m_count = 0;            ///< credits on their way
};

} // namespace npunet::packet

#endif /* NPU_CREDIT_ACCOUNT_H */
