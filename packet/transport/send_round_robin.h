/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_SEND_TURNS_H
#define NPU_SEND_TURNS_H

#include "packet/transport/queue_pair.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The queue pairs that have a packet for one port in one traffic class: those that may send take
 * turns packet by packet, in the order in which they joined the line; the others wait for their
 * time, at which they join it. Those whose time comes at once do so in the order of their keys, and
 * ahead of those that line up at that time.
 */
class SendTurns
{
  public:
    /**
     * A queue pair that stands nowhere may send from now on. Those whose time has come, which
     * nobody asks for while the port is busy, stand ahead of it.
     * @param pairs all queue pairs
     * @param number of the queue pair
     * @param now in picoseconds
     */
    void
    Join(std::vector<QueuePair>& pairs, std::uint32_t number, std::int64_t now)
    {
        JoinThoseDue(pairs, now);
        Append(pairs, number);
    }

    /**
     * A queue pair that stands nowhere may send at QueuePair::nextStart.
     * @param pairs all queue pairs
     * @param number of the queue pair
     */
    void Wait(std::vector<QueuePair>& pairs, std::uint32_t number);

    /**
     * Those whose time has come join the line.
     * @param pairs all queue pairs
     * @param now in picoseconds
     */
    void JoinThoseDue(std::vector<QueuePair>& pairs, std::int64_t now);

    /**
     * @return the queue pair whose turn it is, or NONE
     */
    std::uint32_t
    First() const
    {
        return m_head;
    }

    /**
     * The first of the line stands nowhere from now on.
     * @param pairs all queue pairs
     */
    void
    Leave(std::vector<QueuePair>& pairs)
    {
        QueuePair& pair = pairs[m_head];
        pair.place = QueuePair::Place::NOWHERE;
        m_head = pair.nextReady;
    }

    /**
     * All stand nowhere from now on.
     * @param pairs all queue pairs
     * @param numbers to which they are added, those of the line first
     */
    void Empty(std::vector<QueuePair>& pairs, std::vector<std::uint32_t>& numbers);

    /**
     * @return when the next of those that wait may send, or NEVER
     */
    std::int64_t
    NextTime() const
    {
        return m_waiting.empty() ? NEVER : m_waiting.front().at;
    }

    /**
     * @param pairs all queue pairs
     * @param scan of the whole network
     */
    void Scan(const std::vector<QueuePair>& pairs, engine::StateScan& scan);

  private:
    /// A queue pair that waits for its time.
    struct Waiting
    {
        std::int64_t at;      ///< in picoseconds
        std::uint64_t key;    ///< of the queue pair
        std::uint32_t number; ///< of the queue pair

        /**
         * @param other another one
         * @return whether this one's turn comes later
         */
        bool
        operator<(const Waiting& other) const
        {
            return at != other.at ? at > other.at : key > other.key;
        }
    };

    /**
     * @param pairs all queue pairs
     * @param number of the queue pair that becomes the last of the line
     */
    void
    Append(std::vector<QueuePair>& pairs, std::uint32_t number)
    {
        QueuePair& pair = pairs[number];
        pair.place = QueuePair::Place::READY;
        pair.nextReady = NONE;
        if (m_head == NONE)
        {
            m_head = number;
        }
        else
        {
            pairs[m_tail].nextReady = number;
        }
        m_tail = number;
    }

    std::uint32_t m_head = NONE;    ///< first of the line
    std::uint32_t m_tail = NONE;    ///< last of the line, where there is a first
    std::vector<Waiting> m_waiting; ///< a heap, the earliest first
};

} // namespace npunet::packet

#endif /* NPU_SEND_TURNS_H */
