#pragma once

#include "packet/base/link_timing.h"
#include "packet/credit/boundary_messages.h"
#include "packet/credit/network_state.h"
#include "packet/credit/thread_partition.h"

#include "engine/network.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The packet machine as one part of a split network: what leaves it, and which messages something
/// here holds. What enters it is BoundaryEntry's.
class CreditBoundary {
public:
    /// @param state ports, packets and messages of this part; must outlive this
    /// @param owned by node: whether it is in this part
    /// @param cut joins the parts; must outlive this
    ///
    /// Throws InputError where a link between two parts has no latency.
    CreditBoundary(CreditNetworkState& state, std::vector<bool> owned, PartitionLink& cut);

    /// @return the messages of which something is here, and the packets that are about to enter
    CreditPartition& boundary() { return boundary_; }

    /// A message starts here.
    /// @param place of the message
    /// @param sent what is known of it
    void open_own(std::uint32_t place, const engine::Message& sent);

    /// Something more holds a message.
    /// @param message its place
    void hold(std::uint32_t message) { boundary_.hold(message); }

    /// Something does not hold a message any more.
    /// @param message its place, which it gives back when nothing does
    void release(std::uint32_t message) {
        if (boundary_.release(message)) {
            state_.messages.free(message);
        }
    }

    /// The source of a message, which is here, has done its part.
    /// @param message its place
    void end_source(std::uint32_t message);

    /// A message is delivered here.
    /// @param message its place, which it gives back
    /// @return whether its source is here, too; otherwise the cut has been told
    bool deliver(std::uint32_t message);

    /// A packet is on a link to another part.
    /// @param port_number the port
    /// @param place of the packet, which it gives back
    /// @param crossing how it crosses the link
    void leave(std::uint32_t port_number, std::uint32_t place, const Crossing& crossing);

    /// Credit goes back to another part.
    /// @param credit of a port there
    void send_credit_back(const CrossPartitionCredit& credit);

private:
    CreditNetworkState& state_;  ///< ports, packets and messages of this part
    CreditPartition boundary_;   ///< messages of which something is here
};

}  // namespace npunet::packet
