/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_SETUP_H
#define NPU_ETHERNET_SETUP_H

#include "topology/network_description.h"

namespace npunet::packet
{

/**
 * @param description a network with Ethernet-like switches
 * @return the same, when an EthernetNetwork can work with it
 *
 * Throws InputError for parameters that cannot work, transports that have no effect, and buffers
 * in which the largest packet never finds room: it would be sent again for ever.
 */
const topology::NetworkDescription& CheckedForEthernet(
    const topology::NetworkDescription& description);

} // namespace npunet::packet

#endif /* NPU_ETHERNET_SETUP_H */
