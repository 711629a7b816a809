#pragma once

#include "packet/base/credit_account.h"
#include "packet/base/ethernet_packet.h"

#include "topology/headroom.h"

#include <cstdint>

namespace npunet::packet {

/// A request to pause or to go on: a frame of the least size (IEEE 802.3).
inline constexpr std::int64_t pause_bytes = topology::pause_bytes;

/// What waits for an output port in one traffic class and has come in by other links.
struct ClassQueue {
    PacketQueue line;        ///< the packets
    std::int64_t bytes = 0;  ///< of them, with headers
};

/// An output port of a node with an Ethernet-like switch, which is one directed link, and the
/// packets on the link. All times in picoseconds.
struct alignas(64) EthernetPort {
    // What every decision needs.
    std::int64_t busy_until = 0;   ///< end of the packet that the port is sending
    std::int64_t wake = never;     ///< time of the pending wake; entries for others are stale
    std::int64_t latency = 0;      ///< of the link
    std::int64_t rate = 0;         ///< of the link, in bytes per second
    std::int64_t full_time = 0;    ///< how long a full packet occupies the link
    std::int64_t other_time = 0;   ///< the same for a packet of otherWire bytes
    std::uint32_t other_wire = 0;  ///< size of the last packet that was not full
    std::uint32_t paused = 0;      ///< a bit per class: the other end has asked for a pause
    std::uint32_t filled = 0;      ///< a bit per class: packets from other links wait
    std::uint32_t own_turn = 0;    ///< a bit per class: a packet that starts here goes next

    PacketQueue flight;            ///< packets on the link, each with when it is in
    PacketQueue requests;          ///< requests to pause or to resume that wait
    PacketQueue control;           ///< other control packets that wait
    std::uint32_t reverse = none;  ///< the link back
    std::uint32_t node = 0;        ///< the node that sends
    bool irregular = false;        ///< whether LinkTiming knows the link
    bool starts_here = false;      ///< the node is an NPU
    bool cut = false;              ///< one end of the link is in another part of the network

    // What the packet that is being sent leaves behind in the node's buffer.
    std::uint8_t leaving_class = 0;  ///< its class
    std::uint32_t leaving_input =
        none;                        ///< by which link it had come; none: nothing is to be freed
    std::int64_t leaving_bytes = 0;  ///< its size when it came

    std::int64_t due = never;  ///< time of the pending arrival; entries for others are stale

    // Who is asked less often.
    std::int64_t queued = 0;      ///< bytes that wait and have come by other links
    std::int64_t max_queue = 0;   ///< most of them at one time
    std::int64_t payload = 0;     ///< bytes of messages carried, each time that they were
    std::int64_t sent = 0;        ///< bytes carried, with headers
    std::int64_t busy = 0;        ///< how long the link was sending
    std::int64_t packets = 0;     ///< carried
    std::int64_t repeated = 0;    ///< of them data that had been sent before
    std::int64_t paused_at = 0;   ///< when the first class was paused, where one is
    std::int64_t pause_time = 0;  ///< for how long any class was paused
    std::int64_t pauses = 0;      ///< requests for a pause that the port was sent
    std::int64_t marked = 0;      ///< packets that were marked when they came to wait here
    std::int64_t drops = 0;       ///< packets that were lost here or on the link, but for requests
    std::int64_t arrivals = 0;    ///< packets that found room: numbers what is drawn for marks
};

}  // namespace npunet::packet
