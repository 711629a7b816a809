// An output port of a credit network, which is one directed link. Times in picoseconds.
#pragma once

#include "packet/base/constants.h"

#include <cstdint>

namespace npunet::packet {

struct alignas(64) CreditPort {
    static constexpr std::uint32_t most_queues = 0xffffff;
    static constexpr std::uint32_t most_partitions = 64;  ///< thread partitions

    // Read by every decision.
    std::int64_t busy_until = 0;    ///< end of the packet on the link
    std::int64_t wake = never;      ///< time of the pending wake; events for other times are stale
    std::int64_t latency = 0;       ///< of the link
    std::int64_t full_time = 0;     ///< how long a full packet occupies the link
    std::int64_t other_time = 0;    ///< the same for a packet of other_wire bytes
    std::uint32_t other_wire = 0;   ///< size of the last packet that was not full
    std::uint32_t first_queue = 0;  ///< number of its first queue
    // Read by other thread partitions, too, and constant while packets move.
    std::uint32_t queues : 24;     ///< how many it has
    std::uint32_t partition : 6;   ///< thread partition; the same for all ports of a node
    std::uint32_t irregular : 1;   ///< needs LinkTiming
    std::uint32_t cut : 1;         ///< the link crosses a partition boundary
    std::uint32_t first_mask = 0;  ///< index of its first word in VoqMasks
    // Not read by other partitions. first_mask separates these bit-fields from the others, so that
    // they do not share a word.
    std::uint32_t next_queue : 24;  ///< round robin: the queue to be considered first
    std::uint32_t look : 1;         ///< CreditFastForward will search a pattern after some packets
    std::uint32_t watched : 1;      ///< CreditFastForward is searching a pattern here
    std::uint32_t anchor : 1;       ///< compares states whenever this port becomes free
    std::uint32_t suspended : 1;    ///< suspended by CreditFastForward; no events are pending
    std::uint32_t starved : 1;      ///< a packet may have waited solely for credit or its input
    std::uint32_t booked : 1;       ///< by LoneMessages; no packets and messages are here
    std::uint32_t waiting = 0;  ///< bit per channel: a returning credit may allow an earlier wake

    // Used less often.
    std::int64_t queued = 0;     ///< bytes in its queues and on the links to them
    std::int64_t arrived = 0;    ///< of these, bytes known to have arrived
    std::int64_t max_queue = 0;  ///< most bytes that waited at one time
    std::int64_t payload = 0;    ///< message bytes sent
    std::int64_t wire = 0;       ///< bytes sent, with headers
    std::int64_t busy = 0;       ///< how long the link was sending
    std::int64_t packets = 0;    ///< sent
    std::int64_t stall = 0;      ///< time idle and up while packets waited for credit

    CreditPort()
        : queues(0),
          partition(0),
          irregular(0),
          cut(0),
          next_queue(0),
          look(0),
          watched(0),
          anchor(0),
          suspended(0),
          starved(0),
          booked(0) {}
};

static_assert(sizeof(CreditPort) == 128, "a port is meant to be two cache lines");

}  // namespace npunet::packet
