#pragma once

#include "packet/base/packet_sizes.h"
#include "packet/congestion/congestion_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/queue_pair.h"
#include "packet/transport/transport_boundary.h"

#include "topology/network_description.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace npunet::packet {

/// The queue pairs of a transport by their numbers, which they get on first use.
class QueuePairTable {
public:
    /// All of these must outlive this.
    /// @param description the network
    /// @param sizes of packets
    /// @param routes the ways of packets
    /// @param boundary of this part of the network
    QueuePairTable(const topology::NetworkDescription& description, const PacketSizes& sizes,
                   EthernetNextHop& routes, const TransportBoundary& boundary)
        : description_(description), sizes_(sizes), routes_(routes), boundary_(boundary) {}

    QueuePairTable(const QueuePairTable&) = delete;
    QueuePairTable& operator=(const QueuePairTable&) = delete;

    /// @param key of a queue pair (QueuePair::key_of())
    /// @return its number; it is made on first use
    std::uint32_t number_of(std::uint64_t key);

    /// @param number of a queue pair
    /// @return the queue pair, until another one is made
    QueuePair& operator[](std::uint32_t number) { return pairs_[number]; }

    /// @copydoc operator[]
    const QueuePair& operator[](std::uint32_t number) const { return pairs_[number]; }

    /// @return all so far
    std::vector<QueuePair>& all() { return pairs_; }

    /// @copydoc all
    const std::vector<QueuePair>& all() const { return pairs_; }

private:
    /// Some transport.
    /// @param pair a new queue pair, which gets its windows and timeouts
    void open_transport(QueuePair& pair) const;

    /// @param pair a new queue pair
    /// @return its path
    FlowPath path_of(const QueuePair& pair) const;

    /// Credits of the receiver.
    /// @param pair a new queue pair
    /// @param path its path
    void open_credit(QueuePair& pair, const FlowPath& path) const;

    const topology::NetworkDescription& description_;           ///< the network
    const PacketSizes& sizes_;                                  ///< of packets
    EthernetNextHop& routes_;                                   ///< the ways of packets
    const TransportBoundary& boundary_;                         ///< of this part of the network
    std::vector<QueuePair> pairs_;                              ///< by number
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  ///< by key
};

}  // namespace npunet::packet
