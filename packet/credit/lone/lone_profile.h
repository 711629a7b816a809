// How a message crosses its route while it is alone there: a closed form. All packets but the last
// are full, and none ever waits for credit or for packets of other messages.
//
// With packets p = 0 .. n - 1 and hops k: a packet starts at hop k when it may leave and the one
// before it has left, start(p, k) = max(start(p, k - 1) + lag(k - 1), start(p - 1, k) + time(k)),
// where lag is the time from a start to when the packet may leave by the next hop. For full packets
// that is start(0, k) + p x period(k), with period(k) the longest time of the hops up to k
// (by induction over p and k). The last packet follows by the same rule.
//
// That no packet waits for credit is certain if the credit of every packet is back so soon that a
// link that sends without a gap takes no more than the buffer: outstanding at t are packets that
// started after t - delay, one after the other, so at most (delay - 1) x rate bytes. As this holds
// whatever the link sends next, messages that are certain in that sense may follow one another
// without a gap.
//
//     const LoneProfile profile = lone_profile(route, sizes, 655360);
//     if (profile.possible) { profile.start(12, 0); }
//
// Times in picoseconds, relative to when the first packet starts.
#pragma once

#include "base/quantities.h"

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace npunet::packet {

/// What a message finds at a link of its route.
struct LoneLink {
    Rate rate;
    std::int64_t latency = 0;
    std::int64_t buffer = 0;  ///< bytes, of the virtual channel at the other end

    friend bool operator<(const LoneLink& a, const LoneLink& b) {
        return std::tie(a.rate, a.latency, a.buffer) < std::tie(b.rate, b.latency, b.buffer);
    }
};

/// Of all packets of a network.
struct LonePackets {
    std::int64_t mtu = 0;
    std::int64_t header = 0;        ///< bytes of every packet
    std::int64_t header_bytes = 0;  ///< that must have arrived, with cut-through
    bool cut_through = false;

    std::int64_t wire(std::int64_t payload) const {
        return payload + header > 0 ? payload + header : 1;
    }
};

/// One hop.
struct LoneHop {
    std::int64_t first = 0;      ///< start of the first packet
    std::int64_t period = 0;     ///< between the starts of full packets
    std::int64_t full_time = 0;  ///< how long a full packet occupies the link
    std::int64_t last_time = 0;  ///< and the last one
    std::int64_t full_lag = 0;   ///< from the start of a full packet to when the next hop may start
    std::int64_t last_lag = 0;   ///< and of the last one
    std::int64_t latency = 0;    ///< of the link
    std::int64_t buffer = 0;     ///< bytes at its other end
    std::int64_t last_start = 0;  ///< of the last packet
    std::int64_t credit_end = 0;  ///< when the credit of the last packet is back
    std::int64_t busy = 0;        ///< how long the link is sending
    std::int64_t max_queue = 0;   ///< most bytes that wait at one of the starts

    /// When the link is free again.
    std::int64_t end() const { return last_start + last_time; }
};

struct LoneProfile {
    bool possible = false;     ///< no packet waits for credit
    std::int64_t bytes = 0;    ///< payload
    std::int64_t packets = 0;  ///< at least 1
    std::int64_t full_payload = 0;
    std::int64_t last_payload = 0;
    std::int64_t full_wire = 0;
    std::int64_t last_wire = 0;
    std::vector<LoneHop> hops;

    /// Bytes on each link, with headers.
    std::int64_t wire() const { return (packets - 1) * full_wire + last_wire; }

    /// When the last byte has arrived.
    std::int64_t arrival() const { return hops.back().end() + hops.back().latency; }

    std::int64_t start(std::int64_t packet, std::size_t hop) const {
        return packet + 1 < packets ? hops[hop].first + packet * hops[hop].period
                                    : hops[hop].last_start;
    }

    /// When a packet has left the hop.
    std::int64_t end(std::int64_t packet, std::size_t hop) const {
        return start(packet, hop) +
               (packet + 1 < packets ? hops[hop].full_time : hops[hop].last_time);
    }

    /// When a packet may leave by a hop, which is not the first.
    std::int64_t ready(std::int64_t packet, std::size_t hop) const {
        const LoneHop& before = hops[hop - 1];
        return start(packet, hop - 1) + (packet + 1 < packets ? before.full_lag : before.last_lag);
    }

    /// When the credit of a packet that crosses the hop is back.
    std::int64_t credit_back(std::int64_t packet, std::size_t hop) const {
        return hop + 1 < hops.size() ? end(packet, hop + 1) + hops[hop].latency
                                     : end(packet, hop) + 2 * hops[hop].latency;
    }

    /// Packets that start at the hop before `time`.
    std::int64_t started(std::int64_t time, std::size_t hop) const;

    /// Packets whose credit for the hop is back by `time`.
    std::int64_t returned(std::int64_t time, std::size_t hop) const;

    std::int64_t wire_of(std::int64_t packet) const {
        return packet + 1 < packets ? full_wire : last_wire;
    }

    std::int64_t payload_of(std::int64_t packet) const {
        return packet + 1 < packets ? full_payload : last_payload;
    }

    /// Most bytes that have arrived and wait at one of the first `starts` starts of the hop; 0 at
    /// the first hop, where messages wait and not packets.
    std::int64_t most_waiting(std::int64_t starts, std::size_t hop) const;
};

/// A message of `bytes` on a route of at least one link.
LoneProfile lone_profile(const std::vector<LoneLink>& route, const LonePackets& packets,
                         std::int64_t bytes);

}  // namespace npunet::packet
