/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_STATE_H
#define NPU_PACKET_STATE_H

#include "packet/base/credit_account.h"
#include "packet/credit/input_speedup.h"
#include "packet/base/message_table.h"
#include "packet/base/packet_classes.h"
#include "packet/base/packet_observer.h"
#include "packet/credit/thread_partition.h"
#include "packet/base/packet_pool.h"
#include "packet/routing/credit_port.h"
#include "packet/base/voq.h"
#include "packet/routing/packet_path.h"
#include "packet/credit/voq_masks.h"
#include "packet/routing/route_plan.h"

#include "base/quantities.h"
#include "engine/event_queue.h"
#include "engine/link_load.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What decides how the packets of a PacketMachine go on: ports, queues, credits, turns, packets and
 * messages. The machine moves them packet by packet; SteadyTraffic moves those that repeat
 * themselves by whole periods.
 */
struct PacketState
{
    /**
     * @param description the network; must outlive the state
     * @param route the routes
     * @param queue the simulation's events; must outlive the state
     */
    PacketState(const topology::NetworkDescription& description,
                RouteFunction route,
                engine::EventQueue& queue)
        : events(queue), mtu(description.packet.mtu.value()),
          header(description.packet.header.value()), fullWire(WireBytes(mtu)),
          oldest(description.packet.arbitration == topology::Arbitration::Oldest),
          several(description.packet.classes.count > 1),
          channels(std::uint32_t{description.virtual_channels()} *
                   description.packet.classes.count),
          plan(description.graph,
               std::move(route),
               channels,
               std::uint32_t{description.packet.classes.count}),
          ports(description.graph.links()), queues(plan.FirstQueue(description.graph.links())),
          credits(description.graph.links() * channels),
          turns(description.graph.links() * channels),
          reads(description.graph.links(), description.packet.speedup),
          classes(
              description.packet.classes, description.virtual_channels(), description.graph.links())
    {
    }

    /**
     * @param port number of the port
     * @param channel virtual channel
     * @return what may be sent there
     */
    CreditAccount&
    Credit(std::uint32_t port, std::uint32_t channel)
    {
        return credits[port * channels + channel];
    }

    /**
     * @param payload bytes of a message in a packet
     * @return bytes of the packet
     */
    std::uint32_t
    WireBytes(std::int64_t payload) const
    {
        const std::int64_t bytes = payload + header;
        return static_cast<std::uint32_t>(bytes > 0 ? bytes : 1);
    }

    /**
     * @param bytes payload of a message
     * @return how many packets it is
     */
    std::int64_t
    PacketsOf(std::int64_t bytes) const
    {
        return std::max<std::int64_t>((bytes + mtu - 1) / mtu, 1);
    }

    /**
     * @return what must be in of a packet before it can be passed on
     */
    std::uint32_t
    HeaderBytes() const
    {
        return header > 0 ? static_cast<std::uint32_t>(header) : 1;
    }

    /**
     * @return until when everything has happened: the clock, or, where nodes go on alone, the start
     *         of the window, in picoseconds
     */
    std::int64_t
    Present() const
    {
        return inWindow ? windowFrom : events.now().ps();
    }

    /**
     * The source of a message has sent some of it.
     * @param message the message
     * @param payload bytes
     * @param part of the network that the source is in
     */
    void
    CountSent(MessageRecord& message, std::int64_t payload, PacketPart& part) const
    {
        const bool wasFar = message.remaining > lastBytes;
        message.remaining -= payload;
        part.nearEnd += wasFar && message.wantsSent && message.remaining <= lastBytes ? 1 : 0;
    }

    /**
     * @param port a port
     * @return number of the part in which its packets go on; 0 unless parts go on at the same time
     */
    std::uint32_t
    PartNumber(const PacketPort& port) const
    {
        return port.part & partMask;
    }

    /**
     * @param port a port
     * @return the part in which its packets go on
     */
    PacketPart&
    PartOf(const PacketPort& port)
    {
        return parts[PartNumber(port)];
    }

    /**
     * @param port number of the port
     * @param channel virtual channel
     * @return the messages that start there
     */
    TurnList&
    Turns(std::uint32_t port, std::uint32_t channel)
    {
        return turns[port * channels + channel];
    }

    /**
     * @param queue that is not empty
     * @return the message of its head
     */
    const MessageRecord&
    MessageOfHead(const VirtualQueue& queue)
    {
        return messages[queue.upstream == NONE ? queue.head : packets[queue.head].message];
    }

    /**
     * Writes down in its queue what the port must know of the head.
     * @param queue a queue of packets that is not empty
     */
    void
    ShowHead(VirtualQueue& queue)
    {
        const QueuedPacket& packet = packets[queue.head];
        queue.ready = packet.ready;
        queue.wire = WireBytes(packet.payload);
        queue.channel = plan[packet.hop].channel;
    }

    /**
     * Writes down in its queue whose turn it is.
     * @param queueNumber a queue of messages
     */
    void ShowTurn(std::uint32_t queueNumber);

    /**
     * Parts go on at the same time.
     * @param from a port
     * @param to a port of another part
     * @return what goes from the one part to the other
     */
    PartMail&
    MailTo(const PacketPort& from, const PacketPort& to)
    {
        return parts[from.part].mail[to.part];
    }

    engine::EventQueue& events; ///< the simulation's events
    std::int64_t mtu;           ///< payload bytes of a full packet
    std::int64_t header;        ///< bytes besides the payload
    /// A packet that starts later could end beyond the clock, in picoseconds.
    std::int64_t lastStart = Time::max().ps();
    std::uint32_t fullWire;             ///< bytes of a full packet
    bool oldest;                        ///< oldest first
    bool several;                       ///< there are traffic classes
    std::uint32_t channels;             ///< of every link, for all classes
    RoutePlan plan;                     ///< routes as ports and queues
    std::vector<PacketPort> ports;      ///< by link
    std::vector<VirtualQueue> queues;   ///< of all ports
    QueueMasks filled;                  ///< which queues are not empty
    std::vector<CreditAccount> credits; ///< by link and virtual channel
    std::vector<TurnList> turns;        ///< by link and virtual channel
    PacketPool packets;                 ///< packets under way
    InputReads reads;                   ///< packets that leave inputs
    PacketClasses classes;              ///< traffic classes
    MessageTable messages;              ///< messages under way
    PacketWays ways;                    ///< of multi-path routing
    std::vector<PacketPart> parts{1};   ///< the first one alone where all is one part
    std::uint32_t partMask = 0;         ///< all bits set while parts go on at the same time
    bool inWindow = false;              ///< nodes go on alone
    std::int64_t windowFrom = 0;        ///< since then, in picoseconds
    std::int64_t lastBytes = 0;         ///< with so many left a message may end in a window
    std::uint32_t nearEnd = 0; ///< messages whose end somebody is told of, with so many left
    /// Hears of links that are sending; null for nobody.
    engine::LinkLoadRecorder* load = nullptr;
    PacketObserver* observer = nullptr; ///< hears of packets; null for nobody
};

inline void
PacketState::ShowTurn(std::uint32_t queueNumber)
{
    VirtualQueue& queue = queues[queueNumber];
    const PacketPort& port = ports[queue.tail];
    queue.head = messages.Turn(Turns(queue.tail, queue.channel));
    if (queue.head == NONE)
    {
        filled.Clear(port, queueNumber);
        return;
    }
    filled.Set(port, queueNumber);
    queue.wire = WireBytes(std::min(messages[queue.head].remaining, mtu));
}

} // namespace npunet::packet

#endif /* NPU_PACKET_STATE_H */
