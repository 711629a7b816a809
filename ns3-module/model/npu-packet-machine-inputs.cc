/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

bool
PacketMachine::InputRefuses(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now)
{
    const std::uint32_t input = m_queues[queueNumber].upstream;
    if (input == NONE)
    {
        return false;
    }
    if (m_reads.FreeAt(input, now) > now)
    {
        return true;
    }
    PacketPart& part = PartOf(m_ports[portNumber]);
    if (part.secondChance || !OthersComeFirst(portNumber, queueNumber, now))
    {
        return false;
    }
    part.yielded = true;
    return true;
}

bool
PacketMachine::OthersComeFirst(std::uint32_t portNumber,
                               std::uint32_t queueNumber,
                               std::int64_t now) const
{
    const std::uint32_t first = m_ports[portNumber].firstQueue;
    const std::uint32_t ofInput = (queueNumber - first) / m_channels * m_channels;
    const std::uint32_t last = m_reads.LastOutput(m_queues[queueNumber].upstream);
    const topology::Graph& graph = m_plan.GetGraph();
    // Whoever stands between the last output and this one, in the cyclic order of the node's links.
    const auto before = [&](std::uint32_t other) {
        const bool wraps = portNumber <= last;
        return wraps ? other > last || other < portNumber : other > last && other < portNumber;
    };
    for (const LinkId link : graph.links_from(graph.link(LinkId(std::size_t{portNumber})).from))
    {
        const auto other = static_cast<std::uint32_t>(link.index());
        if (!before(other) || m_ports[other].busyUntil > now)
        {
            continue;
        }
        for (std::uint32_t channel = 0; channel < m_channels; ++channel)
        {
            const VirtualQueue& queue = m_queues[m_ports[other].firstQueue + ofInput + channel];
            if (queue.head != NONE && queue.ready <= now)
            {
                return true;
            }
        }
    }
    return false;
}

void
PacketMachine::AwaitSecondChance(std::uint32_t portNumber)
{
    if (m_resuming || m_inWindow)
    {
        PartOf(m_ports[portNumber]).again.push_back(portNumber);
        return;
    }
    m_queue.schedule(m_queue.now(),
                     EventKey::of(Phase::Arbitration, engine::event_kind::port_again, portNumber),
                     m_againEvent,
                     portNumber);
}

void
PacketMachine::WakeAgain(std::uint32_t port)
{
    DecideAgain(port, m_queue.now().ps());
}

void
PacketMachine::DecideAgain(std::uint32_t port, std::int64_t now)
{
    PacketPart& part = PartOf(m_ports[port]);
    part.secondChance = true;
    Decide(port, now);
    part.secondChance = false;
}

} // namespace npunet::packet
