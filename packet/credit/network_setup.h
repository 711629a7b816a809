/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_SETUP_H
#define NPU_PACKET_SETUP_H

#include "packet/credit/network_state.h"

#include "topology/network_description.h"

namespace npunet::packet
{

/**
 * @ingroup npunet
 * @param description the network
 * @return the same, when a PacketMachine can work with it
 *
 * Throws InputError for packet parameters that cannot work, and for switches so large that their
 * queues would fill the memory.
 */
const topology::NetworkDescription& CheckedForPackets(
    const topology::NetworkDescription& description);

/**
 * @ingroup npunet
 * @param description the network
 * @return the same, when its own routes have the virtual channels they need
 *
 * Throws InputError where they have not.
 */
const topology::NetworkDescription& CheckedForRoutes(
    const topology::NetworkDescription& description);

/**
 * @ingroup npunet
 * Gives every port its queues, all of them empty, and the credit of the buffer behind its link.
 * @param description the network, which was checked
 * @param state of that network, as it was made
 */
void OpenPorts(const topology::NetworkDescription& description, PacketState& state);

} // namespace npunet::packet

#endif /* NPU_PACKET_SETUP_H */
