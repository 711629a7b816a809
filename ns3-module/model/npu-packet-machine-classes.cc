/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The packet machine's choice among traffic classes.

#include "npu-packet-machine.h"
#include "npu-packet-rounds.h"

#include <algorithm>
#include <array>

namespace npunet::packet
{

std::uint32_t
PacketClasses::First(std::size_t port, std::uint32_t open)
{
    auto first = static_cast<std::uint32_t>(__builtin_ctz(open));
    if (given.weights.empty())
    {
        return first;
    }
    const ClassOfPort* classes = OfPort(port);
    for (std::uint32_t number = first + 1; number < given.count; ++number)
    {
        if ((open >> number & 1U) != 0 && classes[number].lead < classes[first].lead)
        {
            first = number;
        }
    }
    return first;
}

void
PacketClasses::Charge(std::size_t port, std::uint32_t number, std::uint32_t bytes)
{
    if (given.weights.empty())
    {
        return;
    }
    ClassOfPort* classes = OfPort(port);
    const std::int64_t start = classes[number].lead;
    for (std::uint32_t other = 0; other < given.count; ++other)
    {
        classes[other].lead = std::max<std::int64_t>(classes[other].lead - start, 0);
    }
    classes[number].lead = (std::int64_t{bytes} << 20) / given.weights[number];
}

std::uint32_t
PacketMachine::ChooseByClass(PacketPort& port, std::int64_t now)
{
    /// The best queue of a class: the least (first, then).
    struct Best
    {
        std::uint32_t queue = NONE;
        std::int64_t first = 0;
        std::uint64_t then = 0;
    };

    const auto portNumber = static_cast<std::size_t>(&port - m_ports.data());
    const ClassOfPort* classes = m_classes.OfPort(portNumber);
    std::array<Best, topology::TrafficClasses::most> best;
    std::uint32_t open = 0;
    ForEachQueue(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_queues[number];
        if (!CanGo(static_cast<std::uint32_t>(portNumber), number, now))
        {
            return false;
        }
        const std::uint32_t own = queue.channel / m_classes.channels;
        Best candidate;
        candidate.queue = number;
        if (m_oldest)
        {
            candidate.first = queue.upstream == NONE ? now : m_packets.Born(queue.head);
            candidate.then = engine::MessageId::rank(MessageOfHead(queue).id);
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
    return open == 0 ? NONE : best[m_classes.First(portNumber, open)].queue;
}

void
PacketMachine::ServeClass(std::uint32_t portNumber,
                          std::uint32_t queueNumber,
                          std::int64_t attempts)
{
    const PacketPort& port = m_ports[portNumber];
    const VirtualQueue& queue = m_queues[queueNumber];
    const std::uint32_t number = queue.channel / m_classes.channels;
    const std::uint32_t slot = queueNumber - port.firstQueue;
    ClassOfPort& own = m_classes.OfPort(portNumber)[number];
    own.turn = slot + 1 == port.queues ? 0 : slot + 1;
    own.wire += attempts * queue.wire;
    m_classes.Charge(portNumber, number, queue.wire);
}

} // namespace npunet::packet
