/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_QUEUE_MASKS_H
#define NPU_QUEUE_MASKS_H

#include "packet/routing/credit_port.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Which queues of all ports are not empty: a bit for each, in words of the port's own, so that
 * choosing looks at those only.
 *
 *     masks.Set(port, port.firstQueue + 3);
 *     masks.ForEach(port, port.turn, [&](std::uint32_t queue) { return Serves(queue); });
 */
class QueueMasks
{
  public:
    /**
     * Gives a port its words.
     * @param port with its number of queues, all of them empty
     */
    void
    Open(PacketPort& port)
    {
        port.firstMask = static_cast<std::uint32_t>(m_words.size());
        m_words.resize(m_words.size() + (port.queues + 63) / 64);
    }

    /**
     * A queue is not empty.
     * @param port of the queue
     * @param queueNumber the queue
     */
    void
    Set(const PacketPort& port, std::uint32_t queueNumber)
    {
        const std::uint32_t slot = queueNumber - port.firstQueue;
        m_words[port.firstMask + slot / 64] |= std::uint64_t{1} << (slot % 64);
    }

    /**
     * A queue is empty.
     * @param port of the queue
     * @param queueNumber the queue
     */
    void
    Clear(const PacketPort& port, std::uint32_t queueNumber)
    {
        const std::uint32_t slot = queueNumber - port.firstQueue;
        m_words[port.firstMask + slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    }

    /**
     * @param port a port
     * @return whether it has one queue that is not empty, and no more than 64 in all
     */
    bool
    HasOne(const PacketPort& port) const
    {
        const std::uint64_t filled = port.queues <= 64 ? m_words[port.firstMask] : 0;
        return filled != 0 && (filled & (filled - 1)) == 0;
    }

    /**
     * @param port a port that HasOne()
     * @return number of that queue among those of the port
     */
    std::uint32_t
    SlotOfOne(const PacketPort& port) const
    {
        return static_cast<std::uint32_t>(__builtin_ctzll(m_words[port.firstMask]));
    }

    /**
     * Calls a function for every non-empty queue of a port, cyclically.
     * @param port the port
     * @param first the queue to begin with, from 0
     * @param function of the queue's number; true ends the round
     */
    template <class Function>
    void ForEach(const PacketPort& port, std::uint32_t first, Function function) const;

  private:
    std::vector<std::uint64_t> m_words; ///< those of a port begin at PacketPort::firstMask
};

template <class Function>
inline void
QueueMasks::ForEach(const PacketPort& port, std::uint32_t first, Function function) const
{
    const std::uint64_t* ofPort = &m_words[port.firstMask];
    const std::uint32_t words = (port.queues + 63) / 64;
    if (words == 1)
    {
        const std::uint64_t fromTurn = ofPort[0] & ~std::uint64_t{0} << first;
        for (std::uint64_t bits : {fromTurn, ofPort[0] & ~fromTurn})
        {
            for (; bits != 0; bits &= bits - 1)
            {
                if (function(port.firstQueue + static_cast<std::uint32_t>(__builtin_ctzll(bits))))
                {
                    return;
                }
            }
        }
        return;
    }
    const std::uint32_t firstWord = first / 64;
    const std::uint64_t fromFirst = ~std::uint64_t{0} << (first % 64);
    std::uint32_t word = firstWord;
    std::uint64_t bits = ofPort[word] & fromFirst;
    for (std::uint32_t round = 0;; ++round)
    {
        for (; bits != 0; bits &= bits - 1)
        {
            const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(bits));
            if (function(port.firstQueue + word * 64 + bit))
            {
                return;
            }
        }
        if (round == words)
        {
            return;
        }
        word = word + 1 == words ? 0 : word + 1;
        bits = round + 1 == words ? ofPort[word] & ~fromFirst : ofPort[word];
    }
}

} // namespace npunet::packet

#endif /* NPU_QUEUE_MASKS_H */
