// An output port of an Ethernet network, which is one directed link, and the packets on that link.
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"
#include "packet/base/ethernet_packet.h"

#include "topology/network/headroom.h"

#include <cstdint>

namespace npunet::packet {

/// A PAUSE or RESUME frame: a minimum-size frame (IEEE 802.3).
inline constexpr std::int64_t pause_bytes = topology::pause_bytes;

/// The forwarded packets of one traffic class that wait for an output port.
struct ClassQueue {
    PacketQueue packets;
    std::int64_t bytes = 0;  ///< with headers
};

struct alignas(64) EthernetPort {
    // Read by every decision.
    std::int64_t busy_until = 0;   ///< end of the packet that the port is sending
    std::int64_t wake = never;     ///< time of the pending wake; events for other times are stale
    std::int64_t latency = 0;      ///< of the link
    std::int64_t rate = 0;         ///< of the link, in bytes per second
    std::int64_t full_time = 0;    ///< how long a full packet occupies the link
    std::int64_t other_time = 0;   ///< the same for a packet of other_wire bytes
    std::uint32_t other_wire = 0;  ///< size of the last packet that was not full
    std::uint32_t paused = 0;      ///< bit per class: paused by the other end
    std::uint32_t filled = 0;      ///< bit per class: forwarded packets wait
    std::uint32_t own_next = 0;    ///< bit per class: a locally injected packet goes next

    PacketQueue flight;            ///< packets on the link
    PacketQueue requests;          ///< waiting PAUSE and RESUME frames
    PacketQueue control;           ///< other waiting control packets
    std::uint32_t reverse = none;  ///< the link in the opposite direction
    std::uint32_t node = 0;        ///< the sending node
    bool irregular = false;        ///< needs LinkTiming
    bool starts_here = false;      ///< the node is an NPU
    bool cut = false;              ///< the link crosses a partition boundary

    // The buffer space that becomes free when the packet being sent has left.
    std::uint8_t leaving_class = 0;
    std::uint32_t leaving_input = none;  ///< link by which the packet came; none: nothing to free
    std::int64_t leaving_bytes = 0;      ///< size of the packet on arrival

    std::int64_t due = never;  ///< time of the pending arrival; events for other times are stale

    // Used less often.
    std::int64_t queued = 0;         ///< bytes of waiting forwarded packets
    std::int64_t max_queue = 0;      ///< largest `queued`
    std::int64_t payload = 0;        ///< message bytes sent, retransmissions included
    std::int64_t sent = 0;           ///< bytes sent, with headers
    std::int64_t busy = 0;           ///< how long the link was sending
    std::int64_t packets = 0;        ///< sent
    std::int64_t repeated = 0;       ///< of these, retransmissions
    std::int64_t paused_at = 0;      ///< when the first class was paused, if any is
    std::int64_t pause_time = 0;     ///< how long any class was paused
    std::int64_t pauses = 0;         ///< PAUSE requests that the port received
    std::int64_t marked = 0;         ///< packets marked when they joined a queue
    std::int64_t notifications = 0;  ///< congestion notifications (CNPs) that started here
    std::int64_t drops = 0;          ///< packets lost here or on the link, without PAUSE and RESUME
    std::int64_t arrivals = 0;       ///< accepted packets; the index of the random draw for marks
};

}  // namespace npunet::packet
