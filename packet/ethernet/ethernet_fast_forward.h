/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_PERIODS_H
#define NPU_ETHERNET_PERIODS_H

#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/network_state.h"
#include "packet/transport/periodic_transport.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/transport/transport.h"

#include "engine/event_queue.h"
#include "engine/state_scan.h"
#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * An EthernetNetwork as its packet trains see it (EthernetTrains), where they are possible: goes
 * through its state, and moves it on by periods.
 */
class EthernetPeriods final : private EthernetTrainsHost
{
  public:
    /**
     * All of these must outlive this.
     * @param description the network
     * @param queue the simulation's events
     * @param state of the network
     * @param links how packets cross them
     * @param agenda when ports choose
     * @param flowControl the room in buffers
     * @param marks which packets are marked
     * @param queues of output ports
     * @param pairs the transport
     */
    EthernetPeriods(const topology::NetworkDescription& description,
                    engine::EventQueue& queue,
                    EthernetState& state,
                    const EthernetLinks& links,
                    EthernetAgenda& agenda,
                    PriorityFlowControl& flowControl,
                    EcnMarks& marks,
                    const OutputQueues& queues,
                    QueuePairs& pairs);

    EthernetPeriods(const EthernetPeriods&) = delete;
    EthernetPeriods& operator=(const EthernetPeriods&) = delete;

    /**
     * @param wanted whether there shall be trains, where they are possible; there are
     */
    void SetTrains(bool wanted);

    /// The network is split: there are no trains any more.
    void Split();

    /// Brings the network up to the present.
    void Settle();

    /// EthernetState::observer is another one.
    void ObserverChanges();

    /// A message is about to begin, or ends.
    void MessagesChange();

    /**
     * Data starts at its source.
     * @param number of the port
     * @param pair number of its queue pair
     * @param now in picoseconds
     * @param end when it has left, in picoseconds
     */
    void
    PacketStarts(std::uint32_t number, std::uint32_t pair, std::int64_t now, std::int64_t end)
    {
        if (now >= m_watchFrom && (m_watched == number || m_watched == ANY_PORT))
        {
            m_trains->PacketStarts(number, m_pairs.GetPairs()[pair].Unsent(), now, end);
        }
    }

  private:
    void Watch(std::uint32_t port, std::int64_t from) override;
    std::size_t CollectFlows() override;
    void Scan(engine::StateScan& scan) override;
    std::int64_t PeriodsLeft(const engine::StateSample& earlier,
                             const engine::StateSample& present) const override;
    void NoteTimers(bool wanted) override;
    void StandStill() override;
    void GoOn(const engine::StateSample& earlier,
              engine::StateSample& present,
              std::int64_t periods,
              engine::EventKey until) override;

    /**
     * @return whether there can be trains: nothing is kept for every packet that would have to be
     *         moved on, too
     */
    bool ArePossible() const;

    /**
     * @param scan of the whole network
     * @param number of a port
     */
    void ScanPort(engine::StateScan& scan, std::uint32_t number);

    /**
     * @param scan of the whole network
     * @param line of packets
     */
    void ScanLine(engine::StateScan& scan, const PacketLine& line);

    /**
     * Other events are the network's from now on; what is pending is scheduled there.
     * @param queue of them
     */
    void UseQueue(engine::EventQueue& queue);

    const topology::NetworkDescription& m_description; ///< the network
    engine::EventQueue& m_simulation;                  ///< the simulation's events
    EthernetState& m_state;                            ///< ports and packets
    const EthernetLinks& m_links;                      ///< how packets cross them
    EthernetAgenda& m_agenda;                          ///< when ports choose
    PriorityFlowControl& m_flowControl;                ///< the room in buffers
    EcnMarks& m_marks;                                 ///< which packets are marked
    const OutputQueues& m_queues;                      ///< of output ports
    QueuePairs& m_pairs;                               ///< the transport
    std::unique_ptr<EthernetTrains> m_trains;          ///< null: packet by packet
    bool m_isSplit = false;                            ///< the network is
    std::uint32_t m_watched = NONE;                    ///< whose packets m_trains hears of
    std::int64_t m_watchFrom = 0;                      ///< from when on, in picoseconds
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_PERIODS_H */
