/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_OUTPUT_QUEUES_H
#define NPU_OUTPUT_QUEUES_H

#include "packet/ethernet/port_schedule.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/ethernet/network_state.h"
#include "packet/base/queue_histogram.h"
#include "packet/transport/transport_wire.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "topology/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What waits for output ports: requests to pause or to resume, other control packets, and data that
 * has come by other links, a queue for each port and class. What starts at a node waits in the
 * transport.
 */
class OutputQueues final : public TransportWire
{
  public:
    /**
     * @param description the network
     * @param state of the network; must outlive this
     * @param routes the ways of packets; must outlive this
     * @param agenda wakes ports; must outlive this
     */
    OutputQueues(const topology::NetworkDescription& description,
                 EthernetState& state,
                 const EthernetRoutes& routes,
                 EthernetAgenda& agenda);

    OutputQueues(const OutputQueues&) = delete;
    OutputQueues& operator=(const OutputQueues&) = delete;

    void SendControl(std::uint32_t place) override;

    void
    WakePort(std::uint32_t port, std::int64_t at) override
    {
        m_agenda.WakePort(port, at);
    }

    /**
     * A control packet joins its line.
     * @param number of the port
     * @param place of the packet
     */
    void JoinControl(std::uint32_t number, std::uint32_t place);

    /**
     * Data that has come by another link joins its queue.
     * @param number of the port
     * @param place of the data
     */
    void Join(std::uint32_t number, std::uint32_t place);

    /**
     * @param number of a port
     * @param now in picoseconds
     * @return place of a control packet that goes now, which is taken out, requests first; NONE:
     *         there is none
     */
    std::uint32_t
    TakeControl(std::uint32_t number, std::int64_t now)
    {
        EthernetPort& port = m_state.ports[number];
        if (port.requests.head != NONE)
        {
            return port.requests.Pop(m_state.packets);
        }
        if (port.control.head != NONE && m_state.packets[port.control.head].ready <= now)
        {
            return port.control.Pop(m_state.packets);
        }
        return NONE;
    }

    /**
     * @param number of a port
     * @param trafficClass a class
     * @param now in picoseconds
     * @return whether data of the class may leave
     */
    bool
    HasData(std::uint32_t number, std::uint32_t trafficClass, std::int64_t now) const
    {
        return (m_state.ports[number].filled >> trafficClass & 1U) != 0 &&
               m_state.packets[Of(number, trafficClass).line.head].ready <= now;
    }

    /**
     * @param number of a port
     * @param trafficClass for which there is data
     * @return place of the first data of the class, which is taken out
     */
    std::uint32_t Take(std::uint32_t number, std::uint32_t trafficClass);

    /**
     * Data that Take() gave leaves by the port.
     * @param number of the port
     * @param packet the data
     * @param now in picoseconds
     */
    void
    Depart(std::uint32_t number, const EthernetPacket& packet, std::int64_t now)
    {
        EthernetPort& port = m_state.ports[number];
        port.leavingInput = packet.input;
        port.leavingClass = packet.trafficClass;
        port.leavingBytes = packet.wire;
        if (!m_histograms.empty())
        {
            m_histograms[number].Depart(now, packet.wire);
        }
    }

    /**
     * @param number of a port
     * @param trafficClass a class for which data waits
     * @return the queue
     */
    const ClassQueue&
    Of(std::uint32_t number, std::uint32_t trafficClass) const
    {
        return m_queues[number * m_state.classCount + trafficClass];
    }

    /**
     * @param number of a port
     * @param trafficClass a class
     * @return when its first data may leave, in picoseconds; NEVER: there is none
     */
    std::int64_t
    NextTime(std::uint32_t number, std::uint32_t trafficClass) const
    {
        return (m_state.ports[number].filled >> trafficClass & 1U) == 0
                   ? NEVER
                   : m_state.packets[Of(number, trafficClass).line.head].ready;
    }

    /**
     * @param node a node
     * @param trafficClass a class
     * @param input a link to the node
     * @return the first port of the node that is paused in the class while data waits there that
     *         came by the link; NONE: there is none
     */
    std::uint32_t Blocked(NodeId node, std::uint32_t trafficClass, std::uint32_t input) const;

    /**
     * @param link a link
     * @param function called as PacketLevel::ListQueued() says
     */
    void List(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) const;

    /**
     * @return whether histograms are kept
     */
    bool
    HaveHistograms() const
    {
        return !m_histograms.empty();
    }

    /**
     * @param number of a port
     * @return how long how much waited, by powers of two; empty where no histograms are kept
     */
    std::vector<Time>
    TimesOf(std::size_t number) const
    {
        return m_histograms.empty() ? std::vector<Time>() : m_histograms[number].GetTimes();
    }

  private:
    const topology::Graph& m_graph;           ///< the network
    EthernetState& m_state;                   ///< ports and packets
    const EthernetRoutes& m_routes;           ///< the ways of packets
    EthernetAgenda& m_agenda;                 ///< wakes ports
    std::vector<ClassQueue> m_queues;         ///< by link and class
    std::vector<QueueHistogram> m_histograms; ///< by link, where they are asked for
};

} // namespace npunet::packet

#endif /* NPU_OUTPUT_QUEUES_H */
