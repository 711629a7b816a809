/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_STATE_SCAN_H
#define NPU_STATE_SCAN_H

#include "npu-credit-account.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The state of a network at one instant, as StateScan describes it.
 */
struct StateSample
{
    std::int64_t at = 0;                 ///< when it was taken, in picoseconds
    std::vector<std::int64_t> words;     ///< what decides; equal where states are
    std::vector<std::int64_t> lasting;   ///< times that stay where they are or move along
    std::vector<std::uint64_t> progress; ///< of each flow
    std::vector<std::int64_t> counts;    ///< what has been counted, where that is wanted
};

/**
 * @ingroup npunet
 * How far a flow has come: its sequence numbers are meant relative to it.
 */
struct FlowProgress
{
    std::uint64_t base = 0; ///< describing: number that others are relative to
    std::uint64_t step = 0; ///< moving: by how much all of them grow
};

/**
 * @ingroup npunet
 * Goes through the state of a network, always in the same order: to describe it, to compare it with
 * an earlier description, or, when both are equal but for their times, to move it on by whole
 * periods. Whoever has state has one function Scan() for all three, so that what is described is
 * what is moved.
 *
 * Two equal descriptions promise the same future, as much later as the second was taken later:
 * times are relative to the instant, sequence numbers to the progress of their flow, and what
 * cannot make a difference any more counts as 0. Counts are no part of it; they grow in each period
 * by as much as in the one before.
 *
 *     void Scan(StateScan& scan)
 *     {
 *         scan.Same(m_inFlight);
 *         scan.Ahead(m_busyUntil);
 *         scan.Count(m_packets);
 *     }
 */
class StateScan
{
  public:
    /**
     * Describes the state.
     * @param sample is overwritten
     * @param now in picoseconds
     * @param counts whether counts are wanted
     */
    StateScan(StateSample& sample, std::int64_t now, bool counts) : StateScan(sample, now)
    {
        m_counts = counts;
        m_sample->words.clear();
    }

    /**
     * Compares the state with an earlier one.
     * @param earlier the description of it
     * @param sample is overwritten, but for its words
     * @param now in picoseconds
     * @param counts whether counts are wanted
     */
    StateScan(const StateSample& earlier, StateSample& sample, std::int64_t now, bool counts)
        : StateScan(sample, now)
    {
        m_counts = counts;
        m_earlier = &earlier;
    }

    /**
     * Moves the state on.
     * @param earlier a description, with counts
     * @param present one that equals it, of the state as it still is
     * @param periods how many times what is between them happens again
     */
    StateScan(const StateSample& earlier, StateSample& present, std::int64_t periods)
        : m_at(present.at), m_earlier(&earlier), m_sample(&present), m_counts(true), m_moves(true),
          m_periods(periods), m_by(periods * (present.at - earlier.at))
    {
    }

    /**
     * @return when the state is, in picoseconds
     */
    std::int64_t
    At() const
    {
        return m_at;
    }

    /**
     * @return whether the state is moved on
     */
    bool
    Moves() const
    {
        return m_moves;
    }

    /**
     * @return comparing: the state is known to be another one
     */
    bool
    Differs() const
    {
        return m_differs;
    }

    /**
     * @return comparing, when all was gone through: the state is the same
     */
    bool
    Equals() const
    {
        return !m_differs && m_word == m_earlier->words.size() &&
               m_lasting == m_earlier->lasting.size();
    }

    /**
     * @return words that were looked at
     */
    std::size_t
    Size() const
    {
        return m_word + m_count;
    }

    /**
     * @param value decides, and stays as it is
     */
    void
    Same(std::int64_t value)
    {
        if (m_moves)
        {
            return;
        }
        if (m_earlier == nullptr)
        {
            m_sample->words.push_back(value);
        }
        else if (m_word >= m_earlier->words.size() || m_earlier->words[m_word] != value)
        {
            m_differs = true;
        }
        ++m_word;
    }

    /**
     * @param value decides, bit by bit
     */
    void
    Same(double value)
    {
        std::int64_t bits = 0;
        static_assert(sizeof(bits) == sizeof(value));
        std::memcpy(&bits, &value, sizeof(bits));
        Same(bits);
    }

    /**
     * @param value that is not looked at before there is another cause; it must be moved on by its
     *              owner where there has been none
     * @param causes how many there were, counted besides
     */
    void
    Fading(double value, std::int64_t causes)
    {
        const bool differed = m_differs;
        Same(value);
        const bool differs = m_differs;
        m_differs = false;
        Same(causes);
        m_differs = differed || (differs && m_differs);
    }

    /**
     * @param time in picoseconds, past or not, or NEVER
     */
    void
    Instant(std::int64_t& time)
    {
        if (m_moves)
        {
            time += time == NEVER ? 0 : m_by;
            return;
        }
        Same(time == NEVER ? NEVER : time - m_at);
    }

    /**
     * @param time in picoseconds; it makes no difference any more when it is past
     */
    void
    Ahead(std::int64_t& time)
    {
        const bool ahead = time > m_at;
        if (m_moves)
        {
            time += ahead ? m_by : 0;
            return;
        }
        Same(ahead ? time - m_at : 0);
    }

    /**
     * @param time past, in picoseconds: stays where it is throughout a period, or moves along
     */
    void
    Lasting(std::int64_t& time)
    {
        const std::size_t place = m_lasting++;
        if (m_moves)
        {
            time += m_periods * (m_sample->lasting[place] - m_earlier->lasting[place]);
            return;
        }
        m_sample->lasting.push_back(time);
        if (m_earlier != nullptr)
        {
            m_differs = m_differs || place >= m_earlier->lasting.size() ||
                        (time != m_earlier->lasting[place] &&
                         time - m_earlier->lasting[place] != m_at - m_earlier->at);
        }
    }

    /**
     * @param number a sequence number
     * @param progress of its flow
     */
    void
    Sequence(std::uint64_t& number, const FlowProgress& progress)
    {
        if (m_moves)
        {
            number += progress.step;
            return;
        }
        Same(static_cast<std::int64_t>(number - progress.base));
    }

    /**
     * @param number a sequence number that makes no difference below a limit
     * @param limit another number of the flow, before it is moved on
     * @param progress of the flow
     */
    void
    SequenceFrom(std::uint64_t& number, std::uint64_t limit, const FlowProgress& progress)
    {
        if (m_moves)
        {
            number += number > limit ? progress.step : 0;
            return;
        }
        Same(static_cast<std::int64_t>((number > limit ? number : limit) - progress.base));
    }

    /**
     * @param count grows from period to period by the same
     */
    template <class Number>
    void
    Count(Number& count)
    {
        if (!m_counts)
        {
            return;
        }
        const std::size_t place = m_count++;
        if (m_moves)
        {
            count += static_cast<Number>(m_periods *
                                         (m_sample->counts[place] - m_earlier->counts[place]));
            return;
        }
        m_sample->counts.push_back(static_cast<std::int64_t>(count));
    }

    /**
     * Once for each flow, in the same order.
     * @param progress how far it has come: a number that never decreases; not moved on
     * @return moving: by how much it grows
     */
    std::uint64_t
    Progress(std::uint64_t progress)
    {
        const std::size_t place = m_flow++;
        if (m_moves)
        {
            return static_cast<std::uint64_t>(m_periods) *
                   (m_sample->progress[place] - m_earlier->progress[place]);
        }
        m_sample->progress.push_back(progress);
        return 0;
    }

  private:
    /**
     * @param sample is overwritten, but for its words
     * @param now in picoseconds
     */
    StateScan(StateSample& sample, std::int64_t now) : m_at(now), m_sample(&sample)
    {
        sample.at = now;
        sample.lasting.clear();
        sample.progress.clear();
        sample.counts.clear();
    }

    std::int64_t m_at;                      ///< when the state is
    const StateSample* m_earlier = nullptr; ///< to compare with
    StateSample* m_sample;                  ///< of this state
    bool m_counts = false;                  ///< counts are wanted
    bool m_moves = false;                   ///< the state is moved on
    bool m_differs = false;                 ///< from the earlier one
    std::int64_t m_periods = 0;             ///< by which the state is moved on
    std::int64_t m_by = 0;                  ///< the same, in picoseconds
    std::size_t m_word = 0;                 ///< place of the next one
    std::size_t m_lasting = 0;              ///< place of the next one
    std::size_t m_flow = 0;                 ///< place of the next one
    std::size_t m_count = 0;                ///< place of the next one
};

} // namespace npunet::packet

#endif /* NPU_STATE_SCAN_H */
