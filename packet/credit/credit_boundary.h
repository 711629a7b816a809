// What leaves one partition of a split credit network, and which messages it holds. What enters is
// BoundaryEntry's. `message` and `place` are places in the tables of this partition.
#pragma once

#include "packet/credit/boundary_messages.h"
#include "packet/credit/link_timing.h"
#include "packet/credit/network_state.h"
#include "packet/credit/thread_partition.h"

#include "engine/network/network.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class CreditBoundary {
public:
    /// `owned`, by node: whether it is in this partition. `state` and `cut` must outlive this.
    /// Throws InputError where a link between two partitions has no latency.
    CreditBoundary(CreditNetworkState& state, std::vector<bool> owned, PartitionLink& cut);

    CreditPartition& boundary() { return boundary_; }

    /// A message starts here.
    void open_own(std::uint32_t place, const engine::Message& sent);

    /// One more holder of a message (CreditPartition).
    void hold(std::uint32_t message) { boundary_.hold(message); }

    /// One holder less; the last one frees the message's place.
    void release(std::uint32_t message) {
        if (boundary_.release(message)) {
            state_.messages.free(message);
        }
    }

    /// The source of a message, which is here, is done with it.
    void end_source(std::uint32_t message);

    /// A message is delivered here and releases its place. Whether its source is here, too;
    /// otherwise its delivery has been reported across the boundary.
    bool deliver(std::uint32_t message);

    /// A packet is on a link to another partition; frees its place.
    void leave(std::uint32_t port_number, std::uint32_t place, const Crossing& crossing);

    /// The credit is for a port of another partition.
    void send_credit_back(const CrossPartitionCredit& credit);

private:
    CreditNetworkState& state_;
    CreditPartition boundary_;
};

}  // namespace npunet::packet
