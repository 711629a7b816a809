// Checks of a network description for CreditNetwork, and the initial state of its ports.
#pragma once

#include "packet/credit/network_state.h"

#include "topology/network/network_description.h"

namespace npunet::packet {

/// Returns its argument. Throws InputError for invalid packet parameters, and for switches so large
/// that their queues would exhaust the memory.
const topology::NetworkDescription& checked_for_packets(
    const topology::NetworkDescription& description);

/// Returns its argument. Throws InputError if there are fewer virtual channels than the
/// description's own routes need.
const topology::NetworkDescription& checked_for_routes(
    const topology::NetworkDescription& description);

/// Gives every port its queues, all empty, and the credit of the buffer behind its link. The
/// description must have been checked, the state be new.
void open_ports(const topology::NetworkDescription& description, CreditNetworkState& state);

}  // namespace npunet::packet
