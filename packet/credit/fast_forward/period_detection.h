#pragma once

#include "packet/credit/fast_forward/periodic_group.h"
#include "packet/credit/network_state.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Finds ports and long messages that depend on each other: all ports of the messages' routes, all
/// messages that have a packet or their turn at one of these ports. Knows which group each belongs
/// to, until it is released.
class PeriodDetection {
public:
    /// @param state of the machine; must outlive this
    explicit PeriodDetection(CreditNetworkState& state)
        : state_(state), of_ports_(state.ports.size(), none) {}

    /// @param port number of a port
    /// @return number of its group, or none
    std::uint32_t group_of(std::uint32_t port) const { return of_ports_[port]; }

    /// @param message place of a message that is under way
    /// @param index number of a group
    /// @return whether the message belongs to it
    bool is_in(std::uint32_t message, std::uint32_t index) const {
        return message < of_messages_.size() && of_messages_[message] == index;
    }

    /// Collects all ports and messages that depend on a port.
    /// @param port number of a port that belongs to no group
    /// @param index number of the group
    /// @param group an empty one; afterwards with them
    /// @return whether they can be looked at; else they are to be released, too
    bool collect(std::uint32_t port, std::uint32_t index, PeriodicGroup& group);

    /// @return messages that the last collect() has looked at, each time that it has
    std::uint64_t looks() const { return looks_; }

    /// @param group whose ports and messages belong to none from now on
    void release(const PeriodicGroup& group);

private:
    /// Adds the ports of a message's route.
    /// @param group that is being collected
    /// @param message one that was found
    /// @return whether it can be part of a group
    bool add_message(PeriodicGroup& group, std::uint32_t message);

    /// @param group that is being collected
    /// @param port whose messages are to be added
    /// @return whether they can be part of a group
    bool add_messages_of(PeriodicGroup& group, std::uint32_t port);

    /// Nodes with a limited internal speed-up: whatever leaves an input competes for it.
    /// @param group that is being collected
    /// @param input port whose packets wait at the other end of its link
    /// @return whether their messages can be part of a group
    bool add_messages_from(PeriodicGroup& group, std::uint32_t input);

    /// @param group that is being collected
    /// @param queue of packets whose messages are to be added
    /// @return whether they can be part of a group
    bool add_packets(PeriodicGroup& group, const VirtualOutputQueue& queue);

    CreditNetworkState& state_;               ///< of the machine
    std::vector<std::uint32_t> of_ports_;     ///< groups by port
    std::vector<std::uint32_t> of_messages_;  ///< of no meaning for others than a group's
    std::uint32_t index_ = none;              ///< of the group that is being collected
    std::uint64_t looks_ = 0;                 ///< messages looked at for it
};

}  // namespace npunet::packet
