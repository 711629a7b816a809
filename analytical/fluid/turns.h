// The turns of the inputs of a link, packet by packet.
#pragma once

#include <cstdint>
#include <vector>

#include "analytical/fluid/work.h"

namespace npunet::analytical {

/// An input of a link, and its packet that is on the link, or next.
struct Turn {
    /// Packets are at the same place up to this part of one, 2^-8: times are rounded.
    static constexpr int same_bits = 8;
    static constexpr std::uint32_t own_messages = 0xffffffff;

    std::uint32_t key = 0;    ///< of a queue; own_messages: those that start at the node
    std::uint32_t place = 0;  ///< of the queue, or ring
    std::uint32_t traffic_class = 0;
    Share share = 0;
    Work size = 0;    ///< of the packet
    Work sent = 0;    ///< of it, by the stream
    Work served = 0;  ///< by the stream, since the input was idle
    /// The message whose last packet is not next, but ends what waits, and what is left before it.
    std::uint32_t stage = 0xffffffff;
    Work rest = 0;
    // Of the first message, as Message has it.
    std::uint64_t major = 0;
    std::uint64_t minor = 0;

    [[nodiscard]] Work same() const { return size >> same_bits; }
};

/// Leaves those of each class that get as much as any of it, class by class: what a full buffer
/// holds back does not wait for its turn.
void keep_fair_turns(std::vector<Turn>& turns);

/// Inputs of one class, [begin, end), in the order of their packets: as these begin by the streams;
/// of those that begin together first those that have been served less. Whether nothing but the
/// number of the input has decided.
[[nodiscard]] bool order_turns(std::vector<Turn>& turns, std::size_t begin, std::size_t end);

}  // namespace npunet::analytical
