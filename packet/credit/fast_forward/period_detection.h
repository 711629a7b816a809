// Finds ports and long messages that depend on each other: all ports of the messages' routes, all
// messages with a packet or a send-queue entry at one of these ports. Knows the group of each until
// it is released.
#pragma once

#include "packet/base/constants.h"
#include "packet/credit/fast_forward/periodic_group.h"
#include "packet/credit/network_state.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class PeriodDetection {
public:
    /// `state` must outlive this.
    explicit PeriodDetection(CreditNetworkState& state)
        : state_(state), of_ports_(state.ports.size(), none) {}

    /// None where it belongs to no group.
    std::uint32_t group_of(std::uint32_t port) const { return of_ports_[port]; }

    /// Whether a message under way belongs to the group.
    bool is_in(std::uint32_t message, std::uint32_t index) const {
        return message < of_messages_.size() && of_messages_[message] == index;
    }

    /// Adds everything that depends on a port, which belongs to no group, to an empty group.
    /// Whether it can be a group; if not, it must be released nevertheless.
    bool collect(std::uint32_t port, std::uint32_t index, PeriodicGroup& group);

    /// Messages that the last collect() has looked at, with repetitions.
    std::uint64_t looks() const { return looks_; }

    /// Its ports and messages belong to no group from now on.
    void release(const PeriodicGroup& group);

private:
    /// Adds a message and the ports of its route. These return false where there can be no group: a
    /// message is about to end, or a port belongs to another group or is booked.
    bool add_message(PeriodicGroup& group, std::uint32_t message);

    bool add_messages_of(PeriodicGroup& group, std::uint32_t port);

    /// With a limited speed-up: all packets in the input buffer behind this port's link compete for
    /// it.
    bool add_messages_from(PeriodicGroup& group, std::uint32_t input);

    bool add_packets(PeriodicGroup& group, const VirtualOutputQueue& queue);

    CreditNetworkState& state_;
    std::vector<std::uint32_t> of_ports_;     ///< group by port
    std::vector<std::uint32_t> of_messages_;  ///< by place; valid for messages of groups
    std::uint32_t index_ = none;
    std::uint64_t looks_ = 0;  ///< messages looked at for it
};

}  // namespace npunet::packet
