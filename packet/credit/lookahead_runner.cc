/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/lookahead_runner.h"

#include "base/quantities.h"

#include <algorithm>
#include <memory>

namespace npunet::packet
{

namespace
{

/// The ports of a node are looked through for every packet.
constexpr std::size_t MOST_PORTS = 64;
/// So are the nodes, in blocks, for every window.
constexpr std::size_t MOST_NODES = 16384;
/// After so many packets nodes stop in the middle of a window, or earlier: together with what the
/// last ones do, and between two questions of the queue, still fewer than most_between_questions.
constexpr std::uint64_t MOST_AT_ONCE = engine::EventQueue::most_between_questions / 4;

/**
 * @param graph nodes and links
 * @return the most ports of a node
 */
std::size_t
MostPorts(const topology::Graph& graph)
{
    std::size_t most = 0;
    for (std::size_t node = 0; node < graph.nodes(); ++node)
    {
        most = std::max(most, graph.links_from(NodeId(node)).size());
    }
    return most;
}

/// Sets a flag as long as it lives, also when an exception ends that.
class Flag
{
  public:
    /**
     * @param flag to be set
     */
    explicit Flag(bool& flag) : m_flag(flag)
    {
        m_flag = true;
    }

    ~Flag()
    {
        m_flag = false;
    }

    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;

  private:
    bool& m_flag; ///< that is set
};

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

WindowRunner::WindowRunner(PacketMover& mover)
    : m_state(mover.State()), m_agenda(mover.Agenda()), m_mover(mover)
{
}

void
WindowRunner::SetThreads(std::size_t threads, std::uint64_t leastPackets)
{
    m_threads = std::min<std::size_t>(std::max<std::size_t>(threads, 1), PacketPort::MOST_PARTS);
    m_leastPackets = leastPackets;
}

void
WindowRunner::ChooseGait(bool wanted)
{
    // Links of which more is known than a latency look at other nodes at the same instant.
    std::int64_t least = NEVER;
    std::int64_t shortest = NEVER;
    for (const PacketPort& port : m_state.ports)
    {
        least = std::min(least, port.irregular == 1 ? 0 : port.latency);
        shortest = std::min(shortest, port.fullTime);
    }
    const topology::Graph& graph = m_state.plan.GetGraph();
    const std::size_t mostPorts = MostPorts(graph);
    const bool possible =
        wanted && least > 0 && graph.nodes() <= MOST_NODES && mostPorts <= MOST_PORTS;
    // A node that has begun with a window ends it.
    const auto most = static_cast<std::int64_t>(
        std::max<std::size_t>(1, MOST_AT_ONCE / (m_threads * std::max<std::size_t>(mostPorts, 1))));
    m_lookahead = possible ? std::min(least, capped_product(shortest, most)) : 0;
    m_agenda.SetWindows(possible ? std::make_unique<NodeWindows>(graph, m_threads) : nullptr);
    m_state.lastBytes = possible ? capped_product(m_lookahead / shortest + 2, m_state.mtu) : 0;
    DivideNodes();
}

void
WindowRunner::DivideNodes()
{
    const NodeWindows* windows = m_agenda.Windows();
    const std::uint32_t parts = windows != nullptr ? windows->Parts() : 1;
    m_crew.reset(parts > 1 ? new ThreadCrew(parts) : nullptr);
    m_state.packets.SetParts(parts);
    m_state.parts.assign(parts, PacketPart());
    for (PacketPart& part : m_state.parts)
    {
        part.mail.resize(parts);
    }
    const topology::Graph& graph = m_state.plan.GetGraph();
    for (std::size_t port = 0; port < m_state.ports.size(); ++port)
    {
        const auto node = static_cast<std::uint32_t>(graph.link(LinkId(port)).from.index());
        m_state.ports[port].part =
            (windows != nullptr ? windows->PartOf(node) : 0) & (PacketPort::MOST_PARTS - 1);
    }
}

void
WindowRunner::Turn(std::uint32_t)
{
    if (!m_agenda.TakeTurn())
    {
        return;
    }
    const std::int64_t next = GoOn(m_state.events.now().ps());
    if (next != NEVER)
    {
        m_agenda.PlanTurn(next);
    }
}

std::int64_t
WindowRunner::GoOn(std::int64_t from)
{
    NodeWindows& windows = *m_agenda.Windows();
    const Flag inWindow(m_state.inWindow);
    const bool ahead = m_state.events.may_run_ahead();
    m_mover.News().Gather();
    for (;;)
    {
        m_state.windowFrom = from;
        const std::int64_t limit = ahead ? WindowEnd(from) : from + 1;
        // Where nodes stop before the end of a window, the next one begins with the earliest wish
        // of the others: before it nobody has anything left to do.
        if (PartsMayGoOn(from, limit))
        {
            GoOnInParts(limit);
        }
        else
        {
            const PacketPart& part = m_state.parts.front();
            windows.ForEachDue(limit, [&](std::uint32_t node) {
                GoOnAlone(node, limit);
                return !ahead || part.handled < MOST_AT_ONCE;
            });
        }
        m_lastPackets = m_mover.News().Gather();
        from = windows.Earliest();
        if (!ahead || from >= m_state.events.next_time().ps())
        {
            return from;
        }
        if (!m_state.events.goes_on())
        {
            // The end of the run: its time is that of the packets.
            m_state.events.advance(Time::ps(from));
            return from;
        }
    }
}

std::int64_t
WindowRunner::WindowEnd(std::int64_t from) const
{
    if (m_state.nearEnd > 0)
    {
        return from + 1; // somebody is told of the end of a packet
    }
    std::int64_t end = std::min(from + m_lookahead, m_state.events.next_time().ps());
    if (m_steady != nullptr)
    {
        end = std::min(end, m_steady->NextLook());
    }
    return std::max(end, from + 1);
}

bool
WindowRunner::PartsMayGoOn(std::int64_t from, std::int64_t limit) const
{
    // Ports that are watched or stand still depend on each other wherever they are.
    return m_crew && m_lastPackets >= m_leastPackets && limit > from + 1 &&
           limit <= m_state.lastStart && (m_steady == nullptr || m_steady->IsQuiet());
}

void
WindowRunner::GoOnInParts(std::int64_t limit)
{
    const AtTheSameTime atTheSameTime(m_state.partMask);
    NodeWindows& windows = *m_agenda.Windows();
    const std::uint64_t most = MOST_AT_ONCE / m_state.parts.size();
    m_crew->run(m_state.parts.size(), [&](std::size_t number) {
        const PacketPart& part = m_state.parts[number];
        windows.ForEachDue(static_cast<std::uint32_t>(number), limit, [&](std::uint32_t node) {
            GoOnAlone(node, limit);
            return part.handled < most;
        });
    });
    std::size_t mailed = 0;
    for (const PacketPart& part : m_state.parts)
    {
        for (const PartMail& mail : part.mail)
        {
            mailed += mail.packets.size() + mail.credits.size();
        }
    }
    if (mailed < m_leastPackets)
    {
        for (std::uint32_t part = 0; part < m_state.parts.size(); ++part)
        {
            m_mover.OpenMail(part);
        }
        return;
    }
    m_crew->run(m_state.parts.size(),
                [&](std::size_t part) { m_mover.OpenMail(static_cast<std::uint32_t>(part)); });
}

void
WindowRunner::GoOnAlone(std::uint32_t node, std::int64_t limit)
{
    NodeWindows& windows = *m_agenda.Windows();
    PacketPart& part = m_state.parts[windows.PartOf(node) & m_state.partMask];
    part.alone = node;
    NodeWindows::Due due = windows.First(node);
    for (; due.first < limit; due = windows.First(node))
    {
        if (!m_state.reads.AreLimited())
        {
            // Only inputs that feed few outputs at a time make ports of a node heed one another.
            windows.ForEachPortBefore(
                node, limit, [&](std::uint32_t port) { GoOnByItself(port, limit); });
        }
        else if (due.first == due.second)
        {
            windows.ForEachPort(
                node, due.first, [&](std::uint32_t port) { m_mover.DecideIfDue(port, due.first); });
            m_mover.DecideAgain(part, due.first);
        }
        else
        {
            // What a port decides makes no other one of the node decide earlier.
            GoOnByItself(due.port, std::min(due.second, limit));
        }
    }
    part.alone = NONE;
    windows.Leave(node, due.first);
}

void
WindowRunner::GoOnByItself(std::uint32_t port, std::int64_t limit)
{
    NodeWindows& windows = *m_agenda.Windows();
    for (std::int64_t now = windows.WakeOf(port); now < limit; now = windows.WakeOf(port))
    {
        windows.Forget(port);
        if (!Stream(port, now, limit))
        {
            m_mover.DecideIfDue(port, now);
            m_mover.DecideAgain(m_state.PartOf(m_state.ports[port]), now);
        }
    }
}

bool
WindowRunner::Stream(std::uint32_t portNumber, std::int64_t from, std::int64_t limit)
{
    const PacketPort& port = m_state.ports[portNumber];
    if (!m_state.filled.HasOne(port) || port.wake != from || port.busyUntil > from ||
        (port.irregular | port.anchor | port.starved) != 0 || m_state.several)
    {
        return false;
    }
    const std::uint32_t number = port.firstQueue + m_state.filled.SlotOfOne(port);
    const VirtualQueue& queue = m_state.queues[number];
    if (queue.upstream != NONE)
    {
        return false;
    }
    const MessageRecord& message = m_state.messages[queue.head];
    if (m_state.Turns(portNumber, queue.channel).served != queue.head ||
        !m_state.plan[message.hop].final)
    {
        return false;
    }

    CreditAccount& credit = m_state.Credit(portNumber, queue.channel);
    const std::int64_t wire = m_state.fullWire;
    const std::int64_t fullTime = port.fullTime;
    const Time latency = Time::ps(port.latency);
    const std::int64_t creditBack = later(later(Time::ps(fullTime), latency), latency).ps();
    // Packets that something follows from are left to the mover.
    const std::int64_t most = (message.remaining - 1) / m_state.mtu;
    const std::int64_t look = port.look != 0 ? m_steady->LookFrom(portNumber) : limit;
    const std::int64_t end = std::min({limit, look, m_state.lastStart});
    std::int64_t packets = 0;
    std::int64_t now = from;
    for (; packets < most && now < end && credit.Has(wire, now); ++packets)
    {
        credit.Take(wire);
        credit.Return(now + creditBack, wire);
        now += fullTime;
    }
    if (packets == 0)
    {
        return false;
    }
    CountStreamed(portNumber, number, packets, from, now);
    m_mover.PlanWake(portNumber, now);
    return true;
}

void
WindowRunner::CountStreamed(std::uint32_t portNumber,
                            std::uint32_t queueNumber,
                            std::int64_t packets,
                            std::int64_t from,
                            std::int64_t end)
{
    PacketPort& port = m_state.ports[portNumber];
    const std::uint32_t slot = queueNumber - port.firstQueue;
    port.turn = (slot + 1 == port.queues ? 0 : slot + 1) & PacketPort::MOST_QUEUES;
    port.busyUntil = end;
    port.busy += end - from;
    if (m_state.load != nullptr)
    {
        m_state.load->add(portNumber, from, end);
    }
    port.wire += packets * m_state.fullWire;
    port.payload += packets * m_state.mtu;
    port.packets += packets;
    PacketPart& part = m_state.PartOf(port);
    MessageRecord& message = m_state.messages[m_state.queues[queueNumber].head];
    m_state.CountSent(message, packets * m_state.mtu, part);
    if (message.remaining < m_state.mtu)
    {
        m_state.ShowTurn(queueNumber);
    }
    part.handled += static_cast<std::uint64_t>(packets);
    port.wake = NEVER;
}

} // namespace npunet::packet
