// What the ports of one thread partition share while they advance. With threads the partitions of a
// network run in parallel for a lookahead window, which is so short that they cannot affect one
// another within it; effects on others are deferred until its end. Without threads the whole
// network is one partition.
//
// Times in picoseconds. A place is the index of a packet in the pool or of a message in the table.
#pragma once

#include "packet/base/constants.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Credit on its way to a port of another partition.
struct CrossPartitionCredit {
    std::int64_t stamp;  ///< when it counts
    std::uint32_t port;
    std::uint32_t channel;
    std::uint32_t wire;  ///< bytes
};

/// What one partition has deferred for another in a window, in order.
struct CrossPartitionMessages {
    std::vector<std::uint32_t> packets;         ///< places of packets to be queued
    std::vector<CrossPartitionCredit> credits;  ///< to be returned
};

/// A deferred notification of a message.
struct MessageEvent {
    std::int64_t at;
    std::uint32_t message;  ///< its place
    bool delivered;         ///< otherwise: sent
};

/// The start of a packet after which CreditFastForward is to look for a pattern at the port.
struct CrossPartitionLook {
    std::int64_t start;  ///< of the packet
    std::int64_t end;    ///< of the packet
    std::uint32_t port;
};

struct alignas(64) ThreadPartition {
    std::uint32_t isolated = none;     ///< the node being advanced by itself, or none
    std::uint32_t near_end = 0;        ///< new ones, for CreditNetworkState::near_end
    std::uint64_t handled = 0;         ///< packets that no event of the queue has started
    bool deferred = false;             ///< deferred arbitration: the port does not yield again
    bool yielded = false;              ///< the port has yielded an input to another
    std::vector<std::uint32_t> again;  ///< ports with a deferred arbitration
    std::vector<CrossPartitionMessages> outgoing;  ///< by receiving partition
    std::vector<MessageEvent> events;              ///< in any order
    std::vector<CrossPartitionLook> looks;         ///< in any order
};

}  // namespace npunet::packet
