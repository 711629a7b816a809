/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_STALLS_H
#define NPU_ETHERNET_STALLS_H

#include "packet/routing/ethernet_next_hop.h"
#include "packet/ethernet/network_state.h"
#include "packet/partition/partition.h"
#include "packet/ethernet/output_queues.h"
#include "packet/transport/queue_pair.h"

#include "base/ids.h"
#include "topology/network_description.h"

#include <cstdint>
#include <string>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Why an EthernetNetwork cannot go on, in words.
 */
class EthernetStalls
{
  public:
    /**
     * All of these must outlive this.
     * @param description the network
     * @param state of the network
     * @param queues of its ports
     * @param routes the ways of packets
     */
    EthernetStalls(const topology::NetworkDescription& description,
                   const EthernetState& state,
                   const OutputQueues& queues,
                   const EthernetRoutes& routes)
        : m_description(description), m_state(state), m_queues(queues), m_routes(routes)
    {
    }

    /**
     * Nothing goes on.
     * @return which links wait for each other in a circle, in a sentence; nothing where none do
     */
    std::string ExplainPauses() const;

    /**
     * Nothing goes on in one part of a split network.
     * @param part the part
     * @return which link another part has paused, in a sentence; nothing where there is none
     */
    std::string ExplainPausesFromAfar(const NetworkPart& part) const;

    /**
     * Throws the StallError of a packet that is lost where nobody sends it again.
     * @param number of the port where
     * @param why it is lost
     */
    [[noreturn]] void RefuseLoss(std::uint32_t number, const char* why) const;

    /**
     * Throws the StallError of a queue pair that has sent again as often as it may.
     * @param pair the queue pair
     */
    [[noreturn]] void GiveUp(const QueuePair& pair) const;

  private:
    /**
     * @param first a port that is paused in a class
     * @param trafficClass the class
     * @return the circle of ports each of which waits for the next one, in a sentence; nothing
     *         where the port leads to none
     */
    std::string ExplainCircle(std::uint32_t first, std::uint32_t trafficClass) const;

    /**
     * @param pair a queue pair
     * @return of the links by which it sends and is answered, the one that has lost most; the first
     *         one where none has
     */
    LinkId WorstLink(const QueuePair& pair) const;

    const topology::NetworkDescription& m_description; ///< the network
    const EthernetState& m_state;                      ///< its ports
    const OutputQueues& m_queues;                      ///< what waits for them
    const EthernetRoutes& m_routes;                    ///< the ways of packets
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_STALLS_H */
