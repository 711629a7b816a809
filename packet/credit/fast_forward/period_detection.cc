/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/fast_forward/period_detection.h"

#include <algorithm>
#include <cstddef>

namespace npunet::packet
{

namespace
{

/// Messages with less to send are about to end.
constexpr std::int64_t LEAST_LEFT = 6;

} // namespace

bool
TrafficFinder::Collect(std::uint32_t port, std::uint32_t index, TrafficGroup& group)
{
    m_index = index;
    m_looks = 0;
    m_ofPorts[port] = index;
    group.ports.push_back(port);
    // The list grows while it is gone through.
    for (std::size_t i = 0; i < group.ports.size(); ++i)
    {
        const std::uint32_t member = group.ports[i];
        if (m_state.ports[member].irregular == 1 || !AddMessagesOf(group, member) ||
            (m_state.reads.AreLimited() && !AddMessagesFrom(group, member)))
        {
            return false;
        }
    }
    std::sort(group.ports.begin(), group.ports.end());
    return true;
}

bool
TrafficFinder::AddMessagesFrom(TrafficGroup& group, std::uint32_t input)
{
    const topology::Graph& graph = m_state.plan.GetGraph();
    bool possible = true;
    for (const LinkId output : graph.links_from(graph.link(LinkId(std::size_t{input})).to))
    {
        m_state.filled.ForEach(m_state.ports[output.index()], 0, [&](std::uint32_t number) {
            const VirtualQueue& queue = m_state.queues[number];
            possible = possible && (queue.upstream != input || AddPackets(group, queue));
            return !possible;
        });
    }
    return possible;
}

bool
TrafficFinder::AddPackets(TrafficGroup& group, const VirtualQueue& queue)
{
    bool possible = true;
    for (std::uint32_t place = queue.head; possible && place != NONE;
         place = m_state.packets[place].next)
    {
        possible = AddMessage(group, m_state.packets[place].message);
    }
    return possible;
}

bool
TrafficFinder::AddMessagesOf(TrafficGroup& group, std::uint32_t port)
{
    bool possible = true;
    m_state.filled.ForEach(m_state.ports[port], 0, [&](std::uint32_t number) {
        const VirtualQueue& queue = m_state.queues[number];
        if (queue.upstream != NONE)
        {
            possible = AddPackets(group, queue);
            return !possible;
        }
        const TurnList& turns = m_state.turns[port * m_state.channels + queue.channel];
        for (std::uint32_t message = turns.first; possible && message != NONE;
             message = m_state.messages[message].next)
        {
            possible = AddMessage(group, message);
        }
        return !possible;
    });
    return possible;
}

bool
TrafficFinder::AddMessage(TrafficGroup& group, std::uint32_t message)
{
    ++m_looks;
    if (IsIn(message, m_index))
    {
        return true;
    }
    const MessageRecord& record = m_state.messages[message];
    if (record.remaining < LEAST_LEFT * m_state.mtu)
    {
        return false;
    }
    if (message >= m_ofMessages.size())
    {
        m_ofMessages.resize(message + std::size_t{1}, NONE);
    }
    m_ofMessages[message] = m_index;
    group.messages.push_back(message);
    for (std::uint32_t hop = record.hop;; ++hop)
    {
        const PlannedHop& planned = m_state.plan[hop];
        std::uint32_t& groupOfPort = m_ofPorts[planned.port];
        if (groupOfPort == NONE)
        {
            groupOfPort = m_index;
            group.ports.push_back(planned.port);
        }
        else if (groupOfPort != m_index)
        {
            return false;
        }
        if (planned.final)
        {
            return true;
        }
    }
}

void
TrafficFinder::Release(const TrafficGroup& group)
{
    for (const std::uint32_t port : group.ports)
    {
        m_ofPorts[port] = NONE;
    }
    for (const std::uint32_t message : group.messages)
    {
        m_ofMessages[message] = NONE;
    }
}

} // namespace npunet::packet
