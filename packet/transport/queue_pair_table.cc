/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/queue_pair_table.h"

#include "base/quantities.h"

#include <algorithm>
#include <memory>

namespace npunet::packet
{

using topology::TransportKind;

std::uint32_t
PairTable::NumberOf(std::uint64_t key)
{
    const auto found = m_numbers.find(key);
    if (found != m_numbers.end())
    {
        return found->second;
    }
    const auto number = static_cast<std::uint32_t>(m_pairs.size());
    m_numbers.emplace(key, number);
    m_pairs.emplace_back();
    QueuePair& pair = m_pairs.back();
    pair.key = key;
    pair.source = QueuePair::SourceOf(key);
    pair.destination = QueuePair::DestinationOf(key);
    pair.trafficClass = static_cast<std::uint8_t>(key & 0xff);
    if (!m_routes.AreChosen())
    {
        pair.forth = m_routes.FirstHop(pair.source, pair.destination);
        pair.back = m_routes.FirstHop(pair.destination, pair.source);
        pair.port = m_routes.LinkAt(pair.forth);
    }
    if (m_description.packet.transport.kind == TransportKind::None)
    {
        pair.window = CongestionControl::NO_WINDOW;
    }
    else
    {
        OpenTransport(pair);
    }
    return number;
}

void
PairTable::OpenTransport(QueuePair& pair) const
{
    const FlowPath path = PathOf(pair);
    const topology::TransportParameters& transport = m_description.packet.transport;
    const topology::CongestionControlChoice& choice = m_description.packet.congestion_control;
    const std::int64_t product = 2 * capped_whole(path.BandwidthDelay()) + 1;
    pair.window = transport.window.value() > 0
                      ? transport.window.value()
                      : product + (transport.ack_every + 1) * m_sizes.Full();
    constexpr std::int64_t leastTimeout = 500'000'000;
    pair.timeout = transport.rto > Time()
                       ? transport.rto.ps()
                       : std::max(leastTimeout, capped_product(8, path.roundTrip));
    if (choice.algorithm == topology::CongestionAlgorithm::ReceiverCredit)
    {
        OpenCredit(pair, path);
    }
    if (!m_border.SendsHere(pair))
    {
        return;
    }
    pair.control = MakeCongestionControl(choice, path);
    if (transport.kind == TransportKind::SelectiveRepeat)
    {
        pair.selective = std::make_unique<SelectiveState>();
    }
}

FlowPath
PairTable::PathOf(const QueuePair& pair) const
{
    const NodeId source(std::size_t{pair.source});
    const NodeId destination(std::size_t{pair.destination});
    const topology::Graph& graph = m_description.graph;
    const std::vector<topology::Hop> forth = m_description.route(source, destination);
    FlowPath path;
    path.hops = static_cast<std::int32_t>(forth.size());
    path.packet = m_sizes.Full();
    path.rate = graph.link(forth.front().link).rate.bytes_per_second();
    path.slowest = path.rate;
    const bool cutThrough = m_description.packet.switching == topology::Switching::CutThrough;
    Time trip;
    Time longest;
    for (const topology::Hop& hop : forth)
    {
        const topology::Link& link = graph.link(hop.link);
        const Time sending = transfer_time(Bytes(m_sizes.Full()), link.rate);
        path.slowest = std::min(path.slowest, link.rate.bytes_per_second());
        longest = std::max(longest, sending);
        trip = later(later(trip, link.latency), cutThrough ? Time() : sending);
    }
    trip = later(trip, cutThrough ? longest : Time());
    for (const topology::Hop& hop : m_description.route(destination, source))
    {
        const topology::Link& link = graph.link(hop.link);
        trip = later(later(trip, link.latency), transfer_time(Bytes(m_sizes.Header()), link.rate));
    }
    path.roundTrip = std::max<std::int64_t>(trip.ps(), 1);
    return path;
}

void
PairTable::OpenCredit(QueuePair& pair, const FlowPath& path) const
{
    const topology::CongestionControlChoice& choice = m_description.packet.congestion_control;
    pair.credit = std::make_unique<CreditState>();
    const double window = topology::value_of(choice, "initial_window") * path.BandwidthDelay();
    pair.credit->initial = std::max<std::int64_t>(capped_whole(window) / m_sizes.Full(), 1);
    const topology::Hop last =
        m_description.route(NodeId(std::size_t{pair.source}), NodeId(std::size_t{pair.destination}))
            .back();
    pair.lastLink = static_cast<std::uint32_t>(last.link.index());
}

} // namespace npunet::packet
