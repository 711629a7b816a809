#pragma once

#include "packet/base/voq.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace npunet::packet {

/// Places for packets, which stay where they are. Parts of a network that go on at the same time
/// each take places and free them in a list of their own; a packet may be freed in another part
/// than the one that took its place.
///
///     PacketPool pool;
///     const std::uint32_t place = pool.take(0);
///     pool[place].message = message;
///     pool.free(place, 0);
class PacketPool {
public:
    /// Before the first packet.
    /// @param parts how many may take and free at the same time
    void set_parts(std::size_t parts) { free_.assign(parts, FreeList()); }

    /// @param part that takes it
    /// @return a place for a packet; its content is arbitrary
    std::uint32_t take(std::uint32_t part) {
        std::uint32_t& free = free_[part].first;
        if (free == none) {
            return take_new();
        }
        const std::uint32_t place = free;
        free = (*this)[place].next;
        return place;
    }

    /// @param place of a packet that is gone
    /// @param part that frees it
    void free(std::uint32_t place, std::uint32_t part) {
        (*this)[place].next = free_[part].first;
        free_[part].first = place;
    }

    /// @param place as take() gave it
    /// @return the packet
    QueuedPacket& operator[](std::uint32_t place) {
        const Position position(place);
        return blocks_[position.block].packets[position.offset];
    }

    /// @param place as take() gave it
    /// @return when the packet left its source, in picoseconds; only for those that need it
    std::int64_t& born(std::uint32_t place) {
        const Position position(place);
        return blocks_[position.block].born[position.offset];
    }

private:
    static constexpr std::uint32_t first_bits = 10;  ///< the first block has 2^10 places

    /// Block k has 2^(10 + k) places, so that a few blocks are enough and none ever moves.
    struct Position {
        std::uint32_t block;   ///< number of the block
        std::uint32_t offset;  ///< place in it

        /// @param place in the pool
        explicit Position(std::uint32_t place) {
            const std::uint32_t shifted = place + (1U << first_bits);
            const auto top = static_cast<std::uint32_t>(31 - __builtin_clz(shifted));
            block = top - first_bits;
            offset = shifted ^ (1U << top);
        }
    };

    /// Places of one size.
    struct Block {
        std::unique_ptr<QueuedPacket[]> packets;  ///< in the order of their places
        std::unique_ptr<std::int64_t[]> born;     ///< of the same
    };

    /// Free places of a part, in a cache line of their own.
    struct alignas(64) FreeList {
        std::uint32_t first = none;  ///< followed by QueuedPacket::next
    };

    /// @return a place that nobody has had
    std::uint32_t take_new() {
        const std::lock_guard<std::mutex> lock(growing_);
        const Position position(used_);
        Block& block = blocks_[position.block];
        if (block.packets == nullptr) {
            const std::size_t places = std::size_t{1} << (first_bits + position.block);
            block.packets.reset(new QueuedPacket[places]);
            block.born.reset(new std::int64_t[places]);
        }
        return used_++;
    }

    std::array<Block, 32 - first_bits> blocks_;  ///< the first ones are in use
    std::vector<FreeList> free_{1};              ///< by part
    std::mutex growing_;                         ///< for used_ and blocks_
    std::uint32_t used_ = 0;                     ///< places that somebody has had
};

}  // namespace npunet::packet
