/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_POOL_H
#define NPU_PACKET_POOL_H

#include "packet/base/voq.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Places for packets, which stay where they are. Parts of a network that go on at the same time
 * each take places and free them in a list of their own; a packet may be freed in another part than
 * the one that took its place.
 *
 *     PacketPool pool;
 *     const std::uint32_t place = pool.Take(0);
 *     pool[place].message = message;
 *     pool.Free(place, 0);
 */
class PacketPool
{
  public:
    /**
     * Before the first packet.
     * @param parts how many may take and free at the same time
     */
    void
    SetParts(std::size_t parts)
    {
        m_free.assign(parts, FreeList());
    }

    /**
     * @param part that takes it
     * @return a place for a packet; its content is arbitrary
     */
    std::uint32_t
    Take(std::uint32_t part)
    {
        std::uint32_t& free = m_free[part].first;
        if (free == NONE)
        {
            return TakeNew();
        }
        const std::uint32_t place = free;
        free = (*this)[place].next;
        return place;
    }

    /**
     * @param place of a packet that is gone
     * @param part that frees it
     */
    void
    Free(std::uint32_t place, std::uint32_t part)
    {
        (*this)[place].next = m_free[part].first;
        m_free[part].first = place;
    }

    /**
     * @param place as Take() gave it
     * @return the packet
     */
    QueuedPacket&
    operator[](std::uint32_t place)
    {
        const Position position(place);
        return m_blocks[position.block].packets[position.offset];
    }

    /**
     * @param place as Take() gave it
     * @return when the packet left its source, in picoseconds; only for those that need it
     */
    std::int64_t&
    Born(std::uint32_t place)
    {
        const Position position(place);
        return m_blocks[position.block].born[position.offset];
    }

  private:
    static constexpr std::uint32_t FIRST_BITS = 10; ///< the first block has 2^10 places

    /// Block k has 2^(10 + k) places, so that a few blocks are enough and none ever moves.
    struct Position
    {
        std::uint32_t block;  ///< number of the block
        std::uint32_t offset; ///< place in it

        /**
         * @param place in the pool
         */
        explicit Position(std::uint32_t place)
        {
            const std::uint32_t shifted = place + (1U << FIRST_BITS);
            const auto top = static_cast<std::uint32_t>(31 - __builtin_clz(shifted));
            block = top - FIRST_BITS;
            offset = shifted ^ (1U << top);
        }
    };

    /// Places of one size.
    struct Block
    {
        std::unique_ptr<QueuedPacket[]> packets; ///< in the order of their places
        std::unique_ptr<std::int64_t[]> born;    ///< of the same
    };

    /// Free places of a part, in a cache line of their own.
    struct alignas(64) FreeList
    {
        std::uint32_t first = NONE; ///< followed by QueuedPacket::next
    };

    /**
     * @return a place that nobody has had
     */
    std::uint32_t
    TakeNew()
    {
        const std::lock_guard<std::mutex> lock(m_growing);
        const Position position(m_used);
        Block& block = m_blocks[position.block];
        if (block.packets == nullptr)
        {
            const std::size_t places = std::size_t{1} << (FIRST_BITS + position.block);
            block.packets.reset(new QueuedPacket[places]);
            block.born.reset(new std::int64_t[places]);
        }
        return m_used++;
    }

    std::array<Block, 32 - FIRST_BITS> m_blocks; ///< the first ones are in use
    std::vector<FreeList> m_free{1};             ///< by part
    std::mutex m_growing;                        ///< for m_used and m_blocks
    std::uint32_t m_used = 0;                    ///< places that somebody has had
};

} // namespace npunet::packet

#endif /* NPU_PACKET_POOL_H */
