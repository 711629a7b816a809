// Packets and virtual output queues of a credit network. A packet enters the queue of its next node
// as soon as it is put on the link, with the time at which it will have arrived.
#pragma once

#include "packet/base/constants.h"

#include <cstdint>

namespace npunet::packet {

/// A packet in a virtual output queue, or on the link to it.
struct QueuedPacket {
    std::int64_t ready;          ///< when it may leave, in picoseconds
    std::uint32_t message;       ///< place in the MessageTable
    std::uint32_t hop;           ///< index in the RoutePlan of the hop that it waits for
    std::uint32_t next;          ///< the packet behind it, or none
    std::uint32_t payload : 31;  ///< bytes
    std::uint32_t last : 1;      ///< of its message
};

static_assert(sizeof(QueuedPacket) == 24, "packets are meant to be small");

/// A virtual output queue, VOQ(input port, virtual channel, output port), or the round robin of the
/// messages that start at this node. It caches what arbitration needs of its head, so that a
/// decision reads one short array and no packets.
struct VirtualOutputQueue {
    std::int64_t ready = 0;          ///< of the head, in picoseconds
    std::uint32_t wire = 0;          ///< of the head: bytes with header
    std::uint32_t head = none;       ///< packet, or message in a round robin of messages
    std::uint32_t tail = none;       ///< packet; of a round robin of messages: the port
    std::uint32_t unarrived = none;  ///< first packet not yet counted in CreditPort::arrived
    std::uint32_t upstream = none;   ///< link that fills the buffer; none for messages
    std::uint8_t input_channel = 0;  ///< virtual channel of the buffer
    std::uint8_t channel = 0;        ///< of the head: virtual channel of its next link
};

static_assert(sizeof(VirtualOutputQueue) == 32, "two queues are meant to share a cache line");

}  // namespace npunet::packet
