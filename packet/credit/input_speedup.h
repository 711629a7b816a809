/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_INPUT_READS_H
#define NPU_INPUT_READS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Nodes with a limited internal speed-up: how many packets leave each input port at a time, and to
 * which output the last one went. Times in picoseconds.
 *
 *     InputReads reads(links, 2);
 *     if (reads.FreeAt(input, now) == now)
 *     {
 *         reads.Start(input, output, end);
 *     }
 */
class InputReads
{
  public:
    /// Behind all outputs: the lowest comes first.
    static constexpr std::uint32_t NOBODY = 0xffffffff;

    /**
     * @param links of the network; each is an input port of the node that it reaches
     * @param speedup how many packets may leave an input at a time; 0: any number
     */
    InputReads(std::size_t links, std::uint8_t speedup)
        : m_speedup(speedup), m_ends(links * speedup, 0), m_last(speedup > 0 ? links : 0, NOBODY)
    {
    }

    /**
     * @return whether there is a limit
     */
    bool
    AreLimited() const
    {
        return m_speedup > 0;
    }

    /**
     * @param input a link
     * @param from in picoseconds
     * @return the first time from then on at which a packet may start to leave the input, as far as
     *         is known
     */
    std::int64_t
    FreeAt(std::uint32_t input, std::int64_t from) const
    {
        const std::size_t earliest = Earliest(input);
        return m_ends[earliest] > from ? m_ends[earliest] : from;
    }

    /**
     * A packet starts to leave an input.
     * @param input a link, free at that time
     * @param output where it goes
     * @param end when it has left
     */
    void
    Start(std::uint32_t input, std::uint32_t output, std::int64_t end)
    {
        m_ends[Earliest(input)] = end;
        m_last[input] = output;
    }

    /**
     * @param input a link
     * @return the output to which its last packet went; NOBODY before the first
     */
    std::uint32_t
    LastOutput(std::uint32_t input) const
    {
        return m_last[input];
    }

    /**
     * What decides when the input is free, and for whom.
     * @param input a link
     * @param now in picoseconds
     * @param words to which it is added; times are relative to now
     */
    void
    Describe(std::uint32_t input, std::int64_t now, std::vector<std::int64_t>& words) const
    {
        for (std::uint8_t i = 0; i < m_speedup; ++i)
        {
            const std::int64_t end = m_ends[std::size_t{input} * m_speedup + i];
            words.push_back(end > now ? end - now : 0);
        }
        if (AreLimited())
        {
            words.push_back(m_last[input]);
        }
    }

    /**
     * Puts off the ends of all reads.
     * @param input a link
     * @param by in picoseconds
     */
    void
    Shift(std::uint32_t input, std::int64_t by)
    {
        for (std::uint8_t i = 0; i < m_speedup; ++i)
        {
            m_ends[std::size_t{input} * m_speedup + i] += by;
        }
    }

  private:
    /**
     * @param input a link
     * @return where in m_ends the read stands that ends first
     */
    std::size_t
    Earliest(std::uint32_t input) const
    {
        std::size_t earliest = std::size_t{input} * m_speedup;
        for (std::size_t i = earliest + 1; i < (std::size_t{input} + 1) * m_speedup; ++i)
        {
            earliest = m_ends[i] < m_ends[earliest] ? i : earliest;
        }
        return earliest;
    }

    std::uint8_t m_speedup;            ///< reads at a time; 0: any number
    std::vector<std::int64_t> m_ends;  ///< by input, of its last reads
    std::vector<std::uint32_t> m_last; ///< by input: output of its last packet
};

} // namespace npunet::packet

#endif /* NPU_INPUT_READS_H */
