// Irregular links: those with faults, or all links if packets can be corrupted.
//
// - Rates and latencies are those of engine::LinkClock. A packet has the latency in force when its
//   last byte leaves, but never arrives before packets that left before it.
// - A corrupted packet is retransmitted once the receiver has it completely and has reported the
//   error: one latency there, one back. Until it is through, nothing else leaves by the link.
//
//     const Crossing crossing = timing.cross(link, now, 4160, 64);
//
// Times in picoseconds.
#pragma once

#include "packet/base/packet_errors.h"

#include "engine/network/link_clock.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// How a packet crosses a link.
struct Crossing {
    std::int64_t end = 0;        ///< when its last byte has left, after all retransmissions
    std::int64_t arrival = 0;    ///< of its last byte
    std::int64_t header_in = 0;  ///< may be forwarded: the rest follows the header without a gap
    std::int64_t busy = 0;       ///< how long the link was sending it
    std::int64_t attempts = 1;   ///< transmissions
};

class LinkTiming {
public:
    /// The description must outlive this.
    explicit LinkTiming(const topology::NetworkDescription& description);

    /// Whether packets of the link need cross().
    bool is_irregular(std::uint32_t link) const {
        return errors_.any() || clock_.faulty(LinkId(std::size_t{link}));
    }

    /// The next packet of a link starts; the link must be free. `header`: the bytes that must have
    /// arrived before the packet can be forwarded. Throws StallError if the link goes down
    /// permanently before the packet is through.
    Crossing cross(std::uint32_t link, std::int64_t now, std::uint32_t wire, std::uint32_t header);

    /// Whether cross() would not throw.
    bool gets_through(std::uint32_t link, std::int64_t now, std::uint32_t wire);

    /// The first time from `time` on at which the link is up; Time::max(): never.
    std::int64_t up_at(std::uint32_t link, std::int64_t time) const;

    /// How long the link is up between two times.
    std::int64_t up_between(std::uint32_t link, std::int64_t from, std::int64_t to) const;

    /// When a credit for the link that is returned at `time` arrives.
    std::int64_t credit_back(std::uint32_t link, std::int64_t time) const;

    /// The transmission time at the highest rate that the link ever has; 0 if it is never up.
    std::int64_t least_time(std::uint32_t link, std::uint32_t wire) const;

    /// Throws the StallError of a link that is down permanently; `bytes` and `start` are those of
    /// the waiting message.
    [[noreturn]] void refuse(std::uint32_t link, std::int64_t now, std::int64_t bytes,
                             std::int64_t start) const;

private:
    const topology::Graph& graph_;
    engine::LinkClock clock_;
    PacketErrors errors_;
    std::vector<std::int64_t> last_arrival_;    ///< by link: of its previous packet
    std::vector<std::uint64_t> transmissions_;  ///< by link, so far
};

}  // namespace npunet::packet
