/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// EthernetNetwork: links that are down, slow or late, or lose packets.

#include "npu-ethernet-network.h"

#include "base/errors.h"
#include "base/units.h"
#include "engine/clock_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

EthernetNetwork::Passage
EthernetNetwork::CrossIrregular(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
{
    const LinkId link(std::size_t{portNumber});
    Passage passage{};
    passage.corrupted =
        m_errors.Any() && m_errors.IsCorrupted(portNumber, m_transmissions[portNumber]++);
    const Time start = Time::ps(now);
    const Time down = m_clock.down_at(link, start);
    Time end = Time::max();
    if (!m_clock.faulty(link))
    {
        end = engine::later(start, Time::ps(SendingTime(portNumber, wire)));
    }
    else if (down == Time::max() || m_clock.up_at(link, down) < Time::max())
    {
        end = m_clock.end(link, start, Bytes(wire));
    }
    else
    {
        end = EndBefore(portNumber, wire, start, down);
    }
    const Time latency = m_clock.latency(link, std::min(end, down));
    const Time arrival = std::max(Time::ps(m_lastArrival[portNumber]), engine::later(end, latency));
    passage.lost = passage.corrupted || down < arrival;
    passage.end = std::min(end, down).ps();
    passage.arrival = arrival.ps();
    passage.headerIn = passage.arrival;
    if (!passage.lost)
    {
        m_lastArrival[portNumber] = passage.arrival;
    }
    return passage;
}

Time
EthernetNetwork::EndBefore(std::uint32_t portNumber,
                           std::uint32_t wire,
                           Time start,
                           Time down) const
{
    // The clock refuses what a link that dies cannot finish.
    try
    {
        return m_clock.end(LinkId(std::size_t{portNumber}), start, Bytes(wire));
    }
    catch (const StallError&)
    {
        return down;
    }
}

bool
EthernetNetwork::IsWanted(std::uint32_t portNumber) const
{
    const EthernetPort& port = m_ports[portNumber];
    bool wanted = port.control.head != NONE || port.filled != 0;
    for (std::uint32_t number = 0; port.startsHere && number < m_classCount; ++number)
    {
        wanted = wanted || m_pairs.Lines().AnyWaits(portNumber, number);
    }
    return wanted;
}

std::int64_t
EthernetNetwork::UpAgain(std::uint32_t portNumber, std::int64_t now)
{
    const LinkId link(std::size_t{portNumber});
    const Time up = m_clock.up_at(link, Time::ps(now));
    // Copies of what has arrived may be left when all messages are done.
    if (up == Time::max() && m_pairs.IsBusy() && IsWanted(portNumber))
    {
        m_clock.refuse(link, Time::ps(now), Bytes(m_fullWire), Time::ps(now));
    }
    return up.ps();
}

LinkId
EthernetNetwork::WorstLink(const QueuePair& pair) const
{
    const NodeId source(std::size_t{pair.source});
    const NodeId destination(std::size_t{pair.destination});
    std::vector<LinkId> links;
    for (const topology::Hop& hop : m_description.route(source, destination))
    {
        links.push_back(hop.link);
    }
    for (const topology::Hop& hop : m_description.route(destination, source))
    {
        links.push_back(hop.link);
    }
    // By which of several ways its packets went is not kept.
    for (std::size_t number = 0; m_routes.AreChosen() && number < m_ports.size(); ++number)
    {
        links.emplace_back(number);
    }
    return *std::max_element(links.begin(), links.end(), [this](LinkId one, LinkId other) {
        return m_ports[one.index()].drops < m_ports[other.index()].drops;
    });
}

void
EthernetNetwork::GiveUp(const QueuePair& pair) const
{
    const topology::Graph& graph = m_description.graph;
    const topology::TransportParameters& transport = m_description.packet.transport;
    const LinkId worst = WorstLink(pair);
    const EthernetPort& port = m_ports[worst.index()];
    const std::string why =
        port.drops == 0
            ? fmt::format("no link between them has lost a packet, so answers take longer than the "
                          "retransmission timeout, {}: raise packet.transport.rto",
                          format_time(Time::ps(pair.timeout)))
            : fmt::format(
                  "the link {} -> {} has lost {} of {} packets: lower packet.error_rate, "
                  "give it room, or raise packet.transport.retries ('unlimited' sends again "
                  "as often as it takes)",
                  graph.name(graph.link(worst).from),
                  graph.name(graph.link(worst).to),
                  port.drops,
                  port.packets);
    throw StallError(
        fmt::format("at {} ps {} gave up to send to {} (class {}) after {} timeouts in "
                    "a row without an answer; {}",
                    m_time.Now(),
                    graph.name(NodeId(std::size_t{pair.source})),
                    graph.name(NodeId(std::size_t{pair.destination})),
                    pair.trafficClass,
                    transport.retries + 1,
                    why));
}

void
EthernetNetwork::AwaitEpoch()
{
    topology::Detours& detours = *m_routes.GetDetours();
    const std::vector<Time>& begins = detours.epochs();
    if (m_epochAwaited)
    {
        return;
    }
    // Nothing is under way: whatever has changed meanwhile concerns nobody.
    std::size_t epoch = m_epoch;
    while (epoch + 1 < begins.size() && begins[epoch + 1] <= Time::ps(m_time.Now()))
    {
        ++epoch;
    }
    if (epoch != m_epoch)
    {
        m_epoch = epoch;
        detours.set_epoch(epoch);
    }
    if (epoch + 1 < begins.size())
    {
        m_epochAwaited = true;
        m_time.Schedule(begins[epoch + 1].ps(),
                        EventKey::of(Phase::Arrival, engine::event_kind::routes, 0),
                        m_epochEvent,
                        static_cast<std::uint32_t>(epoch + 1));
    }
}

void
EthernetNetwork::EpochBegins(std::uint32_t epoch)
{
    m_epochAwaited = false;
    m_epoch = epoch;
    m_routes.GetDetours()->set_epoch(epoch);
    BuryDead();
    m_pairs.ChooseAnew();
    if (m_border || IsBusy())
    {
        AwaitEpoch();
    }
}

bool
EthernetNetwork::IsBusy() const
{
    // Copies of what has arrived may be left when all messages are done, and grants, and pauses.
    return m_pairs.IsBusy() || m_pairs.AnyGrantIsDue() ||
           std::any_of(m_ports.begin(), m_ports.end(), [](const EthernetPort& port) {
               return port.flight.head != NONE || port.requests.head != NONE ||
                      port.control.head != NONE || port.filled != 0 || port.paused != 0;
           });
}

void
EthernetNetwork::BuryDead()
{
    const topology::Detours& detours = *m_routes.GetDetours();
    for (std::uint32_t port = 0; port < m_ports.size(); ++port)
    {
        if (detours.is_dead(LinkId(std::size_t{port})))
        {
            Bury(port);
        }
    }
}

void
EthernetNetwork::Bury(std::uint32_t portNumber)
{
    EthernetPort& port = m_ports[portNumber];
    while (port.requests.head != NONE)
    {
        m_packets.Free(port.requests.Pop(m_packets));
    }
    while (port.control.head != NONE)
    {
        Drop(portNumber, port.control.Pop(m_packets), PacketLoss::LINK_DOWN, "on a dead link");
    }
    for (std::uint32_t number = 0; number < m_classCount; ++number)
    {
        ClassQueue& queue = m_queues[portNumber * m_classCount + number];
        while (queue.line.head != NONE)
        {
            const std::uint32_t place = queue.line.Pop(m_packets);
            const EthernetPacket packet = m_packets[place];
            queue.bytes -= packet.wire;
            port.queued -= packet.wire;
            if (m_observer != nullptr)
            {
                m_observer->PacketGaveUp(LinkId(std::size_t{portNumber}),
                                         Bytes(packet.wire),
                                         Time::ps(std::max(packet.ready, m_time.Now())));
            }
            FreeRoom(port.node, packet.input, packet.trafficClass, packet.wire);
            Drop(portNumber, place, PacketLoss::LINK_DOWN, "on a dead link");
        }
    }
    port.filled = 0;
    if (port.reverse == NONE)
    {
        return;
    }
    // Nobody could take back what the other end has asked for.
    EthernetPort& back = m_ports[port.reverse];
    if (back.paused != 0)
    {
        const std::uint32_t paused = std::exchange(back.paused, 0);
        for (std::uint8_t number = 0; number < m_classCount; ++number)
        {
            if ((paused >> number & 1U) != 0)
            {
                TellPause(port.reverse, number, false);
            }
        }
        PauseEnds(port.reverse);
    }
}

} // namespace npunet::packet
