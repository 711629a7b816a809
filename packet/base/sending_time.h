// How long packets occupy links without faults, and until when they may start. Times in
// picoseconds.
#pragma once

#include "base/quantities.h"
#include "engine/clock/clock_limit.h"
#include "topology/graph/graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// How long a packet that is not full occupies the link of a port, with that rate. The port keeps
/// the time of the last size.
template <class Port>
[[gnu::noinline]] std::int64_t other_time(Port& port, std::uint32_t wire, Rate rate) {
    if (wire != port.other_wire) {
        port.other_wire = wire;
        port.other_time = transfer_time(Bytes(wire), rate).ps();
    }
    return port.other_time;
}

/// How long a packet of `wire` bytes does; `full_wire`: bytes of a full packet.
template <class Port>
std::int64_t sending_time(Port& port, std::uint32_t wire, std::uint32_t full_wire, Rate rate) {
    return wire == full_wire ? port.full_time : other_time(port, wire, rate);
}

/// A packet that starts later could have consequences beyond the end of the clock: it has arrived,
/// and its credit or response has returned.
inline std::int64_t last_start(const topology::Graph& graph, std::int64_t full_wire) {
    Time longest_packet;
    Time longest_latency;
    for (std::size_t number = 0; number < graph.links(); ++number) {
        const topology::Link& link = graph.link(LinkId(number));
        longest_packet = std::max(longest_packet, transfer_time(Bytes(full_wire), link.rate));
        longest_latency = std::max(longest_latency, link.latency);
    }
    using engine::later;
    return (Time::max() - later(later(longest_packet, longest_latency), longest_latency)).ps();
}

}  // namespace npunet::packet
