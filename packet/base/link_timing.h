#pragma once

#include "packet/base/packet_errors.h"

#include "engine/link_clock.h"
#include "topology/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// How a packet crosses a link. Times in picoseconds.
struct Crossing {
    std::int64_t end = 0;        ///< its last byte has left for good
    std::int64_t arrival = 0;    ///< all of it is in
    std::int64_t header_in = 0;  ///< its header is in, and the rest follows without a break
    std::int64_t busy = 0;       ///< how long the link was sending it
    std::int64_t attempts = 1;   ///< how often it was sent
};

/// The links that do not behave the same at all times: those with faults, and all of them where
/// packets are corrupted.
///
/// - Rates and latencies are those of engine::LinkClock; a packet's latency is the one in force
/// when
///   its last byte leaves, but no packet is in before those that left before it.
/// - A corrupted packet is sent again when the receiver, having all of it, has said so: one latency
///   to it, one back. Nothing else leaves by the link before it is through.
///
///     const Crossing crossing = timing.cross(link, now, 4160, 64);
class LinkTiming {
public:
    /// @param description must outlive this
    explicit LinkTiming(const topology::NetworkDescription& description);

    /// @param link number of a link
    /// @return whether its packets need cross()
    bool is_irregular(std::uint32_t link) const {
        return errors_.any() || clock_.faulty(LinkId(std::size_t{link}));
    }

    /// The next packet of a link starts.
    /// @param link number of the link
    /// @param now in picoseconds; the link is free
    /// @param wire bytes of the packet
    /// @param header bytes of it that must be in before it can be passed on
    /// @return what becomes of it
    ///
    /// Throws StallError where the link goes down for ever before the packet is through.
    Crossing cross(std::uint32_t link, std::int64_t now, std::uint32_t wire, std::uint32_t header);

    /// @param link number of a link
    /// @param now in picoseconds; the link is free
    /// @param wire bytes of a packet
    /// @return whether cross() would find an end
    bool gets_through(std::uint32_t link, std::int64_t now, std::uint32_t wire);

    /// @param link number of a link
    /// @param time in picoseconds
    /// @return the first time from then on at which the link is up; Time::max() for never
    std::int64_t up_at(std::uint32_t link, std::int64_t time) const;

    /// @param link number of a link
    /// @param from in picoseconds
    /// @param to in picoseconds
    /// @return for how long of that the link is up
    std::int64_t up_between(std::uint32_t link, std::int64_t from, std::int64_t to) const;

    /// @param link number of a link
    /// @param time when credit for it starts on its way back
    /// @return when the credit is there
    std::int64_t credit_back(std::uint32_t link, std::int64_t time) const;

    /// @param link number of a link
    /// @param wire bytes
    /// @return how long they take at the highest rate that the link ever has
    std::int64_t least_time(std::uint32_t link, std::uint32_t wire) const;

    /// Throws the StallError of a link that is down now and for ever.
    /// @param link number of the link
    /// @param now in picoseconds
    /// @param bytes of the message that waits
    /// @param start of the message
    [[noreturn]] void refuse(std::uint32_t link, std::int64_t now, std::int64_t bytes,
                             std::int64_t start) const;

private:
    const topology::Graph& graph_;              ///< the links
    engine::LinkClock clock_;                   ///< their rates and latencies
    PacketErrors errors_;                       ///< which transmissions are corrupted
    std::vector<std::int64_t> last_arrival_;    ///< by link: of the packet before
    std::vector<std::uint64_t> transmissions_;  ///< by link: so far
};

}  // namespace npunet::packet
