// What enters one partition of a split credit network. A frame is delivered before anything happens
// here at its instant (PacketNetwork::enter()); the packet in it proceeds as one that has crossed a
// link of this partition.
#pragma once

#include "packet/base/member_event.h"
#include "packet/credit/credit_boundary.h"
#include "packet/credit/network_state.h"
#include "packet/credit/switch_step.h"
#include "packet/routing/route_changes.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

class BoundaryEntry {
public:
    /// All of these must outlive this.
    BoundaryEntry(SwitchStep& step, CreditBoundary& boundary, RouteChanges& route_changes)
        : state_(step.state()), step_(step), boundary_(boundary), route_changes_(route_changes) {}

    /// PacketNetwork::enter().
    void enter(const std::uint8_t* data, std::size_t size);

private:
    /// `number`: as of CreditPartition::keep().
    void enter_packet(std::uint32_t number);

    /// The place of the message here; a new one for its first packet.
    std::uint32_t open(const BoundaryMessage& message);

    CreditNetworkState& state_;
    SwitchStep& step_;
    CreditBoundary& boundary_;
    RouteChanges& route_changes_;
    MemberEvent<&BoundaryEntry::enter_packet> enter_event_{*this};
};

}  // namespace npunet::packet
