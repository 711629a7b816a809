/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// EthernetNetwork as one part of a split network: what crosses its border.

#include "npu-ethernet-network.h"

#include <cassert>
#include <utility>

namespace npunet::packet
{

void
EthernetNetwork::Split(std::vector<bool> owned, PacketCut& cut)
{
    m_border = std::make_unique<EthernetBorder>(m_description.graph, std::move(owned), cut);
    for (std::size_t number = 0; number < m_ports.size(); ++number)
    {
        m_ports[number].cut = m_border->IsCut(LinkId(number));
    }
    m_pairs.Split(*m_border);
    SetTrains(m_trainsWanted);
    // Nobody here knows what is under way elsewhere: each part goes through all epochs.
    if (m_routes.GetDetours() != nullptr)
    {
        AwaitEpoch();
    }
}

void
EthernetNetwork::LeaveByCut(std::uint32_t portNumber, std::uint32_t place)
{
    const EthernetPacket& packet = m_packets[place];
    BorderFrame& frame = m_border->Begin(static_cast<std::uint8_t>(packet.kind));
    frame.Add(portNumber);
    frame.Add(packet);
    if (!IsRequest(packet.kind))
    {
        const EthernetCargo& cargo = m_border->OfPacket(place);
        frame.Add(cargo.pair);
        if (m_routes.AreChosen())
        {
            frame.Add(m_routes.WayOf(place));
        }
        else
        {
            frame.Add(packet.hop - FirstHopOf(packet.kind, cargo.pair));
        }
        if (packet.kind == PacketKind::DATA)
        {
            frame.Add(cargo.first);
            frame.Add(cargo.message);
        }
        if (packet.telemetry != NONE)
        {
            for (const HopTelemetry& written : m_telemetry[packet.telemetry])
            {
                frame.Add(written);
            }
        }
    }
    m_telemetry.Free(packet.telemetry);
    m_packets.Free(place);
    m_border->SendAlong(LinkId(std::size_t{portNumber}), Time::ps(m_time.Now()));
}

void
EthernetNetwork::Enter(const std::uint8_t* data, std::size_t size)
{
    BorderFrameReader reader(data, size);
    const auto link = reader.Take<std::uint32_t>();
    const std::uint32_t place = m_packets.Take();
    EthernetPacket& packet = m_packets[place];
    packet = reader.Take<EthernetPacket>();
    packet.pair = NONE;
    if (!IsRequest(packet.kind))
    {
        EthernetCargo& cargo = m_border->OfPacket(place);
        cargo.pair = reader.Take<std::uint64_t>();
        if (m_routes.AreChosen())
        {
            m_routes.WayOf(place) = reader.Take<EthernetWay>();
        }
        else
        {
            packet.hop = FirstHopOf(packet.kind, cargo.pair) + reader.Take<std::uint32_t>();
        }
        if (packet.kind == PacketKind::DATA)
        {
            cargo.first = reader.Take<std::uint64_t>();
            cargo.message = reader.Take<BorderMessage>();
        }
        if (packet.telemetry != NONE)
        {
            packet.telemetry = m_telemetry.Take();
            while (!reader.IsAtEnd())
            {
                m_telemetry[packet.telemetry].push_back(reader.Take<HopTelemetry>());
            }
        }
    }
    assert(reader.IsAtEnd() && packet.ready >= m_time.Now());
    if (m_observer != nullptr)
    {
        m_observer->PacketEntered(
            LinkId(std::size_t{link}), Bytes(packet.wire), Time::ps(packet.arrival));
    }
    Fly(link, place);
}

std::uint32_t
EthernetNetwork::FirstHopOf(PacketKind kind, std::uint64_t key)
{
    const std::uint32_t source = QueuePair::SourceOf(key);
    const std::uint32_t destination = QueuePair::DestinationOf(key);
    return GoesForth(kind) ? m_routes.FirstHop(source, destination)
                           : m_routes.FirstHop(destination, source);
}

} // namespace npunet::packet
