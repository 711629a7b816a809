// How much room priority flow control needs beyond the shared buffer so that nothing is lost.
//
//     if (given < lossless_headroom(link, back, largest_packet(packet), classes)) { ... }
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <cstdint>

#include "base/quantities.h"
#include "topology/graph/graph.h"
#include "topology/parameters/packet_parameters.h"

namespace npunet::topology {

/// Bytes of a request to pause or to resume on the wire, the least Ethernet frame.
inline constexpr std::int64_t pause_bytes = 64;

/// Bytes of the largest packet of data on the wire: mtu and header, and with telemetry the records
/// of 64 ports.
[[nodiscard]] Bytes largest_packet(const PacketParameters& packet);

/// What may still come by the link `forth`, in one class, from when the packet is in that makes the
/// other end be asked by the link `back` to pause: that packet and one that has just started when
/// the request is in, and what the link carries in the meantime. The request may have to wait for
/// the largest packet and, with its own, for one request of every class.
[[nodiscard]] Bytes lossless_headroom(const Link& forth, const Link& back, Bytes largest,
                                      std::int64_t classes);

/// The link that needs the largest headroom, and how much. For networks with links back.
struct NeededHeadroom {
    Bytes bytes;
    LinkId link;
};
[[nodiscard]] NeededHeadroom needed_headroom(const Graph& graph, const PacketParameters& packet);

}  // namespace npunet::topology
