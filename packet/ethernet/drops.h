/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_LOSSES_H
#define NPU_ETHERNET_LOSSES_H

#include "packet/ethernet/stall_report.h"
#include "packet/ethernet/network_state.h"
#include "packet/base/packet_observer.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What becomes of packets of an EthernetNetwork that are lost: they are counted, and where there is
 * no transport the run cannot go on.
 */
class EthernetLosses
{
  public:
    /**
     * @param isReliable whether there is a transport
     * @param state of the network; must outlive this
     * @param stalls says why the run cannot go on; must outlive this
     */
    EthernetLosses(bool isReliable, EthernetState& state, const EthernetStalls& stalls)
        : m_isReliable(isReliable), m_state(state), m_stalls(stalls)
    {
    }

    /**
     * A packet is lost, or its payload.
     * @param number of the port where
     * @param wire bytes of the packet
     * @param why it is lost
     */
    void Count(std::uint32_t number, std::uint32_t wire, PacketLoss why);

    /**
     * A packet is lost.
     * @param number of the port where
     * @param place of the packet, which is gone afterwards
     * @param why it is lost
     * @param where for the explanation where nobody sends it again
     *
     * Throws StallError where there is no transport.
     */
    void Drop(std::uint32_t number, std::uint32_t place, PacketLoss why, const char* where);

  private:
    bool m_isReliable;              ///< there is a transport
    EthernetState& m_state;         ///< ports and packets
    const EthernetStalls& m_stalls; ///< says why the run cannot go on
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_LOSSES_H */
