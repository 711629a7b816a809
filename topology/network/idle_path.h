// How long a message takes on a network that is idle otherwise, in closed form.
//
//     idle_path_time(description, description.route(from, to), Bytes{65536}, IdlePath::Packets)
//
// With IdlePath::Packets that is, for n packets over the links 1 .. h of rates r and latencies a:
// store and forward, D(k, j) being the time at which packet k has left link j,
//     D(k, j) = max(D(k, j - 1) + a(j - 1), D(k - 1, j)) + ser(k, j),
// cut-through, S(k, j) being the time at which it starts,
//     S(k, j) = max(S(k, j - 1) + a(j - 1) + max(ser(header, j - 1), ser(k, j - 1) - ser(k, j)),
//                   S(k - 1, j) + ser(k - 1, j)).
// (store and forward where an NPU relays it from links of one kind to those of another).
// All packets but the last are alike, so those of them that have left link j by then make
//     sum of the steps from link 1 to j + (n - 2) x the largest ser(full, i) with i <= j,
// and only the last one is followed link by link: O(h).
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantities.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

enum class IdlePath : std::uint8_t {
    Headers,        ///< the sum of the latencies, and the message on the slowest link
    Packets,        ///< packets with headers, as the packet machine passes them on
    WholeMessages,  ///< without headers; every link takes in a message before the next one sends it
};

/// When the last byte of a message is in, on an idle network, after its start; bytes on the wire
/// for Headers and WholeMessages, payload for Packets. Links at their own rates, without faults;
/// packets wait for nothing but their links.
[[nodiscard]] Time idle_path_time(const NetworkDescription& description,
                                  const std::vector<Hop>& hops, Bytes bytes, IdlePath path);

/// The same where the message is divided over the planes of the pair
/// (NetworkDescription::routes()). For packets that goes for networks with `multipath`, whose
/// packets take the planes in turn.
[[nodiscard]] Time idle_time(const NetworkDescription& description, NodeId from, NodeId to,
                             Bytes bytes, IdlePath path);

/// The largest part of a message over `planes` planes: ceil(bytes / planes), or of packets the part
/// with the most of them, the last one of the message among them if no other has as many.
[[nodiscard]] Bytes largest_part(Bytes bytes, std::int64_t planes, const PacketParameters& packet,
                                 IdlePath path);

/// A message with the headers of its packets.
[[nodiscard]] Bytes bytes_with_headers(Bytes payload, const PacketParameters& packet);

}  // namespace npunet::topology
