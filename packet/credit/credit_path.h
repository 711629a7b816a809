// State of per-packet routing in a credit network: the paths of all packets and messages in flight.
//
// Times in picoseconds.
#pragma once

#include "base/pool.h"
#include "packet/routing/packet_path.h"

#include "topology/routing/multipath.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// With what the selection of a next hop needs of a credit network's packet.
struct alignas(64) CreditPath : PacketPath {
    std::int64_t number = 0;         ///< in its message, from 0
    std::int64_t arrival = 0;        ///< of its last byte at the node
    std::uint32_t wire = 0;          ///< bytes with header
    std::uint8_t first_channel = 0;  ///< of its traffic class; hops count channels within the class
    bool promised = false;           ///< buffer space is reserved for it at the end of the hop
};

/// A message whose packets take several paths: its next packet, and a summary of the others.
struct MessagePaths {
    CreditPath next;                ///< the first packet that has not started
    std::int64_t since = 0;         ///< when that packet selected its first hop
    std::int64_t undelivered = 0;   ///< packets not yet on their last link
    std::int64_t last_arrival = 0;  ///< latest arrival of the others
    std::int64_t last_end = 0;      ///< latest end of a transmission on a first link
};

struct CreditPaths {
    /// The index in the RoutePlan of the hop of a packet, by its place in the pool.
    static constexpr std::uint32_t hop_of_packet(std::uint32_t place) { return 2 * place; }

    /// The index in the RoutePlan of the hop of a message's next packet, by its place in the table.
    static constexpr std::uint32_t hop_of_message(std::uint32_t place) { return 2 * place + 1; }

    CreditPath& of_packet(std::uint32_t place) { return at_place(packets, place); }

    /// The path of a packet is about to be needed.
    void prefetch(std::uint32_t place) const {
        if (place < packets.size()) {
            const CreditPath& path = packets[place];
            __builtin_prefetch(&path);
            __builtin_prefetch(&path.number);
        }
    }

    MessagePaths& of_message(std::uint32_t place) { return at_place(messages, place); }

    /// Null: every pair of NPUs has one path, and nothing is stored.
    const topology::MultipathRouter* router = nullptr;
    std::uint64_t seed = 0;
    std::vector<CreditPath> packets;     ///< by place in the pool
    std::vector<MessagePaths> messages;  ///< by place in the table
};

}  // namespace npunet::packet
