// Storage of packets, which never move. Each thread partition has its own list of free places; a
// packet may be freed by another partition than the one that took its place.
//
//     PacketPool pool;
//     const std::uint32_t place = pool.take(0);
//     pool[place].message = message;
//     pool.free(place, 0);
#pragma once

#include "packet/base/constants.h"
#include "packet/credit/voq.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace npunet::packet {

class PacketPool {
public:
    /// The number of thread partitions. Before the first packet; 1 by default.
    void set_partitions(std::size_t partitions) { free_.assign(partitions, FreeList()); }

    /// The content of the place is arbitrary.
    std::uint32_t take(std::uint32_t partition) {
        std::uint32_t& free = free_[partition].first;
        if (free == none) {
            return take_new();
        }
        const std::uint32_t place = free;
        free = (*this)[place].next;
        return place;
    }

    void free(std::uint32_t place, std::uint32_t partition) {
        (*this)[place].next = free_[partition].first;
        free_[partition].first = place;
    }

    QueuedPacket& operator[](std::uint32_t place) {
        const Position position(place);
        return blocks_[position.block].packets[position.offset];
    }

    /// A packet is about to be needed.
    void prefetch(std::uint32_t place) {
        const Position position(place);
        __builtin_prefetch(&blocks_[position.block].packets[position.offset]);
    }

    /// When the packet left its source, in picoseconds; set only if arbitration needs it.
    std::int64_t& born(std::uint32_t place) {
        const Position position(place);
        return blocks_[position.block].born[position.offset];
    }

private:
    static constexpr std::uint32_t first_bits = 10;

    /// Block k has 2^(first_bits + k) places, so that few blocks suffice and none ever moves.
    struct Position {
        std::uint32_t block;
        std::uint32_t offset;

        explicit Position(std::uint32_t place) {
            const std::uint32_t shifted = place + (1U << first_bits);
            const auto top = static_cast<std::uint32_t>(31 - __builtin_clz(shifted));
            block = top - first_bits;
            offset = shifted ^ (1U << top);
        }
    };

    struct Block {
        std::unique_ptr<QueuedPacket[]> packets;
        std::unique_ptr<std::int64_t[]> born;
    };

    /// The free places of a partition, linked by QueuedPacket::next. Aligned to avoid false
    /// sharing.
    struct alignas(64) FreeList {
        std::uint32_t first = none;
    };

    /// A place that was never used.
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

    std::array<Block, 32 - first_bits> blocks_;
    std::vector<FreeList> free_{1};  ///< by partition
    std::mutex growing_;             ///< guards used_ and blocks_
    std::uint32_t used_ = 0;         ///< places used so far
};

}  // namespace npunet::packet
