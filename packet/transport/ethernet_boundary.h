#pragma once

#include "packet/partition/partition.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// What a packet takes with it from part to part of a split network with Ethernet-like switches: a
/// part knows the queue pairs and messages of its own NPUs only, and has numbers of its own for
/// them.
struct EthernetCargo {
    std::uint64_t pair = 0;   ///< QueuePair::key
    std::uint64_t first = 0;  ///< data: number of the first packet of its message
    BoundaryMessage message;  ///< data: its message
};

/// One part of a split network with Ethernet-like switches: what its packets take with them, and
/// what other parts are told of its messages, or have told.
class EthernetBoundary : public Partition {
public:
    using Partition::Partition;

    /// @param place of a packet
    /// @return what it takes with it
    EthernetCargo& of_packet(std::uint32_t place) { return at(of_packets_, place); }

    /// @param place of a message
    /// @return what the parts of both its ends know
    BoundaryMessage& of_message(std::uint32_t place) { return at(of_messages_, place); }

private:
    /// @param values by place
    /// @param place any
    /// @return the value there
    template <class Value>
    static Value& at(std::vector<Value>& values, std::uint32_t place) {
        if (place >= values.size()) {
            values.resize(place + std::size_t{1});
        }
        return values[place];
    }

    std::vector<EthernetCargo> of_packets_;     ///< by place
    std::vector<BoundaryMessage> of_messages_;  ///< by place
};

}  // namespace npunet::packet
