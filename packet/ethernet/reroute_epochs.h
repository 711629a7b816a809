/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_EPOCHS_H
#define NPU_ETHERNET_EPOCHS_H

#include "packet/ethernet/drops.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/ethernet/network_state.h"
#include "packet/base/member_event.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/transport/transport.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Faults that take links of an EthernetNetwork down: sees to it that packets take the detours of
 * their time (topology::Detours), and that what waits for a link that never comes back is lost. A
 * change of the routes is an event only while something is under way.
 */
class EthernetEpochs
{
  public:
    /**
     * All of these must outlive this.
     * @param state of the network
     * @param routes the ways of packets, with the detours
     * @param queues of output ports
     * @param flowControl the room in buffers
     * @param losses counts what is lost
     * @param pairs whose packets choose anew
     */
    EthernetEpochs(EthernetState& state,
                   const EthernetRoutes& routes,
                   OutputQueues& queues,
                   PriorityFlowControl& flowControl,
                   EthernetLosses& losses,
                   QueuePairs& pairs)
        : m_state(state), m_routes(routes), m_queues(queues), m_flowControl(flowControl),
          m_losses(losses), m_pairs(pairs)
    {
    }

    EthernetEpochs(const EthernetEpochs&) = delete;
    EthernetEpochs& operator=(const EthernetEpochs&) = delete;

    /// A message is about to start: sees to it that the next change is an event. Nothing without
    /// detours.
    void
    Await()
    {
        if (m_routes.GetDetours() != nullptr)
        {
            AwaitNext();
        }
    }

    /// This is one part of a split network. Nobody here knows what is under way elsewhere: each
    /// part goes through all epochs.
    void
    GoThroughAll()
    {
        m_all = true;
        Await();
    }

  private:
    /// @copydoc Await
    void AwaitNext();

    /**
     * Other links are down from now on.
     * @param epoch of the detours
     */
    void Begin(std::uint32_t epoch);

    /**
     * @return whether the links that are down concern anything that is under way
     */
    bool IsBusy() const;

    /**
     * A link is down for ever: what waits for it is lost, what waits because of it goes on.
     * @param number of its port
     */
    void Bury(std::uint32_t number);

    /**
     * The same for data.
     * @param number of the port
     * @param trafficClass in which it waits
     */
    void BuryData(std::uint32_t number, std::uint32_t trafficClass);

    EthernetState& m_state;                                  ///< ports and packets
    const EthernetRoutes& m_routes;                          ///< the ways of packets
    OutputQueues& m_queues;                                  ///< of output ports
    PriorityFlowControl& m_flowControl;                      ///< the room in buffers
    EthernetLosses& m_losses;                                ///< counts what is lost
    QueuePairs& m_pairs;                                     ///< whose packets choose anew
    std::size_t m_epoch = 0;                                 ///< of the detours
    bool m_isAwaited = false;                                ///< its end is an event
    bool m_all = false;                                      ///< of a split network
    MemberEvent<&EthernetEpochs::Begin> m_beginEvent{*this}; ///< of the detours
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_EPOCHS_H */
