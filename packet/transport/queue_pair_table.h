// The queue pairs of a transport by their numbers, which are assigned on first use.
#pragma once

#include "packet/base/packet_sizes.h"
#include "packet/congestion/congestion_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/queue_pair.h"
#include "packet/transport/transport_boundary.h"

#include "topology/network/network_description.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace npunet::packet {

class QueuePairTable {
public:
    /// All arguments must outlive this.
    QueuePairTable(const topology::NetworkDescription& description, const PacketSizes& sizes,
                   EthernetNextHop& routes, const TransportBoundary& boundary)
        : description_(description),
          sizes_(sizes),
          routes_(routes),
          boundary_(boundary),
          of_source_(description.graph.nodes()) {}

    QueuePairTable(const QueuePairTable&) = delete;
    QueuePairTable& operator=(const QueuePairTable&) = delete;

    /// Creates the queue pair on first use. `key`: QueuePair::key_of().
    std::uint32_t number_of(std::uint64_t key);

    /// Valid until another queue pair is created.
    QueuePair& operator[](std::uint32_t number) { return pairs_[number]; }
    const QueuePair& operator[](std::uint32_t number) const { return pairs_[number]; }

    /// Those whose source is the NPU, by number.
    const std::vector<std::uint32_t>& of_source(std::uint32_t npu) const { return of_source_[npu]; }

    std::vector<QueuePair>& all() { return pairs_; }
    const std::vector<QueuePair>& all() const { return pairs_; }

private:
    /// Sets windows and timeouts of a new queue pair; not for transport `none`
    /// and datagrams.
    void open_transport(QueuePair& pair) const;

    /// Rates, hops and round trip of the route on an idle network.
    FlowPath path_of(const QueuePair& pair) const;

    /// Receiver credits.
    void open_credit(QueuePair& pair, const FlowPath& path) const;

    const topology::NetworkDescription& description_;
    const PacketSizes& sizes_;
    EthernetNextHop& routes_;
    const TransportBoundary& boundary_;
    std::vector<QueuePair> pairs_;
    std::vector<std::vector<std::uint32_t>> of_source_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace npunet::packet
