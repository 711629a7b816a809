/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-ethernet-setup.h"

#include "npu-packet-parameters.h"

#include "base/errors.h"
#include "topology/headroom.h"
#include "topology/transport_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace npunet::packet
{

namespace
{

/**
 * A packet that never finds room would be sent again for ever.
 * @param description the network
 */
void
CheckRoom(const topology::NetworkDescription& description)
{
    const topology::PacketParameters& packet = description.packet;
    const std::int64_t largest = topology::largest_packet(packet).value();
    if (packet.flow_control == topology::FlowControl::Pfc)
    {
        const std::int64_t headroom = packet.shared_buffer.headroom.value();
        if (headroom > 0 && headroom < largest)
        {
            throw InputError({"",
                              "packet.pfc.headroom",
                              fmt::format("{} bytes", headroom),
                              fmt::format("room for at least one packet, {} bytes", largest),
                              "enlarge it, or leave it to 'auto'"});
        }
        return;
    }
    const double alpha = packet.shared_buffer.alpha;
    for (std::size_t node = 0; node < description.graph.nodes(); ++node)
    {
        const std::int64_t room = description.shared_buffer_of(NodeId(node)).value();
        if (std::min(alpha, 1.0) * static_cast<double>(room) >= static_cast<double>(largest) ||
            description.graph.links_to(NodeId(node)).empty())
        {
            continue;
        }
        throw InputError(
            {"",
             "packet.buffer",
             fmt::format("{} bytes in {}, of which a queue may have {:g} times what is "
                         "free",
                         room,
                         description.graph.name(NodeId(node)),
                         alpha),
             fmt::format("room for at least one packet in a queue, {} bytes", largest),
             "enlarge packet.buffer or packet.pfc.alpha"});
    }
}

} // namespace

const topology::NetworkDescription&
CheckedForEthernet(const topology::NetworkDescription& description)
{
    CheckPacketParameters(description.packet);
    topology::check_transport(description, "", "packet");
    CheckRoom(description);
    return description;
}

} // namespace npunet::packet
