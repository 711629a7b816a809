#pragma once

#include <cstdint>

namespace npunet::packet {

/// No packet, no message, no link: the index that stands for nothing.
inline constexpr std::uint32_t none = 0xffffffff;

/// A packet that stands in a virtual output queue, or is on its way there: it enters the queue of
/// its next node the moment it is put on the link, with the time at which it will have arrived.
struct QueuedPacket {
    std::int64_t ready;          ///< when its last byte is in, in picoseconds
    std::uint32_t message;       ///< index of its message
    std::uint32_t hop;           ///< index of the planned hop that it waits for
    std::uint32_t next;          ///< the packet behind it, or none
    std::uint32_t payload : 31;  ///< bytes of the message in it
    std::uint32_t last : 1;      ///< whether it is the last of its message
};

static_assert(sizeof(QueuedPacket) == 24, "packets are meant to be small");

/// One virtual output queue, VOQ(input port, virtual channel, output port), or one turn list of
/// messages that start at this node. It carries a copy of what its output must know of its head, so
/// that a decision reads one short array and no packet.
struct VirtualOutputQueue {
    std::int64_t ready = 0;          ///< of the head, in picoseconds
    std::uint32_t wire = 0;          ///< of the head: bytes with header
    std::uint32_t head = none;       ///< packet, or message where messages start
    std::uint32_t tail = none;       ///< packet
    std::uint32_t unarrived = none;  ///< first packet that is not yet counted as waiting
    std::uint32_t upstream = none;   ///< link that fills the buffer; none where messages start
    std::uint8_t input_channel = 0;  ///< virtual channel of the buffer
    std::uint8_t channel = 0;        ///< of the head: the virtual channel it will use
};

static_assert(sizeof(VirtualOutputQueue) == 32, "two queues are meant to share a cache line");

}  // namespace npunet::packet
