/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-level.h"

#include "npu-ethernet-network.h"
#include "npu-packet-machine.h"

#include "topology/transport_section.h"

namespace npunet::packet
{

std::unique_ptr<PacketLevel>
MakePacketLevel(const topology::NetworkDescription& description, engine::EventQueue& queue)
{
    topology::check_transport(description, description.file, "packet");
    if (description.packet.flow_control == topology::FlowControl::Credit)
    {
        return std::make_unique<PacketMachine>(description, queue);
    }
    return std::make_unique<EthernetNetwork>(description, queue);
}

} // namespace npunet::packet
