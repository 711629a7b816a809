/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/drops.h"

namespace npunet::packet
{

void
EthernetLosses::Count(std::uint32_t number, std::uint32_t wire, PacketLoss why)
{
    ++m_state.ports[number].drops;
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketLost(LinkId(std::size_t{number}), Bytes(wire), why);
    }
}

void
EthernetLosses::Drop(std::uint32_t number, std::uint32_t place, PacketLoss why, const char* where)
{
    const EthernetPacket& packet = m_state.packets[place];
    Count(number, packet.wire, why);
    if (!m_isReliable)
    {
        m_stalls.RefuseLoss(number, where);
    }
    m_state.telemetry.Free(packet.telemetry);
    m_state.packets.Free(place);
}

} // namespace npunet::packet
