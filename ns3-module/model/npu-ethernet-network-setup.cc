/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// EthernetNetwork: what it is made of, and what it tells of itself.

#include "npu-ethernet-network.h"
#include "npu-packet-parameters.h"

#include "base/errors.h"
#include "base/quantities.h"
#include "engine/clock_limit.h"
#include "topology/headroom.h"
#include "topology/pair_hash.h"
#include "topology/transport_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace npunet::packet
{

namespace
{

/**
 * A packet that never finds room would be sent again for ever.
 * @param description the network
 */
void
CheckRoom(const topology::NetworkDescription& description)
{
    const topology::PacketParameters& packet = description.packet;
    const std::int64_t largest = topology::largest_packet(packet).value();
    if (packet.flow_control == topology::FlowControl::Pfc)
    {
        const std::int64_t headroom = packet.shared_buffer.headroom.value();
        if (headroom > 0 && headroom < largest)
        {
            throw InputError({"",
                              "packet.pfc.headroom",
                              fmt::format("{} bytes", headroom),
                              fmt::format("room for at least one packet, {} bytes", largest),
                              "enlarge it, or leave it to 'auto'"});
        }
        return;
    }
    const double alpha = packet.shared_buffer.alpha;
    for (std::size_t node = 0; node < description.graph.nodes(); ++node)
    {
        const std::int64_t room = description.shared_buffer_of(NodeId(node)).value();
        if (std::min(alpha, 1.0) * static_cast<double>(room) >= static_cast<double>(largest) ||
            description.graph.links_to(NodeId(node)).empty())
        {
            continue;
        }
        throw InputError(
            {"",
             "packet.buffer",
             fmt::format("{} bytes in {}, of which a queue may have {:g} times what is "
                         "free",
                         room,
                         description.graph.name(NodeId(node)),
                         alpha),
             fmt::format("room for at least one packet in a queue, {} bytes", largest),
             "enlarge packet.buffer or packet.pfc.alpha"});
    }
}

/**
 * @param description the network
 * @return the same, when the network can work with it
 */
const topology::NetworkDescription&
CheckedForEthernet(const topology::NetworkDescription& description)
{
    CheckPacketParameters(description.packet);
    topology::check_transport(description, "", "packet");
    CheckRoom(description);
    return description;
}

/**
 * @param graph the network
 * @return by link: the link back, NONE where there is none; parallel links in their order
 */
std::vector<std::uint32_t>
LinksBack(const topology::Graph& graph)
{
    std::vector<std::uint32_t> back(graph.links(), NONE);
    for (std::uint32_t forth = 0; forth < graph.links(); ++forth)
    {
        if (back[forth] != NONE)
        {
            continue;
        }
        const topology::Link& link = graph.link(LinkId(std::size_t{forth}));
        for (const LinkId candidate : graph.links_from(link.to))
        {
            const std::size_t number = candidate.index();
            if (graph.link(candidate).to == link.from && back[number] == NONE && number != forth)
            {
                back[forth] = static_cast<std::uint32_t>(number);
                back[number] = forth;
                break;
            }
        }
    }
    return back;
}

/**
 * Requests to pause go back by the link that they are about.
 * @param graph the network
 * @param back as LinksBack() gave it
 */
void
CheckLinksBack(const topology::Graph& graph, const std::vector<std::uint32_t>& back)
{
    for (std::size_t number = 0; number < back.size(); ++number)
    {
        if (back[number] == NONE)
        {
            const topology::Link& link = graph.link(LinkId(number));
            throw InputError({"",
                              "packet.flow_control",
                              fmt::format("pfc, and no link back for {} -> {}",
                                          graph.name(link.from),
                                          graph.name(link.to)),
                              "a link back for every link, by which it can be told to pause",
                              "Add it, or use flow_control: credit"});
        }
    }
}

/**
 * @param description the network
 * @return whether anybody looks at marks
 */
bool
WantsMarks(const topology::NetworkDescription& description)
{
    const CongestionNeeds needs = NeedsOf(description.packet.congestion_control);
    return needs.echo || needs.notificationInterval > 0;
}

/**
 * @param description the network
 * @return whether switches cut the payload off instead of dropping packets
 */
bool
Trims(const topology::NetworkDescription& description)
{
    const topology::CongestionControlChoice& choice = description.packet.congestion_control;
    return description.packet.flow_control == topology::FlowControl::None &&
           choice.algorithm == topology::CongestionAlgorithm::ReceiverCredit &&
           topology::value_of(choice, "trimming") != 0;
}

} // namespace

EthernetNetwork::EthernetNetwork(const topology::NetworkDescription& description,
                                 engine::EventQueue& queue)
    : m_description(CheckedForEthernet(description)), m_simulation(queue), m_time(queue),
      m_header(
          static_cast<std::uint32_t>(std::max<std::int64_t>(description.packet.header.value(), 1))),
      m_fullWire(
          static_cast<std::uint32_t>((description.packet.mtu + description.packet.header).value())),
      m_classCount(description.packet.classes.count),
      m_cutThrough(description.packet.switching == topology::Switching::CutThrough),
      m_pauses(description.packet.flow_control == topology::FlowControl::Pfc),
      m_marksWanted(WantsMarks(description)), m_trims(Trims(description)),
      m_ports(description.graph.links()), m_queues(description.graph.links() * m_classCount),
      m_classes(description.packet.classes, 1, description.graph.links()), m_clock(description),
      m_errors(description.packet.error_rate, description.packet.seed),
      m_markSeed(topology::mixed(description.packet.seed ^ 0x6d61726b)),
      m_transmissions(m_errors.Any() ? description.graph.links() : 0),
      m_lastArrival(m_errors.Any() || m_clock.faulty() ? description.graph.links() : 0),
      m_histograms(description.packet.queue_histogram ? description.graph.links() : 0),
      m_routes(description, m_ports, m_clock),
      m_pairs(description, {m_time, m_packets, m_telemetry, m_routes, *this}, *this)
{
    const topology::Graph& graph = description.graph;
    const std::vector<std::uint32_t> back = LinksBack(graph);
    if (m_pauses)
    {
        CheckLinksBack(graph, back);
    }
    const topology::EcnParameters& ecn = description.packet.ecn;
    Time longestPacket;
    Time longestLatency;
    for (std::uint32_t number = 0; number < m_ports.size(); ++number)
    {
        const LinkId id(std::size_t{number});
        const topology::Link& link = graph.link(id);
        EthernetPort& port = m_ports[number];
        port.latency = link.latency.ps();
        port.rate = link.rate.bytes_per_second();
        port.fullTime = transfer_time(Bytes(m_fullWire), link.rate).ps();
        port.reverse = back[number];
        port.node = static_cast<std::uint32_t>(link.from.index());
        port.irregular = m_errors.Any() || m_clock.faulty(id);
        port.startsHere = link.from.index() < graph.npus();
        longestPacket = std::max(longestPacket, Time::ps(port.fullTime));
        longestLatency = std::max(longestLatency, link.latency);
        const double share =
            ecn.per.bytes_per_second() == 0
                ? 1.0
                : static_cast<double>(port.rate) / static_cast<double>(ecn.per.bytes_per_second());
        m_kmin.push_back(static_cast<std::int64_t>(static_cast<double>(ecn.kmin.value()) * share));
        m_kmax.push_back(static_cast<std::int64_t>(static_cast<double>(ecn.kmax.value()) * share));
    }
    m_buffer = std::make_unique<SharedBuffer>(
        description, topology::largest_packet(description.packet).value(), back);
    const Time reach = engine::later(engine::later(longestPacket, longestLatency), longestLatency);
    m_lastStart = (Time::max() - reach).ps();
    SetTrains(true);
}

std::vector<engine::LinkUse>
EthernetNetwork::link_use() const
{
    std::vector<engine::LinkUse> uses;
    uses.reserve(m_ports.size());
    for (std::size_t number = 0; number < m_ports.size(); ++number)
    {
        const EthernetPort& port = m_ports[number];
        engine::LinkUse use{
            Bytes(port.payload), Bytes(port.sent), Time::ps(port.busy), Bytes(port.maxQueue)};
        use.packets = static_cast<std::uint64_t>(port.packets);
        use.retransmissions = static_cast<std::uint64_t>(port.repeated);
        const std::int64_t still = port.paused != 0 ? m_time.Now() - port.pausedAt : 0;
        use.credit_stall = Time::ps(port.pauseTime + still);
        use.pauses = static_cast<std::uint64_t>(port.pauses);
        use.marked = static_cast<std::uint64_t>(port.marked);
        use.drops = static_cast<std::uint64_t>(port.drops);
        if (!m_histograms.empty())
        {
            use.queue_times = m_histograms[number].GetTimes();
        }
        if (m_classCount > 1)
        {
            use.classes_wire = ClassesWire(number);
        }
        uses.push_back(std::move(use));
    }
    return uses;
}

std::vector<engine::FlowUse>
EthernetNetwork::flow_use() const
{
    std::vector<engine::FlowUse> uses;
    for (const QueuePair& pair : m_pairs.GetPairs())
    {
        engine::FlowUse use;
        use.flow = {NodeId(std::size_t{pair.source}),
                    NodeId(std::size_t{pair.destination}),
                    pair.trafficClass};
        use.counts.packets = static_cast<std::uint64_t>(pair.use.packets);
        use.counts.retransmissions = static_cast<std::uint64_t>(pair.use.repeated);
        use.counts.timeouts = static_cast<std::uint64_t>(pair.use.timeouts);
        use.counts.marked = static_cast<std::uint64_t>(pair.use.marked);
        use.counts.notifications = static_cast<std::uint64_t>(pair.use.notified);
        uses.push_back(use);
    }
    std::sort(uses.begin(), uses.end(), [](const engine::FlowUse& a, const engine::FlowUse& b) {
        return a.flow < b.flow;
    });
    return uses;
}

std::vector<Bytes>
EthernetNetwork::ClassesWire(std::size_t port) const
{
    std::vector<Bytes> wires;
    for (std::uint32_t number = 0; number < m_classCount; ++number)
    {
        wires.emplace_back(m_classes.ofPorts[port * m_classCount + number].wire);
    }
    return wires;
}

std::uint64_t
EthernetNetwork::packet_hops() const
{
    std::uint64_t hops = 0;
    for (const EthernetPort& port : m_ports)
    {
        hops += static_cast<std::uint64_t>(port.packets);
    }
    return hops;
}

void
EthernetNetwork::ListQueued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function)
{
    Settle();
    for (std::uint32_t number = 0; number < m_classCount; ++number)
    {
        std::uint32_t place = m_queues[link.index() * m_classCount + number].line.head;
        for (; place != NONE; place = m_packets[place].next)
        {
            function(link, Bytes(m_packets[place].wire), Time::ps(m_packets[place].ready));
        }
    }
}

} // namespace npunet::packet
