#pragma once

#include "packet/base/member_event.h"
#include "packet/credit/credit_boundary.h"
#include "packet/credit/network_state.h"
#include "packet/credit/reroute_epochs.h"
#include "packet/credit/switch_step.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// The packet machine as one part of a split network: what enters it. A frame comes in before
/// anything happens here at its instant (PacketNetwork::enter()); the packet in it goes on as one
/// that has crossed a link of this part.
class BoundaryEntry {
public:
    /// All of these must outlive this.
    /// @param step moves what has come in
    /// @param boundary what leaves this part
    /// @param epochs of the detours
    BoundaryEntry(SwitchStep& step, CreditBoundary& boundary, RerouteEpochs& epochs);

    /// PacketNetwork::enter().
    /// @param data of the frame
    /// @param size in bytes
    void enter(const std::uint8_t* data, std::size_t size);

private:
    /// A packet is on a link from another part.
    /// @param number of the packet among those that enter
    void enter_packet(std::uint32_t number);

    /// @param message of a packet that has come in
    /// @return the place of the message here
    std::uint32_t open(const BoundaryMessage& message);

    CreditNetworkState& state_;  ///< ports, packets and messages of this part
    SwitchStep& step_;           ///< moves what has come in
    CreditBoundary& boundary_;   ///< what leaves this part
    RerouteEpochs& epochs_;      ///< of the detours
    MemberEvent<&BoundaryEntry::enter_packet> enter_event_{*this};  ///< of packets
};

}  // namespace npunet::packet
