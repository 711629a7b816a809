// One partition of a split network with Ethernet-like switches: what its packets carry across
// partition boundaries, and what both ends of a message know of it.
#pragma once

#include "base/pool.h"
#include "packet/partition/partition.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// What a packet carries across a partition boundary. A partition knows only the queue pairs and
/// messages of its own NPUs, and numbers them itself.
struct EthernetCargo {
    std::uint64_t pair = 0;   ///< QueuePair::key
    std::uint64_t first = 0;  ///< data: number of the first packet of its message
    BoundaryMessage message;  ///< data: its message
};

class EthernetBoundary : public Partition {
public:
    using Partition::Partition;

    /// By place in the packet pool.
    EthernetCargo& of_packet(std::uint32_t place) { return at_place(of_packets_, place); }

    /// By place in the message table.
    BoundaryMessage& of_message(std::uint32_t place) { return at_place(of_messages_, place); }

private:
    std::vector<EthernetCargo> of_packets_;
    std::vector<BoundaryMessage> of_messages_;
};

}  // namespace npunet::packet
