/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PAIR_MESSAGE_H
#define NPU_PAIR_MESSAGE_H

#include "packet/base/voq.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * A message on its queue pair: the packets `first` to `last` of it.
 */
struct PairMessage
{
    std::uint64_t id = 0;            ///< engine::MessageId
    std::int64_t bytes = 0;          ///< payload
    std::int64_t firstByteLeft = -1; ///< start of its first packet in ps; -1 before
    std::uint64_t first = 0;         ///< number of its first packet
    std::uint64_t last = 0;          ///< number of its last packet
    std::uint32_t pair = NONE;       ///< number of its queue pair
    std::uint32_t handle = 0;        ///< the sender's number
    std::uint32_t next = NONE;       ///< the message behind it, or the next free place
    bool wantsSent = false;          ///< whether on_sent() is wanted
    bool acknowledged = false;       ///< the source is done with it
    bool delivered = false;          ///< the destination is done with it
};

/**
 * @ingroup npunet
 * The messages of all queue pairs. The freed place is the next one used.
 */
class PairMessages
{
  public:
    /**
     * @return a place with a message as new
     */
    std::uint32_t
    Take()
    {
        if (m_free == NONE)
        {
            m_messages.emplace_back();
            return static_cast<std::uint32_t>(m_messages.size() - 1);
        }
        const std::uint32_t place = m_free;
        m_free = m_messages[place].next;
        m_messages[place] = PairMessage();
        return place;
    }

    /**
     * @param place of a message that is done
     */
    void
    Free(std::uint32_t place)
    {
        m_messages[place].next = m_free;
        m_free = place;
    }

    /**
     * @param place as Take() gave it
     * @return the message
     */
    PairMessage&
    operator[](std::uint32_t place)
    {
        return m_messages[place];
    }

    /// @copydoc operator[]
    const PairMessage&
    operator[](std::uint32_t place) const
    {
        return m_messages[place];
    }

    /**
     * @param place of a message
     * @param sequence number of a packet of it, or of one that comes behind it
     * @return place of the message of that packet
     */
    std::uint32_t
    Find(std::uint32_t place, std::uint64_t sequence) const
    {
        while (m_messages[place].last < sequence)
        {
            place = m_messages[place].next;
        }
        return place;
    }

  private:
    std::vector<PairMessage> m_messages; ///< places, used and free
    std::uint32_t m_free = NONE;         ///< first free place
};

} // namespace npunet::packet

#endif /* NPU_PAIR_MESSAGE_H */
