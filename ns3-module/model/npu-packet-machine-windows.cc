/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How the packet machine gets on: event by event, or in windows of time in which each node goes on
// alone.

#include "npu-packet-machine.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

namespace
{

/// The ports of a node are looked through for every packet.
constexpr std::size_t MOST_PORTS = 64;
/// So are the nodes, in blocks, for every window.
constexpr std::size_t MOST_NODES = 16384;

/**
 * @param graph nodes and links
 * @return whether the nodes are few and small enough to be looked through
 */
bool
IsSmall(const topology::Graph& graph)
{
    bool small = graph.nodes() <= MOST_NODES;
    for (std::size_t node = 0; small && node < graph.nodes(); ++node)
    {
        small = graph.links_from(NodeId(node)).size() <= MOST_PORTS;
    }
    return small;
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

} // namespace

void
PacketMachine::ChooseGait()
{
    // Ways, borders and faults look at other nodes at the same instant; listeners want one clock.
    std::int64_t least = NEVER;
    for (const PacketPort& port : m_ports)
    {
        least = std::min(least, port.irregular == 1 ? 0 : port.latency);
    }
    const bool possible = least > 0 && IsSmall(m_plan.GetGraph()) && m_ways.router == nullptr &&
                          !m_detours && !m_border && m_histograms.empty() && m_observer == nullptr;
    m_lookahead = possible ? least : 0;
    m_windows.reset(possible ? new NodeWindows(m_plan.GetGraph(), m_threads) : nullptr);
    std::int64_t shortest = NEVER;
    for (const PacketPort& port : m_ports)
    {
        shortest = std::min(shortest, port.fullTime);
    }
    m_lastBytes = possible ? (m_lookahead / shortest + 2) * m_mtu : 0;
    DivideNodes();
}

void
PacketMachine::LeaveWindows()
{
    m_windows.reset();
    for (std::uint32_t port = 0; port < m_ports.size(); ++port)
    {
        const std::int64_t wake = m_ports[port].wake;
        m_ports[port].wake = NEVER;
        if (wake != NEVER)
        {
            Arm(port, wake);
        }
    }
}

void
PacketMachine::PlanTurn(std::int64_t at)
{
    if (at < m_turnAt)
    {
        m_turnAt = at;
        m_queue.schedule(Time::ps(at),
                         EventKey::of(Phase::Arbitration, engine::event_kind::port, 0),
                         m_turnEvent);
    }
}

void
PacketMachine::Turn(std::uint32_t)
{
    std::int64_t from = m_queue.now().ps();
    if (from != m_turnAt || !m_windows)
    {
        return;
    }
    m_turnAt = NEVER;
    from = GoOn(from);
    if (from != NEVER)
    {
        PlanTurn(from);
    }
}

std::int64_t
PacketMachine::GoOn(std::int64_t from)
{
    const Flag inWindow(m_inWindow);
    const bool ahead = m_queue.may_run_ahead();
    Gather();
    do
    {
        m_windowFrom = from;
        const std::int64_t limit = ahead ? WindowEnd(from) : from + 1;
        if (PartsMayGoOn(from, limit))
        {
            GoOnInParts(limit);
        }
        else
        {
            m_windows->ForEachDue(limit, [&](std::uint32_t node) { GoOnAlone(node, limit); });
        }
        m_lastPackets = Gather();
        from = m_windows->Earliest();
    } while (ahead && from < m_queue.next_time().ps());
    return from;
}

std::int64_t
PacketMachine::WindowEnd(std::int64_t from) const
{
    if (m_nearEnd > 0)
    {
        return from + 1; // somebody is told of the end of a packet
    }
    std::int64_t end = std::min(from + m_lookahead, m_queue.next_time().ps());
    if (m_steady)
    {
        end = std::min(end, m_steady->NextLook());
    }
    return std::max(end, from + 1);
}

void
PacketMachine::GoOnAlone(std::uint32_t node, std::int64_t limit)
{
    PacketPart& part = m_parts[m_windows->PartOf(node) & m_partMask];
    part.alone = node;
    NodeWindows::Due due = m_windows->First(node);
    for (; due.first < limit; due = m_windows->First(node))
    {
        if (!m_reads.AreLimited())
        {
            // Only inputs that feed few outputs at a time make ports of a node heed one another.
            m_windows->ForEachPortBefore(
                node, limit, [&](std::uint32_t port) { GoOnByItself(port, limit); });
        }
        else if (due.first == due.second)
        {
            m_windows->ForEachPort(
                node, due.first, [&](std::uint32_t port) { DecideIfDue(port, due.first); });
            DecideAgain(part, due.first);
        }
        else
        {
            // What a port decides makes no other one of the node decide earlier.
            GoOnByItself(due.port, std::min(due.second, limit));
        }
    }
    part.alone = NONE;
    m_windows->Leave(node, due.first);
}

void
PacketMachine::GoOnByItself(std::uint32_t port, std::int64_t limit)
{
    for (std::int64_t now = m_windows->WakeOf(port); now < limit; now = m_windows->WakeOf(port))
    {
        m_windows->Forget(port);
        if (!Stream(port, now, limit))
        {
            DecideIfDue(port, now);
            DecideAgain(PartOf(m_ports[port]), now);
        }
    }
}

bool
PacketMachine::Stream(std::uint32_t portNumber, std::int64_t from, std::int64_t limit)
{
    PacketPort& port = m_ports[portNumber];
    const std::uint64_t filled = port.queues <= 64 ? m_masks[port.firstMask] : 0;
    if (filled == 0 || (filled & (filled - 1)) != 0 || port.wake != from || port.busyUntil > from ||
        (port.irregular | port.anchor | port.starved) != 0 || m_several)
    {
        return false;
    }
    const auto slot = static_cast<std::uint32_t>(__builtin_ctzll(filled));
    const std::uint32_t number = port.firstQueue + slot;
    const VirtualQueue& queue = m_queues[number];
    if (queue.upstream != NONE)
    {
        return false;
    }
    MessageRecord& message = m_messages[queue.head];
    const TurnList& turns = m_turns[portNumber * m_channels + queue.channel];
    if (turns.served != queue.head || !m_plan[message.hop].final)
    {
        return false;
    }

    CreditAccount& credit = Credit(portNumber, queue.channel);
    const std::int64_t creditBack = port.fullTime + 2 * port.latency;
    // Packets that something follows from are left to Transmit().
    const std::int64_t most = (message.remaining - 1) / m_mtu;
    const std::int64_t look = port.look != 0 ? m_steady->LookFrom(portNumber) : limit;
    const std::int64_t end = std::min({limit, look, m_lastStart});
    std::int64_t packets = 0;
    std::int64_t now = from;
    for (; packets < most && now < end && credit.Has(m_fullWire, now); ++packets)
    {
        credit.Take(m_fullWire);
        credit.Return(now + creditBack, m_fullWire);
        now += port.fullTime;
    }
    if (packets == 0)
    {
        return false;
    }
    port.turn = (slot + 1 == port.queues ? 0 : slot + 1) & PacketPort::MOST_QUEUES;
    port.busyUntil = now;
    port.busy += now - from;
    if (m_load != nullptr)
    {
        m_load->add(portNumber, from, now);
    }
    port.wire += packets * m_fullWire;
    port.payload += packets * m_mtu;
    port.packets += packets;
    CountSent(message, packets * m_mtu, PartOf(port));
    if (message.remaining < m_mtu)
    {
        ShowTurn(number);
    }
    PartOf(port).handled += static_cast<std::uint64_t>(packets);
    port.wake = NEVER;
    PlanWake(portNumber, now);
    return true;
}

void
PacketMachine::DecideIfDue(std::uint32_t port, std::int64_t now)
{
    PacketPort& state = m_ports[port];
    if (state.wake == now)
    {
        state.wake = NEVER;
        const std::int64_t before = state.packets;
        Decide(port, now);
        PartOf(state).handled += static_cast<std::uint64_t>(state.packets - before);
    }
}

void
PacketMachine::DecideAgain(PacketPart& part, std::int64_t now)
{
    for (const std::uint32_t port : part.again)
    {
        DecideAgain(port, now);
    }
    part.again.clear();
}

} // namespace npunet::packet
