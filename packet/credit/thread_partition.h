#pragma once

#include "packet/base/voq.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Credit on its way to a port of another part.
struct CrossPartitionCredit {
    std::int64_t stamp;     ///< when it counts, in picoseconds
    std::uint32_t port;     ///< whose it is
    std::uint32_t channel;  ///< virtual channel
    std::uint32_t wire;     ///< bytes
};

/// What goes from one part to another in a window, in order.
struct CrossPartitionMessages {
    std::vector<std::uint32_t> packets;         ///< places of packets that are to be queued
    std::vector<CrossPartitionCredit> credits;  ///< to be returned
};

/// What somebody is told of a message.
struct MessageEvent {
    std::int64_t at;        ///< when, in picoseconds
    std::uint32_t message;  ///< its place
    bool delivered;         ///< it has come in; otherwise: it has left
};

/// A port at which CreditFastForward is to look.
struct CrossPartitionLook {
    std::int64_t start;  ///< of a packet, in picoseconds
    std::int64_t end;    ///< of the same
    std::uint32_t port;  ///< that sends it
};

/// What the ports of a part of the network share while they go on: parts go on at the same time,
/// each in a thread of its own, for a window that is so short that nothing that happens in one can
/// be felt in another. Usually the whole network is one part.
struct alignas(64) ThreadPartition {
    std::uint32_t alone = none;                ///< the node that goes on alone
    std::uint32_t near_end = 0;                ///< messages that have come near their ends
    std::uint64_t handled = 0;                 ///< packets that no event of the queue has started
    bool deferred = false;                     ///< the port that decides has waited
    bool yielded = false;                      ///< it has left an input to others
    std::vector<std::uint32_t> again;          ///< ports that wait for their second chance
    std::vector<CrossPartitionMessages> mail;  ///< by the part that is to get it
    std::vector<MessageEvent> events;          ///< in any order
    std::vector<CrossPartitionLook> looks;     ///< in any order
};

}  // namespace npunet::packet
