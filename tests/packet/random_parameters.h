// Packet parameters and faults drawn at random for a network that is already there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

#include "topology/network/faults.h"
#include "topology/network/network_description.h"

namespace npunet::packet_test {

/// MTU, header, and buffers of one packet to the automatic size.
void draw_sizes(topology::PacketParameters& packet, std::mt19937_64& random);

/// Arbitration, switching and speed-up of switches with credits.
void draw_switches(topology::PacketParameters& packet, std::mt19937_64& random);

/// Flow control, transport, congestion control, buffers and errors of Ethernet-like switches;
/// `loses`: with errors on links, or buffers that are too small.
void draw_ethernet(topology::NetworkDescription& network, bool loses, std::mt19937_64& random);

/// No transport, so that nothing may be lost: pauses, and neither errors nor congestion control.
void take_transport_away(topology::PacketParameters& packet);

/// DCQCN: packets of the first link, when it is full, come `times` this interval of its CNPs apart.
void notify_every(topology::NetworkDescription& network, std::int64_t times);

/// A link that has one of these rates, in billionths of its own, for up to 10 us from before
/// `horizon` on.
[[nodiscard]] topology::LinkFault draw_slowdown(const topology::Graph& graph, Time horizon,
                                                std::initializer_list<std::int64_t> billionths,
                                                std::mt19937_64& random);

}  // namespace npunet::packet_test
