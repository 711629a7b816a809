#pragma once

#include "topology/multipath.h"
#include "topology/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// A packet that finds its way hop by hop: what it knows at its node, and its choice there.
struct PacketPath {
    topology::PacketPlace place;      ///< where it is
    topology::Hop hop;                ///< the hop it has chosen
    topology::Hop then;               ///< the hop behind that one, where it is chosen already
    std::int64_t number = 0;          ///< of the packet in its message, from 0
    std::int64_t arrival = 0;         ///< when all of it is in at the node, in picoseconds
    std::uint32_t wire = 0;           ///< bytes with header
    std::uint32_t memory_behind = 0;  ///< what it will remember behind these hops
    std::uint8_t first_channel = 0;   ///< of its traffic class; hops have the channels of one class
    bool promised = false;            ///< whether room is kept for it at the end of the hop
};

/// A message whose packets take several ways: its next packet, and what is known of the others.
struct MessagePaths {
    PacketPath next;                ///< the packet that has not started yet
    std::int64_t since = 0;         ///< when that packet chose its first hop, in picoseconds
    std::int64_t undelivered = 0;   ///< packets not yet on their last link
    std::int64_t last_arrival = 0;  ///< latest arrival of the others, in picoseconds
    std::int64_t last_end = 0;      ///< latest end of a packet on its first link
};

/// What multi-path routing keeps: the ways of all packets and messages under way.
struct PacketPaths {
    /// @param place of a packet in the pool
    /// @return index of its hop in the plan
    static constexpr std::uint32_t hop_of_packet(std::uint32_t place) { return 2 * place; }

    /// @param place of a message in the table
    /// @return index of the hop of its next packet in the plan
    static constexpr std::uint32_t hop_of_message(std::uint32_t place) { return 2 * place + 1; }

    /// @param place of a packet in the pool
    /// @return its way
    PacketPath& of_packet(std::uint32_t place) {
        if (place >= packets.size()) {
            packets.resize(place + 1);
        }
        return packets[place];
    }

    /// @param place of a message in the table
    /// @return its ways
    MessagePaths& of_message(std::uint32_t place) {
        if (place >= messages.size()) {
            messages.resize(place + 1);
        }
        return messages[place];
    }

    /// @param message id of a message
    /// @param number of a packet in it
    /// @return a number that looks random, of the packet only
    std::uint64_t hash(std::uint64_t message, std::int64_t number) const;

    /// Null: every pair of NPUs has one path, and nothing is kept.
    const topology::MultipathRouter* router = nullptr;
    std::uint64_t seed = 0;              ///< of the drawn numbers
    std::vector<PacketPath> packets;     ///< by place in the pool
    std::vector<MessagePaths> messages;  ///< by place in the table
};

}  // namespace npunet::packet
