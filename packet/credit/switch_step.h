/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_MOVER_H
#define NPU_PACKET_MOVER_H

#include "packet/credit/credit_boundary.h"
#include "packet/base/member_event.h"
#include "packet/credit/arbiter.h"
#include "packet/credit/statistics.h"
#include "packet/credit/link_transmission.h"
#include "packet/credit/network_state.h"
#include "packet/credit/deferred_notifications.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/next_hop.h"

#include "engine/event_queue.h"
#include "topology/network_description.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The step of a PacketMachine: a port decides, a packet crosses its link, joins the queue of its
 * next hop, and sends credit back. When ports decide is PortAgenda's; what drives them, by events
 * or window by window, calls DecideIfDue().
 *
 * Parts of the network may do so at the same time, each for its own ports (PacketState::partMask):
 * what they do to one another is kept as mail, until OpenMail().
 */
class PacketMover
{
  public:
    /**
     * @param description the network, which was checked; must outlive this
     * @param route its routes
     * @param queue the simulation's events; must outlive this
     * @param handlers are told of messages; must outlive this
     * @param turn handles the event of all ports; must outlive this
     */
    PacketMover(const topology::NetworkDescription& description,
                RouteFunction route,
                engine::EventQueue& queue,
                const MessageHandlers& handlers,
                engine::EventHandler& turn);

    /// @return ports, queues, packets and messages
    PacketState&
    State()
    {
        return m_state;
    }

    /// @return what is counted of ports
    PacketCounts&
    Counts()
    {
        return m_counts;
    }

    /// @return finds ways, where there are several
    WayFinder&
    Finder()
    {
        return m_finder;
    }

    /// @return what ports have to tell
    PartNews&
    News()
    {
        return m_news;
    }

    /// @return when ports decide
    PortAgenda&
    Agenda()
    {
        return m_agenda;
    }

    /**
     * @param steady hears of what happens at ports that it watches; null for nobody
     */
    void
    SetSteady(SteadyTraffic* steady)
    {
        m_steady = steady;
        m_news.SetSteady(steady);
    }

    /**
     * @param border between the parts of a split network; null where it is whole
     */
    void
    SetBorder(BorderTraffic* border)
    {
        m_border = border;
    }

    /**
     * A message starts.
     * @param message its place; it knows its first hop
     */
    void Start(std::uint32_t message);

    /**
     * A message waits for its turn where its next packet starts, from now on.
     * @param message its place, in no turn list
     */
    void AwaitTurn(std::uint32_t message);

    /**
     * @param portNumber a port that decides, unless its wish was taken back
     * @param now in picoseconds
     */
    void
    DecideIfDue(std::uint32_t portNumber, std::int64_t now)
    {
        PacketPort& port = m_state.ports[portNumber];
        if (port.wake == now)
        {
            port.wake = NEVER;
            const std::int64_t before = port.packets;
            Decide(portNumber, now);
            m_state.PartOf(port).handled += static_cast<std::uint64_t>(port.packets - before);
        }
    }

    /**
     * Gives those their second chance that have left an input to others.
     * @param part in which they are
     * @param now in picoseconds
     */
    void
    DecideAgain(PacketPart& part, std::int64_t now)
    {
        for (const std::uint32_t port : part.again)
        {
            DecideAgain(port, now);
        }
        part.again.clear();
    }

    /**
     * Finds out when a port has to decide next, and sets its wake or its `waiting` bits.
     * @param portNumber the port
     * @param from in picoseconds; no decision before it
     */
    void PlanWake(std::uint32_t portNumber, std::int64_t from);

    /**
     * A packet is on a link to a node that is not its destination.
     * @param portNumber of the link
     * @param place of the packet, whose hop is that link still
     * @param crossing how it crosses the link
     * @param number of the packet on the link
     */
    void GoOn(std::uint32_t portNumber,
              std::uint32_t place,
              const Crossing& crossing,
              std::int64_t number);

    /**
     * Puts a packet into the queue of its next hop, where it will be at packet.ready.
     * @param place of the packet
     */
    void Push(std::uint32_t place);

    /**
     * A packet is on its last link.
     * @param port of the link
     * @param message that it belongs to
     * @param last whether it is the last of the message
     * @param arrival when it will be in, in picoseconds
     */
    void Arrive(const PacketPort& port, std::uint32_t message, bool last, std::int64_t arrival);

    /**
     * Credit of a port is on its way back, and the port is in this part of a split network.
     * @param credit and for whom it is
     */
    void TakeCredit(const MailedCredit& credit);

    /**
     * What other parts have sent to one of them.
     * @param number of the part
     */
    void OpenMail(std::uint32_t number);

  private:
    /**
     * An event of a port is due.
     * @param portNumber the port
     */
    void Wake(std::uint32_t portNumber);

    /**
     * A port chooses, if it is idle, and plans its next wake.
     * @param portNumber the port
     * @param now in picoseconds
     */
    void Decide(std::uint32_t portNumber, std::int64_t now);

    /**
     * A port that left an input to others has its second chance.
     * @param portNumber the port
     */
    void WakeAgain(std::uint32_t portNumber);

    /// @copydoc Decide
    /// Others have chosen already.
    void DecideAgain(std::uint32_t portNumber, std::int64_t now);

    /**
     * Limited speed-up: lets a port decide again when all others have at this instant.
     * @param portNumber the port
     */
    void AwaitSecondChance(std::uint32_t portNumber);

    /**
     * Puts the head of a queue on the link, with everything that follows from it.
     * @param portNumber the port
     * @param queueNumber a queue of the port
     * @param now in picoseconds
     */
    void Transmit(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now);

    /**
     * Makes the next packet of the message whose turn it is.
     * @param queueNumber a queue of messages
     * @param now in picoseconds
     * @param end when the packet has left
     * @return the packet
     */
    std::uint32_t CutPacket(std::uint32_t queueNumber, std::int64_t now, std::int64_t end);

    /**
     * The last packet of a message has started.
     * @param port at which it has
     * @param message its place, in no turn list
     * @param end when the packet has left
     */
    void EndSource(const PacketPort& port, std::uint32_t message, std::int64_t end);

    /**
     * Takes the head out of a queue and sends its credit back.
     * @param port of the queue
     * @param queueNumber a queue of packets
     * @param end when the packet has left
     * @return the packet
     */
    std::uint32_t PopPacket(PacketPort& port, std::uint32_t queueNumber, std::int64_t end);

    /**
     * Credit of a port is on its way back.
     * @param credit and for whom it is
     */
    void ReturnCredit(const MailedCredit& credit);

    /**
     * GoOn() where every pair of NPUs has one path.
     * @param from the port of the link
     * @param place of the packet
     * @param crossing how it crosses the link
     */
    void GoOnByRoute(const PacketPort& from, std::uint32_t place, const Crossing& crossing);

    /**
     * Multi-path routing: a packet chooses its next hop, and joins the queue of it.
     * @param place of the packet
     */
    void PacketIn(std::uint32_t place);

    // Side by side, so that a step finds them without a detour.
    PacketState m_state;                                ///< ports, queues, packets and messages
    PacketLinks m_links;                                ///< how packets cross the links
    PacketCounts m_counts;                              ///< what is counted of ports
    WayFinder m_finder;                                 ///< finds ways, where there are several
    PacketArbiter m_arbiter;                            ///< which head goes
    MemberEvent<&PacketMover::Wake> m_wakeEvent{*this}; ///< of ports
    MemberEvent<&PacketMover::WakeAgain> m_againEvent{*this};   ///< of ports
    MemberEvent<&PacketMover::PacketIn> m_packetInEvent{*this}; ///< of multi-path routing
    PortAgenda m_agenda;                                        ///< when ports decide
    SteadyTraffic* m_steady = nullptr;                          ///< packet trains, or null
    BorderTraffic* m_border = nullptr;                          ///< where the network is split
    PartNews m_news;                                            ///< what ports have to tell
};

} // namespace npunet::packet

#endif /* NPU_PACKET_MOVER_H */
