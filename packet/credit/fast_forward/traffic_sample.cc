/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/fast_forward/traffic_sample.h"

#include <algorithm>

namespace npunet::packet
{

void
TrafficSample::Take(PacketState& state,
                    const std::vector<std::uint32_t>& ports,
                    const std::vector<std::uint32_t>& messages,
                    std::int64_t now)
{
    m_at = now;
    m_words.clear();
    m_queued.clear();
    m_waits.clear();
    m_counts.clear();
    m_classWire.clear();
    m_remaining.clear();
    for (const std::uint32_t port : ports)
    {
        TakePort(state, port);
    }
    for (const std::uint32_t message : messages)
    {
        m_remaining.push_back(state.messages[message].remaining);
    }
}

void
TrafficSample::TakePort(PacketState& state, std::uint32_t portNumber)
{
    const PacketPort& port = state.ports[portNumber];
    m_queued.push_back(port.queued);
    m_waits.push_back(WaitsSince(state, portNumber));
    m_counts.push_back({port.payload, port.wire, port.busy, port.packets, port.stall});
    m_words.push_back(Ahead(port.busyUntil));
    m_words.push_back(port.turn);
    for (std::uint32_t channel = 0; channel < state.channels; ++channel)
    {
        state.Credit(portNumber, channel).Describe(m_at, m_words);
    }
    if (state.several)
    {
        const ClassOfPort* classes = state.classes.OfPort(portNumber);
        for (std::uint32_t number = 0; number < state.classes.given.count; ++number)
        {
            m_words.push_back(classes[number].turn);
            m_words.push_back(classes[number].lead);
            m_classWire.push_back(classes[number].wire);
        }
    }
    state.reads.Describe(portNumber, m_at, m_words);
    state.filled.ForEach(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = state.queues[number];
        m_words.push_back(number);
        if (queue.upstream != NONE)
        {
            TakePackets(state, queue);
            return false;
        }
        const TurnList& turns = state.turns[portNumber * state.channels + queue.channel];
        m_words.push_back(queue.head);
        m_words.push_back(turns.served);
        return false;
    });
    m_words.push_back(-1);
}

void
TrafficSample::TakePackets(PacketState& state, const VirtualQueue& queue)
{
    for (std::uint32_t place = queue.head; place != NONE; place = state.packets[place].next)
    {
        const QueuedPacket& packet = state.packets[place];
        m_words.push_back(Ahead(packet.ready));
        m_words.push_back(static_cast<std::int64_t>(packet.message) << 32 | packet.hop);
        m_words.push_back(static_cast<std::int64_t>(packet.payload) << 1 | packet.last);
        if (state.oldest)
        {
            m_words.push_back(state.packets.Born(place) - m_at);
        }
    }
    m_words.push_back(-1);
}

std::int64_t
TrafficSample::WaitsSince(PacketState& state, std::uint32_t portNumber) const
{
    const PacketPort& port = state.ports[portNumber];
    std::int64_t first = m_at;
    state.filled.ForEach(port, 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = state.queues[number];
        const TurnList& turns = state.turns[portNumber * state.channels + queue.channel];
        const std::int64_t since =
            queue.upstream == NONE ? state.messages[turns.first].start : queue.ready;
        first = std::min(first, since);
        return false;
    });
    return std::min<std::int64_t>(std::max(first, port.busyUntil) - m_at, 0);
}

bool
TrafficSample::MayRepeat(const PacketState& state, const std::vector<std::uint32_t>& ports) const
{
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        if (state.ports[ports[i]].queued != m_queued[i])
        {
            return false;
        }
    }
    return true;
}

bool
TrafficSample::Repeats(const TrafficSample& earlier) const
{
    if (m_words != earlier.m_words)
    {
        return false;
    }
    for (std::size_t i = 0; i < m_waits.size(); ++i)
    {
        const bool sends = m_counts[i].packets != earlier.m_counts[i].packets;
        if (sends && m_waits[i] != earlier.m_waits[i])
        {
            return false;
        }
    }
    return true;
}

PortCounts
TrafficSample::Since(const TrafficSample& earlier, std::size_t port) const
{
    const PortCounts& now = m_counts[port];
    const PortCounts& before = earlier.m_counts[port];
    return {now.payload - before.payload,
            now.wire - before.wire,
            now.busy - before.busy,
            now.packets - before.packets,
            now.stall - before.stall};
}

} // namespace npunet::packet
