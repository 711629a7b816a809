/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"
#include "npu-packet-parameters.h"

#include "base/errors.h"
#include "base/quantities.h"
#include "engine/clock_limit.h"

#include <algorithm>
#include <string>
#include <utility>

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
 * @param graph the network
 * @param channels virtual channels of every link
 */
void
CheckQueues(const topology::Graph& graph, std::uint64_t channels)
{
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
        throw InputError({"",
                          "network",
                          std::to_string(queues) + " virtual output queues",
                          "at most " + std::to_string(MAX_QUEUES) +
                              " in the packet fidelity (a switch of n ports has n x n)",
                          "use smaller switches or another fidelity"});
    }
}

/**
 * @param description the network
 * @return the same, when the machine can work with it
 */
const topology::NetworkDescription&
CheckedForMachine(const topology::NetworkDescription& description)
{
    const topology::PacketParameters& parameters = description.packet;
    CheckPacketParameters(parameters);
    const int channels = description.virtual_channels() * parameters.classes.count;
    if (channels > MAX_CHANNELS)
    {
        throw InputError({"",
                          "packet.virtual_channels",
                          std::to_string(channels) + " in all traffic classes",
                          "1 to " + std::to_string(MAX_CHANNELS),
                          ""});
    }
    CheckQueues(description.graph, static_cast<std::uint64_t>(channels));
    return description;
}

/**
 * @param description the network
 * @return the same, when its own routes have the virtual channels they need
 */
const topology::NetworkDescription&
WithChannels(const topology::NetworkDescription& description)
{
    const std::uint8_t needed = description.virtual_channels_needed();
    if (description.virtual_channels() < needed)
    {
        throw InputError({"",
                          "packet.virtual_channels",
                          std::to_string(description.virtual_channels()),
                          "at least " + std::to_string(needed) +
                              ", below which packets can wait for one another for ever",
                          "leave it out to get as many as the routing needs"});
    }
    return description;
}

} // namespace

PacketMachine::PacketMachine(const topology::NetworkDescription& description,
                             engine::EventQueue& queue)
    : PacketMachine(
          WithChannels(description),
          [&description](NodeId from, NodeId to) { return description.route(from, to); },
          queue)
{
    KnowRoutes(description);
    ChooseGait();
    SetTrains(true);
}

PacketMachine::PacketMachine(const topology::NetworkDescription& description,
                             RouteFunction route,
                             engine::EventQueue& queue)
    : PacketState(CheckedForMachine(description), std::move(route), queue),
      m_cutThrough(description.packet.switching == topology::Switching::CutThrough),
      m_timing(description), m_rates(description.graph.links()),
      m_headerTimes(description.graph.links()), m_retransmissions(description.graph.links()),
      m_histograms(description.packet.queue_histogram ? description.graph.links() : 0),
      m_chooser(description.graph, m_ports, m_rates, m_credits, m_timing)
{
    const topology::Graph& graph = description.graph;
    Time longestPacket;
    Time longestLatency;
    for (std::uint32_t number = 0; number < m_ports.size(); ++number)
    {
        const topology::Link& link = graph.link(LinkId(std::size_t{number}));
        PacketPort& port = m_ports[number];
        port.latency = link.latency.ps();
        port.irregular = m_timing.IsIrregular(number) ? 1U : 0U;
        m_rates[number] = link.rate;
        m_headerTimes[number] = transfer_time(Bytes(HeaderBytes()), link.rate).ps();
        port.fullTime = transfer_time(Bytes(m_fullWire), link.rate).ps();
        longestPacket = std::max(longestPacket, Time::ps(port.fullTime));
        longestLatency = std::max(longestLatency, link.latency);
        port.firstQueue = m_plan.FirstQueue(number);
        port.queues = m_plan.Queues(number) & PacketPort::MOST_QUEUES;
        port.firstMask = static_cast<std::uint32_t>(m_masks.size());
        m_masks.resize(m_masks.size() + (port.queues + 63) / 64);

        VirtualQueue* queues = &m_queues[port.firstQueue];
        for (const LinkId input : graph.links_to(link.from))
        {
            for (std::uint32_t channel = 0; channel < m_channels; ++channel)
            {
                queues->upstream = static_cast<std::uint32_t>(input.index());
                queues->inputChannel = static_cast<std::uint8_t>(channel);
                ++queues;
            }
        }
        for (std::uint32_t channel = 0; channel < m_channels; ++channel)
        {
            // A queue of messages: it has no packets, so its tail holds the number of the port.
            queues->tail = number;
            queues->channel = static_cast<std::uint8_t>(channel);
            ++queues;
            Credit(number, channel)
                .Open(description.buffer_of(LinkId(std::size_t{number})).value());
        }
    }
    // The latest time that follows from a start: the packet is in, and its credit is back.
    const Time reach = engine::later(engine::later(longestPacket, longestLatency), longestLatency);
    m_lastStart = (Time::max() - reach).ps();
    ChooseGait();
    SetTrains(true);
}

} // namespace npunet::packet
