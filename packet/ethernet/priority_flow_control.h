/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PRIORITY_FLOW_CONTROL_H
#define NPU_PRIORITY_FLOW_CONTROL_H

#include "packet/ethernet/port_schedule.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/shared_buffer.h"

#include "engine/state_scan.h"
#include "topology/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The room in the nodes' buffers (SharedBuffer) and the requests that go with it: a node that is
 * short of room asks the other end of a link to pause a class, and to go on later (IEEE 802.1Qbb).
 * Without pauses what finds no room is lost.
 */
class PriorityFlowControl
{
  public:
    /**
     * @param description the network
     * @param state of the network, whose ports learn of their links back; must outlive this
     * @param agenda wakes ports; must outlive this
     *
     * Throws InputError where a link that may have to pause has no link back.
     */
    PriorityFlowControl(const topology::NetworkDescription& description,
                        EthernetState& state,
                        EthernetAgenda& agenda);

    PriorityFlowControl(const PriorityFlowControl&) = delete;
    PriorityFlowControl& operator=(const PriorityFlowControl&) = delete;

    /**
     * @return whether nodes ask for pauses
     */
    bool
    Pauses() const
    {
        return m_pauses;
    }

    /**
     * Data comes to a node.
     * @param packet the data
     * @param node the node
     * @param queued bytes that wait for its output in its class
     * @return what becomes of it; where the link by which it came has to pause, AskToPause() is to
     *         be called when it has joined its queue
     */
    SharedBuffer::Verdict
    Take(const EthernetPacket& packet, std::uint32_t node, std::int64_t queued)
    {
        if (m_pauses)
        {
            return m_buffer.TakeOrPause(node, packet.input, packet.trafficClass, packet.wire);
        }
        return m_buffer.TakeOrDrop(node, queued, packet.wire) ? SharedBuffer::Verdict::TAKEN
                                                              : SharedBuffer::Verdict::DROPPED;
    }

    /**
     * What a port has sent leaves the buffer of its node.
     * @param port the port
     */
    void
    Release(EthernetPort& port)
    {
        if (port.leavingInput == NONE)
        {
            return;
        }
        const std::uint32_t input = port.leavingInput;
        port.leavingInput = NONE;
        FreeRoom(port.node, input, port.leavingClass, port.leavingBytes);
    }

    /**
     * A packet that had come by a link has left a node.
     * @param node the node
     * @param input the link
     * @param trafficClass of the packet
     * @param bytes of it when it came
     */
    void
    FreeRoom(std::uint32_t node, std::uint32_t input, std::uint8_t trafficClass, std::int64_t bytes)
    {
        if (!m_pauses)
        {
            m_buffer.Release(node, bytes);
        }
        else if (m_buffer.ReleaseAndResume(node, input, trafficClass, bytes))
        {
            Ask(input, PacketKind::RESUME, trafficClass);
        }
    }

    /**
     * @param link by which too much has come
     * @param trafficClass which is meant
     */
    void
    AskToPause(std::uint32_t link, std::uint8_t trafficClass)
    {
        Ask(link, PacketKind::PAUSE, trafficClass);
    }

    /**
     * A request to pause or to go on is in.
     * @param link by which it came
     * @param packet the request
     */
    void Heed(std::uint32_t link, const EthernetPacket& packet);

    /**
     * A link is down for ever: nobody could take back what its node has asked for, and so the other
     * end goes on.
     * @param link the link
     */
    void Forget(std::uint32_t link);

    /**
     * @param scan of the whole network
     */
    void
    Scan(engine::StateScan& scan)
    {
        m_buffer.Scan(scan);
    }

  private:
    /**
     * @param description the network
     * @param state of the network, whose ports learn of their links back
     * @param agenda wakes ports
     * @param back by link: the link back, or NONE
     */
    PriorityFlowControl(const topology::NetworkDescription& description,
                        EthernetState& state,
                        EthernetAgenda& agenda,
                        const std::vector<std::uint32_t>& back);

    /**
     * Asks the other end of a link to pause, or to go on, or takes the opposite back.
     * @param link the link
     * @param kind PAUSE or RESUME
     * @param trafficClass which is meant
     */
    void Ask(std::uint32_t link, PacketKind kind, std::uint8_t trafficClass);

    /**
     * Tells the observer that a port pauses, or goes on.
     * @param number of the port
     * @param trafficClass which is meant
     * @param paused whether it pauses
     */
    void Tell(std::uint32_t number, std::uint8_t trafficClass, bool paused);

    /**
     * A port may send in all classes again.
     * @param number of the port
     */
    void EndPause(std::uint32_t number);

    EthernetState& m_state;   ///< ports and packets
    EthernetAgenda& m_agenda; ///< wakes ports
    bool m_pauses;            ///< else packets are dropped
    SharedBuffer m_buffer;    ///< of all nodes
};

} // namespace npunet::packet

#endif /* NPU_PRIORITY_FLOW_CONTROL_H */
