#pragma once

#include "packet/base/credit_account.h"

#include <cstdint>

namespace npunet::packet {

/// An output port, which is one directed link. All times in picoseconds.
struct alignas(64) CreditPort {
    static constexpr std::uint32_t most_queues = 0xffffff;  ///< it can have
    static constexpr std::uint32_t most_parts = 64;         ///< of the network

    // What every decision needs.
    std::int64_t busy_until = 0;    ///< end of the packet on the link
    std::int64_t wake = never;      ///< time of the pending wake; entries for others are stale
    std::int64_t latency = 0;       ///< of the link
    std::int64_t full_time = 0;     ///< how long a full packet occupies the link
    std::int64_t other_time = 0;    ///< the same for a packet of otherWire bytes
    std::uint32_t other_wire = 0;   ///< size of the last packet that was not full
    std::uint32_t first_queue = 0;  ///< number of its first queue
    // What other parts of the network may look at, too: it stays as it is while packets move.
    std::uint32_t queues : 24;     ///< how many it has
    std::uint32_t part : 6;        ///< of the network, with all ports of the same node
    std::uint32_t irregular : 1;   ///< whether LinkTiming knows the link
    std::uint32_t cut : 1;         ///< whether one end of the link is in another process
    std::uint32_t first_mask = 0;  ///< index of its first word of non-empty queues
    // What they may not: no word with bits of the others, thanks to the one between.
    std::uint32_t turn : 24;    ///< round robin: the queue to be asked first
    std::uint32_t look : 1;     ///< CreditFastForward will look for a pattern after some packets
    std::uint32_t watched : 1;  ///< CreditFastForward looks for a pattern here
    std::uint32_t anchor : 1;   ///< and whenever this port is free
    std::uint32_t still : 1;    ///< CreditFastForward has found one; no events are pending
    std::uint32_t starved : 1;  ///< whether a packet may have waited for nothing but credit
    std::uint32_t waiting = 0;  ///< channels for whose credit it waits without a wake

    // Who is asked less often.
    std::int64_t queued = 0;     ///< bytes in its queues, those under way included
    std::int64_t arrived = 0;    ///< bytes of them known to have arrived
    std::int64_t max_queue = 0;  ///< most bytes that waited at one time
    std::int64_t payload = 0;    ///< bytes of messages carried
    std::int64_t wire = 0;       ///< bytes carried, with headers
    std::int64_t busy = 0;       ///< how long the link was sending
    std::int64_t packets = 0;    ///< carried
    std::int64_t stall = 0;      ///< idle and up, with packets that waited for credit

    CreditPort()
        : queues(0),
          part(0),
          irregular(0),
          cut(0),
          turn(0),
          look(0),
          watched(0),
          anchor(0),
          still(0),
          starved(0) {}
};

static_assert(sizeof(CreditPort) == 128, "a port is meant to be two cache lines");

}  // namespace npunet::packet
