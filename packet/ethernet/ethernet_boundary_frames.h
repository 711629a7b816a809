/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_FRAMES_H
#define NPU_ETHERNET_FRAMES_H

#include "packet/ethernet/port_schedule.h"
#include "packet/transport/ethernet_boundary.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/ethernet/network_state.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Packets of an EthernetNetwork as they cross the border between the parts of a split network.
 */
class EthernetFrames
{
  public:
    /**
     * All of these must outlive this.
     * @param state of this part of the network
     * @param routes the ways of packets
     * @param agenda when packets are in
     * @param border of this part
     */
    EthernetFrames(EthernetState& state,
                   EthernetRoutes& routes,
                   EthernetAgenda& agenda,
                   EthernetBorder& border)
        : m_state(state), m_routes(routes), m_agenda(agenda), m_border(border)
    {
    }

    /**
     * A packet is on a link to another part.
     * @param number of the port
     * @param place of the packet, which is gone afterwards
     */
    void Leave(std::uint32_t number, std::uint32_t place);

    /**
     * A packet of another part is on a link to this one.
     * @param data what Leave() has made there of it
     * @param size in bytes
     */
    void Enter(const std::uint8_t* data, std::size_t size);

  private:
    /**
     * Packets do not choose.
     * @param kind of a packet
     * @param key of its queue pair
     * @return index of the first hop of its path
     */
    std::uint32_t FirstHopOf(PacketKind kind, std::uint64_t key);

    EthernetState& m_state;   ///< packets of this part
    EthernetRoutes& m_routes; ///< the ways of packets
    EthernetAgenda& m_agenda; ///< when packets are in
    EthernetBorder& m_border; ///< of this part
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_FRAMES_H */
