/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/network_setup.h"

#include "packet/base/parameter_check.h"

#include "base/errors.h"

#include <algorithm>
#include <string>

namespace npunet::packet
{

namespace
{

/// A port remembers in 32 bits for which virtual channels it waits.
constexpr int MAX_CHANNELS = topology::TrafficClasses::most_channels;
/// Queues are numbered in 32 bits and take 32 bytes each: 4 GiB.
constexpr std::uint64_t MAX_QUEUES = std::uint64_t{1} << 27;

/**
 * Every node has a queue for each pair of its links, in and out, and each virtual channel.
 * @param description the network
 * @param channels virtual channels of every link
 */
void
CheckQueues(const topology::NetworkDescription& description, std::uint64_t channels)
{
    const topology::Graph& graph = description.graph;
    std::uint64_t queues = 0;
    std::uint64_t mostOfPort = 0;
    for (std::size_t node = 0; node < graph.nodes(); ++node)
    {
        const NodeId id(node);
        const std::uint64_t inputs = graph.links_to(id).size() + 1;
        queues += graph.links_from(id).size() * inputs * channels;
        mostOfPort = std::max(mostOfPort, inputs * channels);
    }
    if (queues > MAX_QUEUES || mostOfPort > PacketPort::MOST_QUEUES)
    {
        throw InputError({description.file,
                          "network",
                          std::to_string(queues) + " virtual output queues",
                          "at most " + std::to_string(MAX_QUEUES) +
                              " in the packet fidelity (a switch of n ports has n x n)",
                          "use smaller switches or another fidelity"});
    }
}

} // namespace

const topology::NetworkDescription&
CheckedForPackets(const topology::NetworkDescription& description)
{
    const topology::PacketParameters& parameters = description.packet;
    CheckPacketParameters(parameters, description.file);
    const int channels = description.virtual_channels() * parameters.classes.count;
    if (channels > MAX_CHANNELS)
    {
        throw InputError({description.file,
                          "packet.virtual_channels",
                          std::to_string(channels) + " in all traffic classes",
                          "1 to " + std::to_string(MAX_CHANNELS),
                          ""});
    }
    CheckQueues(description, static_cast<std::uint64_t>(channels));
    return description;
}

const topology::NetworkDescription&
CheckedForRoutes(const topology::NetworkDescription& description)
{
    const std::uint8_t needed = description.virtual_channels_needed();
    if (description.virtual_channels() < needed)
    {
        throw InputError({description.file,
                          "packet.virtual_channels",
                          std::to_string(description.virtual_channels()),
                          "at least " + std::to_string(needed) +
                              ", below which packets can wait for one another for ever",
                          "leave it out to get as many as the routing needs"});
    }
    return description;
}

void
OpenPorts(const topology::NetworkDescription& description, PacketState& state)
{
    const topology::Graph& graph = description.graph;
    for (std::uint32_t number = 0; number < state.ports.size(); ++number)
    {
        PacketPort& port = state.ports[number];
        port.firstQueue = state.plan.FirstQueue(number);
        port.queues = state.plan.Queues(number) & PacketPort::MOST_QUEUES;
        state.filled.Open(port);

        VirtualQueue* queues = &state.queues[port.firstQueue];
        for (const LinkId input : graph.links_to(graph.link(LinkId(std::size_t{number})).from))
        {
            for (std::uint32_t channel = 0; channel < state.channels; ++channel)
            {
                queues->upstream = static_cast<std::uint32_t>(input.index());
                queues->inputChannel = static_cast<std::uint8_t>(channel);
                ++queues;
            }
        }
        for (std::uint32_t channel = 0; channel < state.channels; ++channel)
        {
            // A queue of messages: it has no packets, so its tail holds the number of the port.
            queues->tail = number;
            queues->channel = static_cast<std::uint8_t>(channel);
            ++queues;
            state.Credit(number, channel)
                .Open(description.buffer_of(LinkId(std::size_t{number})).value());
        }
    }
}

} // namespace npunet::packet
