#pragma once

#include "topology/network_description.h"

namespace npunet::packet {

/// @param description a network with Ethernet-like switches
/// @return the same, when an EthernetNetwork can work with it
///
/// Throws InputError for parameters that cannot work, transports that have no effect, and buffers
/// in which the largest packet never finds room: it would be sent again for ever.
const topology::NetworkDescription& checked_for_ethernet(
    const topology::NetworkDescription& description);

}  // namespace npunet::packet
