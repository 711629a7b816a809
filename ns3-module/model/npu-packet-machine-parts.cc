/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How the packet machine lets parts of the network go on at the same time.
//
// In a window of the shortest latency no node feels what happens at another one, so that threads
// share the nodes. What a node does to one of another thread - packets, credits - is kept until the
// window is over; it counts later anyway. So are the events for the simulation's queue.

#include "npu-packet-machine.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet
{

namespace
{

/// Parts are told apart as long as it lives, also when an exception ends that.
class AtTheSameTime
{
  public:
    /**
     * @param mask of the numbers of parts
     */
    explicit AtTheSameTime(std::uint32_t& mask) : m_mask(mask)
    {
        m_mask = PacketPort::MOST_PARTS - 1;
    }

    ~AtTheSameTime()
    {
        m_mask = 0;
    }

    AtTheSameTime(const AtTheSameTime&) = delete;
    AtTheSameTime& operator=(const AtTheSameTime&) = delete;

  private:
    std::uint32_t& m_mask; ///< of the numbers of parts
};

} // namespace

void
PacketMachine::SetThreads(std::size_t threads, std::uint64_t leastPackets)
{
    m_threads = std::min<std::size_t>(std::max<std::size_t>(threads, 1), PacketPort::MOST_PARTS);
    m_leastPackets = leastPackets;
    ChooseGait();
}

void
PacketMachine::DivideNodes()
{
    const std::uint32_t parts = m_windows ? m_windows->Parts() : 1;
    m_crew.reset(parts > 1 ? new ThreadCrew(parts) : nullptr);
    m_packets.SetParts(parts);
    m_parts.assign(parts, PacketPart());
    for (PacketPart& part : m_parts)
    {
        part.mail.resize(parts);
    }
    const topology::Graph& graph = m_plan.GetGraph();
    for (std::size_t port = 0; port < m_ports.size(); ++port)
    {
        const auto node = static_cast<std::uint32_t>(graph.link(LinkId(port)).from.index());
        m_ports[port].part =
            (m_windows ? m_windows->PartOf(node) : 0) & (PacketPort::MOST_PARTS - 1);
    }
}

bool
PacketMachine::PartsMayGoOn(std::int64_t from, std::int64_t limit) const
{
    // Ports that are watched or stand still depend on each other wherever they are.
    return m_crew && m_lastPackets >= m_leastPackets && limit > from + 1 && limit <= m_lastStart &&
           (!m_steady || m_steady->IsQuiet());
}

void
PacketMachine::GoOnInParts(std::int64_t limit)
{
    const AtTheSameTime atTheSameTime(m_partMask);
    m_crew->run(m_parts.size(), [&](std::size_t part) {
        m_windows->ForEachDue(static_cast<std::uint32_t>(part), limit, [&](std::uint32_t node) {
            GoOnAlone(node, limit);
        });
    });
    std::size_t mailed = 0;
    for (const PacketPart& part : m_parts)
    {
        for (const PartMail& mail : part.mail)
        {
            mailed += mail.packets.size() + mail.credits.size();
        }
    }
    if (mailed < m_leastPackets)
    {
        for (std::uint32_t part = 0; part < m_parts.size(); ++part)
        {
            OpenMail(part);
        }
        return;
    }
    m_crew->run(m_parts.size(),
                [&](std::size_t part) { OpenMail(static_cast<std::uint32_t>(part)); });
}

void
PacketMachine::OpenMail(std::uint32_t number)
{
    for (PacketPart& sender : m_parts)
    {
        PartMail& mail = sender.mail[number];
        for (const std::uint32_t place : mail.packets)
        {
            PushPacket(place);
        }
        for (const MailedCredit& credit : mail.credits)
        {
            ReturnCredit(credit);
        }
        mail.packets.clear();
        mail.credits.clear();
    }
}

std::uint64_t
PacketMachine::Gather()
{
    std::uint64_t packets = 0;
    for (PacketPart& part : m_parts)
    {
        m_nearEnd += part.nearEnd;
        packets += part.handled;
        part.nearEnd = 0;
        part.handled = 0;
        for (const MessageEvent& event : part.events)
        {
            Schedule(event);
        }
        for (const MailedLook& look : part.looks)
        {
            m_steady->PacketStarts(look.port, look.start, look.end);
        }
        part.events.clear();
        part.looks.clear();
    }
    m_queue.count_handled(packets);
    return packets;
}

void
PacketMachine::Announce(const PacketPort& port, const MessageEvent& event)
{
    if (m_partMask != 0)
    {
        PartOf(port).events.push_back(event);
        return;
    }
    Schedule(event);
}

void
PacketMachine::LookAtStart(std::uint32_t portNumber, std::int64_t now, std::int64_t end)
{
    if (m_partMask == 0)
    {
        m_steady->PacketStarts(portNumber, now, end);
    }
    else if (now >= m_steady->LookFrom(portNumber))
    {
        m_ports[portNumber].look = 0;
        PartOf(m_ports[portNumber]).looks.push_back({now, end, portNumber});
    }
}

} // namespace npunet::packet
