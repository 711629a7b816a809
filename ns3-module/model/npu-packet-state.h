/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_STATE_H
#define NPU_PACKET_STATE_H

#include "npu-credit-account.h"
#include "npu-input-reads.h"
#include "npu-message-table.h"
#include "npu-packet-classes.h"
#include "npu-packet-part.h"
#include "npu-packet-pool.h"
#include "npu-packet-port.h"
#include "npu-packet-queues.h"
#include "npu-route-plan.h"

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
class PacketState
{
  protected:
    friend class SteadyTraffic;
    friend class TrafficSample;

    /**
     * @param description the network; must outlive the state
     * @param route the routes
     * @param queue the simulation's events; must outlive the state
     */
    PacketState(const topology::NetworkDescription& description,
                RouteFunction route,
                engine::EventQueue& queue)
        : m_queue(queue), m_mtu(description.packet.mtu.value()),
          m_header(description.packet.header.value()), m_fullWire(WireBytes(m_mtu)),
          m_oldest(description.packet.arbitration == topology::Arbitration::Oldest),
          m_several(description.packet.classes.count > 1),
          m_channels(std::uint32_t{description.virtual_channels()} *
                     description.packet.classes.count),
          m_plan(description.graph,
                 std::move(route),
                 m_channels,
                 std::uint32_t{description.packet.classes.count}),
          m_ports(description.graph.links()),
          m_queues(m_plan.FirstQueue(description.graph.links())),
          m_credits(description.graph.links() * m_channels),
          m_turns(description.graph.links() * m_channels),
          m_reads(description.graph.links(), description.packet.speedup),
          m_classes(
              description.packet.classes, description.virtual_channels(), description.graph.links())
    {
    }

    ~PacketState() = default;

    /**
     * @param port number of the port
     * @param channel virtual channel
     * @return what may be sent there
     */
    CreditAccount&
    Credit(std::uint32_t port, std::uint32_t channel)
    {
        return m_credits[port * m_channels + channel];
    }

    /**
     * @param payload bytes of a message in a packet
     * @return bytes of the packet
     */
    std::uint32_t
    WireBytes(std::int64_t payload) const
    {
        const std::int64_t bytes = payload + m_header;
        return static_cast<std::uint32_t>(bytes > 0 ? bytes : 1);
    }

    /**
     * @param bytes payload of a message
     * @return how many packets it is
     */
    std::int64_t
    PacketsOf(std::int64_t bytes) const
    {
        return std::max<std::int64_t>((bytes + m_mtu - 1) / m_mtu, 1);
    }

    /**
     * Calls a function for every non-empty queue of a port, cyclically.
     * @param port the port
     * @param first the queue to begin with, from 0
     * @param function of the queue's number; true ends the round
     */
    template <class Function>
    void ForEachQueue(const PacketPort& port, std::uint32_t first, Function function);

    /**
     * @return what must be in of a packet before it can be passed on
     */
    std::uint32_t
    HeaderBytes() const
    {
        return m_header > 0 ? static_cast<std::uint32_t>(m_header) : 1;
    }

    /**
     * @return until when everything has happened: the clock, or, where nodes go on alone, the start
     *         of the window, in picoseconds
     */
    std::int64_t
    Present() const
    {
        return m_inWindow ? m_windowFrom : m_queue.now().ps();
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
        const bool wasFar = message.remaining > m_lastBytes;
        message.remaining -= payload;
        part.nearEnd += wasFar && message.wantsSent && message.remaining <= m_lastBytes ? 1 : 0;
    }

    /**
     * @param port a port
     * @return number of the part in which its packets go on; 0 unless parts go on at the same time
     */
    std::uint32_t
    PartNumber(const PacketPort& port) const
    {
        return port.part & m_partMask;
    }

    /**
     * @param port a port
     * @return the part in which its packets go on
     */
    PacketPart&
    PartOf(const PacketPort& port)
    {
        return m_parts[PartNumber(port)];
    }

    engine::EventQueue& m_queue; ///< the simulation's events
    std::int64_t m_mtu;          ///< payload bytes of a full packet
    std::int64_t m_header;       ///< bytes besides the payload
    /// A packet that starts later could end beyond the clock, in picoseconds.
    std::int64_t m_lastStart = Time::max().ps();
    std::uint32_t m_fullWire;             ///< bytes of a full packet
    bool m_oldest;                        ///< oldest first
    bool m_several;                       ///< there are traffic classes
    std::uint32_t m_channels;             ///< of every link, for all classes
    RoutePlan m_plan;                     ///< routes as ports and queues
    std::vector<PacketPort> m_ports;      ///< by link
    std::vector<VirtualQueue> m_queues;   ///< of all ports
    std::vector<std::uint64_t> m_masks;   ///< a bit per queue: it is not empty
    std::vector<CreditAccount> m_credits; ///< by link and virtual channel
    std::vector<TurnList> m_turns;        ///< by link and virtual channel
    PacketPool m_packets;                 ///< packets under way
    InputReads m_reads;                   ///< packets that leave inputs
    PacketClasses m_classes;              ///< traffic classes
    MessageTable m_messages;              ///< messages under way
    std::vector<PacketPart> m_parts{1};   ///< the first one alone where all is one part
    std::uint32_t m_partMask = 0;         ///< all bits set while parts go on at the same time
    bool m_inWindow = false;              ///< nodes go on alone
    std::int64_t m_windowFrom = 0;        ///< since then, in picoseconds
    std::int64_t m_lastBytes = 0;         ///< with so many left a message may end in a window
    engine::LinkLoadRecorder* m_load = nullptr; ///< hears of links that are sending
    std::uint32_t m_nearEnd = 0; ///< messages whose end somebody is told of, with so many left
};

template <class Function>
inline void
PacketState::ForEachQueue(const PacketPort& port, std::uint32_t first, Function function)
{
    const std::uint64_t* masks = &m_masks[port.firstMask];
    const std::uint32_t words = (port.queues + 63) / 64;
    if (words == 1)
    {
        const std::uint64_t fromTurn = masks[0] & ~std::uint64_t{0} << first;
        for (std::uint64_t bits : {fromTurn, masks[0] & ~fromTurn})
        {
            for (; bits != 0; bits &= bits - 1)
            {
                if (function(port.firstQueue + static_cast<std::uint32_t>(__builtin_ctzll(bits))))
                {
                    return;
                }
            }
        }
        return;
    }
    const std::uint32_t firstWord = first / 64;
    const std::uint64_t fromFirst = ~std::uint64_t{0} << (first % 64);
    std::uint32_t word = firstWord;
    std::uint64_t bits = masks[word] & fromFirst;
    for (std::uint32_t round = 0;; ++round)
    {
        for (; bits != 0; bits &= bits - 1)
        {
            const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(bits));
            if (function(port.firstQueue + word * 64 + bit))
            {
                return;
            }
        }
        if (round == words)
        {
            return;
        }
        word = word + 1 == words ? 0 : word + 1;
        bits = round + 1 == words ? masks[word] & ~fromFirst : masks[word];
    }
}

} // namespace npunet::packet

#endif /* NPU_PACKET_STATE_H */
