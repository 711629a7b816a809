/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/ingress.h"

namespace npunet::packet
{

namespace
{

/**
 * @param description the network
 * @return whether switches cut the payload off instead of dropping packets
 */
bool
Trims(const topology::NetworkDescription& description)
{
    const topology::CongestionControlChoice& choice = description.packet.congestion_control;
    return description.packet.flow_control == topology::FlowControl::None &&
           choice.algorithm == topology::CongestionAlgorithm::ReceiverCredit &&
           topology::value_of(choice, "trimming") != 0;
}

} // namespace

EthernetIngress::EthernetIngress(const topology::NetworkDescription& description,
                                 EthernetState& state,
                                 EthernetRoutes& routes,
                                 EthernetLinks& links,
                                 EthernetAgenda& agenda,
                                 PriorityFlowControl& flowControl,
                                 EcnMarks& marks,
                                 OutputQueues& queues,
                                 EthernetLosses& losses,
                                 QueuePairs& pairs)
    : m_trims(Trims(description)), m_state(state), m_routes(routes), m_links(links),
      m_agenda(agenda), m_flowControl(flowControl), m_marks(marks), m_queues(queues),
      m_losses(losses), m_pairs(pairs)
{
}

void
EthernetIngress::Arrive(std::uint32_t link)
{
    EthernetPort& port = m_state.ports[link];
    const std::int64_t now = m_state.clock.Now();
    if (port.due != now || m_state.clock.IsStill())
    {
        return;
    }
    port.due = NEVER;
    while (port.flight.head != NONE && m_state.packets[port.flight.head].ready <= now)
    {
        Receive(port.flight.Pop(m_state.packets), link, now);
    }
    if (port.flight.head != NONE)
    {
        m_agenda.AwaitArrival(link);
    }
}

void
EthernetIngress::Receive(std::uint32_t place, std::uint32_t link, std::int64_t now)
{
    EthernetPacket& packet = m_state.packets[place];
    if (IsRequest(packet.kind))
    {
        m_flowControl.Heed(link, packet);
        m_state.packets.Free(place);
        return;
    }
    if (m_routes.IsLast(packet))
    {
        m_pairs.Receive(place);
        return;
    }
    packet.input = link;
    m_routes.GoOn(place, packet, now);
    const std::uint32_t out = m_routes.LinkOf(packet);
    packet.ready = m_links.ReadyAt(packet, out, now);
    if (IsControl(packet))
    {
        m_queues.JoinControl(out, place);
        return;
    }
    Enqueue(place, out);
}

void
EthernetIngress::Enqueue(std::uint32_t place, std::uint32_t out)
{
    EthernetPacket& packet = m_state.packets[place];
    const std::int64_t queued = m_queues.Of(out, packet.trafficClass).bytes;
    const SharedBuffer::Verdict verdict =
        m_flowControl.Take(packet, m_state.ports[out].node, queued);
    if (verdict == SharedBuffer::Verdict::DROPPED)
    {
        if (m_trims)
        {
            Trim(place, out);
            return;
        }
        m_losses.Drop(out,
                      place,
                      PacketLoss::NO_ROOM,
                      m_flowControl.Pauses() ? "for want of headroom" : "for want of room");
        return;
    }
    if (m_marks.AreWanted())
    {
        Mark(packet, out, queued);
    }
    m_queues.Join(out, place);
    // The request is a packet, too: where packets are kept may move.
    if (verdict == SharedBuffer::Verdict::TAKEN_PAUSES)
    {
        m_flowControl.AskToPause(packet.input, packet.trafficClass);
    }
}

void
EthernetIngress::Trim(std::uint32_t place, std::uint32_t out)
{
    EthernetPacket& packet = m_state.packets[place];
    m_losses.Count(out, packet.wire, PacketLoss::TRIMMED);
    packet.trimmed = true;
    packet.payload = 0;
    packet.wire = m_state.sizes.Header();
    m_queues.JoinControl(out, place);
}

void
EthernetIngress::Mark(EthernetPacket& packet, std::uint32_t out, std::int64_t queued)
{
    EthernetPort& port = m_state.ports[out];
    if (!m_marks.Marks(out, static_cast<std::uint64_t>(port.arrivals++), queued))
    {
        return;
    }
    packet.marked = 1;
    ++port.marked;
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketMarked(LinkId(std::size_t{out}), Bytes(packet.wire));
    }
}

} // namespace npunet::packet
