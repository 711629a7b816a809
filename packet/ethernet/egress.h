/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_EGRESS_H
#define NPU_ETHERNET_EGRESS_H

#include "packet/ethernet/port_schedule.h"
#include "packet/ethernet/arbiter.h"
#include "packet/ethernet/ethernet_boundary_frames.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/ethernet_fast_forward.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/transport/transport.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What output ports of an EthernetNetwork do: an idle one chooses (EthernetArbiter) and puts the
 * packet on its link, with all that follows from it.
 */
class EthernetEgress
{
  public:
    /**
     * All of these must outlive this.
     * @param state of the network
     * @param routes the ways of packets
     * @param links how packets cross them
     * @param agenda when ports choose
     * @param flowControl the room in buffers
     * @param arbiter chooses
     * @param losses counts what is lost
     * @param pairs whose packets start at NPUs
     * @param periods looks at packets that start
     */
    EthernetEgress(EthernetState& state,
                   const EthernetRoutes& routes,
                   EthernetLinks& links,
                   EthernetAgenda& agenda,
                   PriorityFlowControl& flowControl,
                   EthernetArbiter& arbiter,
                   EthernetLosses& losses,
                   QueuePairs& pairs,
                   EthernetPeriods& periods);

    EthernetEgress(const EthernetEgress&) = delete;
    EthernetEgress& operator=(const EthernetEgress&) = delete;

    /**
     * The network is split from now on.
     * @param frames in which packets leave this part; must outlive this
     */
    void
    SetFrames(EthernetFrames& frames)
    {
        m_frames = &frames;
    }

    /**
     * The event of a port that chooses is due.
     * @param number of the port
     */
    void Wake(std::uint32_t number);

  private:
    /**
     * An idle port chooses, and plans its next wake.
     * @param number of the port
     * @param now in picoseconds
     */
    void Decide(std::uint32_t number, std::int64_t now);

    /**
     * @param number of the port of a link with faults or errors
     * @param now in picoseconds
     * @return when the link is up again; throws StallError where it never is and something waits
     *         for it
     */
    std::int64_t UpAgain(std::uint32_t number, std::int64_t now) const;

    /**
     * Puts a packet on the link.
     * @param number of the port
     * @param place of the packet
     * @param now in picoseconds
     */
    void Transmit(std::uint32_t number, std::uint32_t place, std::int64_t now);

    /**
     * A port counts a packet that it sends.
     * @param number of the port
     * @param packet the packet
     * @param now in picoseconds
     * @param end when it has left
     */
    void Count(std::uint32_t number,
               const EthernetPacket& packet,
               std::int64_t now,
               std::int64_t end);

    /**
     * A packet does not arrive.
     * @param number of the port
     * @param place of the packet
     * @param why it is lost
     */
    void Lose(std::uint32_t number, std::uint32_t place, PacketLoss why);

    EthernetState& m_state;             ///< ports and packets
    const EthernetRoutes& m_routes;     ///< the ways of packets
    EthernetLinks& m_links;             ///< how packets cross them
    EthernetAgenda& m_agenda;           ///< when ports choose
    PriorityFlowControl& m_flowControl; ///< the room in buffers
    EthernetArbiter& m_arbiter;         ///< chooses
    EthernetLosses& m_losses;           ///< counts what is lost
    QueuePairs& m_pairs;                ///< whose packets start at NPUs
    EthernetPeriods& m_periods;         ///< looks at packets that start
    EthernetFrames* m_frames = nullptr; ///< where the network is split
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_EGRESS_H */
