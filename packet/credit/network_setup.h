#pragma once

#include "packet/credit/network_state.h"

#include "topology/network_description.h"

namespace npunet::packet {

/// @param description the network
/// @return the same, when a CreditNetwork can work with it
///
/// Throws InputError for packet parameters that cannot work, and for switches so large that their
/// queues would fill the memory.
const topology::NetworkDescription& checked_for_packets(
    const topology::NetworkDescription& description);

/// @param description the network
/// @return the same, when its own routes have the virtual channels they need
///
/// Throws InputError where they have not.
const topology::NetworkDescription& checked_for_routes(
    const topology::NetworkDescription& description);

/// Gives every port its queues, all of them empty, and the credit of the buffer behind its link.
/// @param description the network, which was checked
/// @param state of that network, as it was made
void open_ports(const topology::NetworkDescription& description, CreditNetworkState& state);

}  // namespace npunet::packet
