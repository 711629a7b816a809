/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/arbiter.h"

#include <array>

namespace npunet::packet
{

std::uint32_t
PacketArbiter::ChooseOldest(std::uint32_t portNumber, std::int64_t now)
{
    std::uint32_t chosen = NONE;
    std::int64_t born = NEVER;
    std::uint64_t order = 0;
    m_state.filled.ForEach(m_state.ports[portNumber], 0, [&](std::uint32_t number) {
        if (CanGo(portNumber, number, now))
        {
            const VirtualQueue& queue = m_state.queues[number];
            const std::int64_t own =
                queue.upstream == NONE ? now : m_state.packets.Born(queue.head);
            const std::uint64_t rank = engine::MessageId::rank(m_state.MessageOfHead(queue).id);
            if (own < born || (own == born && rank < order))
            {
                chosen = number;
                born = own;
                order = rank;
            }
        }
        return false;
    });
    return chosen;
}

std::uint32_t
PacketArbiter::ChooseByClass(std::uint32_t portNumber, std::int64_t now)
{
    /// The best queue of a class: the least (first, then).
    struct Best
    {
        std::uint32_t queue = NONE;
        std::int64_t first = 0;
        std::uint64_t then = 0;
    };

    const PacketPort& port = m_state.ports[portNumber];
    const ClassOfPort* classes = m_state.classes.OfPort(portNumber);
    std::array<Best, topology::TrafficClasses::most> best;
    std::uint32_t open = 0;
    m_state.filled.ForEach(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_state.queues[number];
        if (!CanGo(portNumber, number, now))
        {
            return false;
        }
        const std::uint32_t own = queue.channel / m_state.classes.channels;
        Best candidate;
        candidate.queue = number;
        if (m_state.oldest)
        {
            candidate.first = queue.upstream == NONE ? now : m_state.packets.Born(queue.head);
            candidate.then = engine::MessageId::rank(m_state.MessageOfHead(queue).id);
        }
        else
        {
            candidate.then = number - port.firstQueue;
            candidate.first = candidate.then < classes[own].turn ? 1 : 0;
        }
        Best& other = best[own];
        if (other.queue == NONE || candidate.first < other.first ||
            (candidate.first == other.first && candidate.then < other.then))
        {
            other = candidate;
        }
        open |= 1U << own;
        return false;
    });
    return open == 0 ? NONE : best[m_state.classes.First(portNumber, open)].queue;
}

void
PacketArbiter::ServeClass(std::uint32_t portNumber,
                          std::uint32_t queueNumber,
                          std::int64_t attempts)
{
    const PacketPort& port = m_state.ports[portNumber];
    const VirtualQueue& queue = m_state.queues[queueNumber];
    const std::uint32_t number = queue.channel / m_state.classes.channels;
    const std::uint32_t slot = queueNumber - port.firstQueue;
    ClassOfPort& own = m_state.classes.OfPort(portNumber)[number];
    own.turn = slot + 1 == port.queues ? 0 : slot + 1;
    own.wire += attempts * queue.wire;
    m_state.classes.Charge(portNumber, number, queue.wire);
}

bool
PacketArbiter::InputRefuses(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now)
{
    const std::uint32_t input = m_state.queues[queueNumber].upstream;
    if (input == NONE)
    {
        return false;
    }
    if (m_state.reads.FreeAt(input, now) > now)
    {
        return true;
    }
    PacketPart& part = m_state.PartOf(m_state.ports[portNumber]);
    if (part.secondChance || !OthersComeFirst(portNumber, queueNumber, now))
    {
        return false;
    }
    part.yielded = true;
    return true;
}

bool
PacketArbiter::OthersComeFirst(std::uint32_t portNumber,
                               std::uint32_t queueNumber,
                               std::int64_t now) const
{
    const std::uint32_t first = m_state.ports[portNumber].firstQueue;
    const std::uint32_t ofInput = (queueNumber - first) / m_state.channels * m_state.channels;
    const std::uint32_t last = m_state.reads.LastOutput(m_state.queues[queueNumber].upstream);
    const topology::Graph& graph = m_state.plan.GetGraph();
    // Whoever stands between the last output and this one, in the cyclic order of the node's links.
    const auto before = [&](std::uint32_t other) {
        const bool wraps = portNumber <= last;
        return wraps ? other > last || other < portNumber : other > last && other < portNumber;
    };
    for (const LinkId link : graph.links_from(graph.link(LinkId(std::size_t{portNumber})).from))
    {
        const auto other = static_cast<std::uint32_t>(link.index());
        const PacketPort& port = m_state.ports[other];
        if (!before(other) || port.busyUntil > now)
        {
            continue;
        }
        for (std::uint32_t channel = 0; channel < m_state.channels; ++channel)
        {
            const VirtualQueue& queue = m_state.queues[port.firstQueue + ofInput + channel];
            if (queue.head != NONE && queue.ready <= now)
            {
                return true;
            }
        }
    }
    return false;
}

} // namespace npunet::packet
