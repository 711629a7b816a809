/*
 * Copyright (c) 2025 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-packet-machine.h"

#include "base/errors.h"
#include "base/quantities.h"

#include <algorithm>
#include <string>
#include <utility>

namespace npunet::packet
{

namespace
{

/// The largest packet: its size must fit 31 bits.
constexpr std::int64_t MAX_PACKET = std::int64_t{1} << 30;
/// A port remembers in 32 bits for which virtual channels it waits.
constexpr int MAX_CHANNELS = 32;

/**
 * @param parameters what network.yml says
 * @return the same, when the machine can work with it
 */
const topology::PacketParameters&
Checked(const topology::PacketParameters& parameters)
{
    const std::int64_t packet = parameters.mtu.value() + parameters.header.value();
    if (parameters.mtu.value() < 1 || parameters.mtu.value() > MAX_PACKET)
    {
        throw InputError({"",
                          "packet.mtu",
                          std::to_string(parameters.mtu.value()) + " bytes",
                          "1 to 2^30 bytes",
                          ""});
    }
    if (parameters.header.value() < 0 || packet > MAX_PACKET)
    {
        throw InputError({"",
                          "packet.header",
                          std::to_string(parameters.header.value()) + " bytes",
                          "0 bytes or more, with the mtu at most 2^30 bytes",
                          ""});
    }
    if (parameters.buffer.value() != 0 && parameters.buffer.value() < packet)
    {
        throw InputError({"",
                          "packet.buffer",
                          std::to_string(parameters.buffer.value()) + " bytes",
                          "room for at least one full packet, " + std::to_string(packet) +
                              " bytes, or 0 for automatic",
                          "enlarge the buffer or lower packet.mtu"});
    }
    if (parameters.virtual_channels < 1 || parameters.virtual_channels > MAX_CHANNELS)
    {
        throw InputError({"",
                          "packet.virtual_channels",
                          std::to_string(parameters.virtual_channels),
                          "1 to " + std::to_string(MAX_CHANNELS),
                          ""});
    }
    return parameters;
}

/**
 * @param description the network
 * @return its packet parameters, with as many virtual channels as it needs
 */
topology::PacketParameters
WithChannels(const topology::NetworkDescription& description)
{
    topology::PacketParameters parameters = description.packet;
    const std::uint8_t needed = description.virtual_channels_needed();
    if (parameters.virtual_channels == 0)
    {
        parameters.virtual_channels = needed;
    }
    if (parameters.virtual_channels < needed)
    {
        throw InputError({"",
                          "packet.virtual_channels",
                          std::to_string(parameters.virtual_channels),
                          "at least " + std::to_string(needed) +
                              ", below which packets can wait for one another for ever",
                          "leave it out to get as many as the routing needs"});
    }
    return parameters;
}

} // namespace

PacketMachine::PacketMachine(const topology::NetworkDescription& description,
                             engine::EventQueue& queue)
    : PacketMachine(
          description.graph,
          WithChannels(description),
          [&description](NodeId from, NodeId to) { return description.route(from, to); },
          queue)
{
}

PacketMachine::PacketMachine(const topology::Graph& graph,
                             const topology::PacketParameters& parameters,
                             RouteFunction route,
                             engine::EventQueue& queue)
    : m_queue(queue), m_mtu(Checked(parameters).mtu.value()), m_header(parameters.header.value()),
      m_fullWire(WireBytes(m_mtu)), m_channels(parameters.virtual_channels),
      m_plan(graph, std::move(route), m_channels), m_ports(graph.links()),
      m_queues(m_plan.FirstQueue(graph.links())), m_credits(graph.links() * m_channels),
      m_turns(graph.links() * m_channels)
{
    for (std::uint32_t number = 0; number < m_ports.size(); ++number)
    {
        const topology::Link& link = graph.link(LinkId(std::size_t{number}));
        PacketPort& port = m_ports[number];
        port.latency = link.latency.ps();
        port.bytesPerSecond = link.rate.bytes_per_second();
        port.fullTime = transfer_time(Bytes(m_fullWire), link.rate).ps();
        port.firstQueue = m_plan.FirstQueue(number);
        port.queues = m_plan.Queues(number);
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
            Credit(number, channel).Open(BufferSize(parameters, link).value());
        }
    }
}

Bytes
PacketMachine::BufferSize(const topology::PacketParameters& parameters, const topology::Link& link)
{
    if (parameters.buffer.value() != 0)
    {
        return parameters.buffer;
    }
    __extension__ using Wide = unsigned __int128;
    const Wide delay = Wide{2} * static_cast<Wide>(link.latency.ps()) *
                       static_cast<Wide>(link.rate.bytes_per_second());
    const auto inFlight = static_cast<std::int64_t>((delay + 999'999'999'999) / 1'000'000'000'000);
    const Bytes packet = parameters.mtu + parameters.header;
    return std::max(Bytes(std::int64_t{256} << 10), Bytes(inFlight) + 4 * packet);
}

} // namespace npunet::packet
