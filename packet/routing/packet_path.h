// State of per-packet routing in a credit network: the paths of all packets and messages in flight.
//
// Times in picoseconds.
#pragma once

#include "topology/network/network_description.h"
#include "topology/routing/multipath.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// A packet that is routed hop by hop: what it knows at its node, and its selection there.
struct PacketPath {
    topology::PacketPlace place;      ///< where it is
    topology::Hop hop;                ///< the selected hop
    topology::Hop then;               ///< the hop after it, if selected in advance
    std::int64_t number = 0;          ///< in its message, from 0
    std::int64_t arrival = 0;         ///< of its last byte at the node
    std::uint32_t wire = 0;           ///< bytes with header
    std::uint32_t memory_behind = 0;  ///< PacketPlace::memory after these hops
    std::uint8_t first_channel = 0;  ///< of its traffic class; hops count channels within the class
    bool promised = false;           ///< buffer space is reserved for it at the end of the hop
};

/// A message whose packets take several paths: its next packet, and a summary of the others.
struct MessagePaths {
    PacketPath next;                ///< the first packet that has not started
    std::int64_t since = 0;         ///< when that packet selected its first hop
    std::int64_t undelivered = 0;   ///< packets not yet on their last link
    std::int64_t last_arrival = 0;  ///< latest arrival of the others
    std::int64_t last_end = 0;      ///< latest end of a transmission on a first link
};

struct PacketPaths {
    /// The index in the RoutePlan of the hop of a packet, by its place in the pool.
    static constexpr std::uint32_t hop_of_packet(std::uint32_t place) { return 2 * place; }

    /// The index in the RoutePlan of the hop of a message's next packet, by its place in the table.
    static constexpr std::uint32_t hop_of_message(std::uint32_t place) { return 2 * place + 1; }

    PacketPath& of_packet(std::uint32_t place) {
        if (place >= packets.size()) {
            packets.resize(place + 1);
        }
        return packets[place];
    }

    MessagePaths& of_message(std::uint32_t place) {
        if (place >= messages.size()) {
            messages.resize(place + 1);
        }
        return messages[place];
    }

    /// A pseudo-random number that depends only on the seed, the id of the message and the number
    /// of the packet in it.
    std::uint64_t hash(std::uint64_t message, std::int64_t number) const;

    /// Null: every pair of NPUs has one path, and nothing is stored.
    const topology::MultipathRouter* router = nullptr;
    std::uint64_t seed = 0;
    std::vector<PacketPath> packets;     ///< by place in the pool
    std::vector<MessagePaths> messages;  ///< by place in the table
};

}  // namespace npunet::packet
