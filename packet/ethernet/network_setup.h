// Checks that an EthernetNetwork can simulate a network.
#pragma once

#include "topology/network/network_description.h"

namespace npunet::packet {

/// Returns its argument. Throws InputError for parameters that cannot work, transports that have no
/// effect, and buffers that can never accept the largest packet, which would be retransmitted
/// forever.
const topology::NetworkDescription& checked_for_ethernet(
    const topology::NetworkDescription& description);

}  // namespace npunet::packet
