/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/ethernet_boundary_frames.h"

#include "packet/transport/queue_pair.h"

#include <cassert>

namespace npunet::packet
{

void
EthernetFrames::Leave(std::uint32_t number, std::uint32_t place)
{
    const EthernetPacket& packet = m_state.packets[place];
    BorderFrame& frame = m_border.Begin(static_cast<std::uint8_t>(packet.kind));
    frame.Add(number);
    frame.Add(packet);
    if (!IsRequest(packet.kind))
    {
        const EthernetCargo& cargo = m_border.OfPacket(place);
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
            for (const HopTelemetry& written : m_state.telemetry[packet.telemetry])
            {
                frame.Add(written);
            }
        }
    }
    m_state.telemetry.Free(packet.telemetry);
    m_state.packets.Free(place);
    m_border.SendAlong(LinkId(std::size_t{number}), Time::ps(m_state.clock.Now()));
}

void
EthernetFrames::Enter(const std::uint8_t* data, std::size_t size)
{
    BorderFrameReader reader(data, size);
    const auto link = reader.Take<std::uint32_t>();
    const std::uint32_t place = m_state.packets.Take();
    EthernetPacket& packet = m_state.packets[place];
    packet = reader.Take<EthernetPacket>();
    packet.pair = NONE;
    if (!IsRequest(packet.kind))
    {
        EthernetCargo& cargo = m_border.OfPacket(place);
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
            packet.telemetry = m_state.telemetry.Take();
            while (!reader.IsAtEnd())
            {
                m_state.telemetry[packet.telemetry].push_back(reader.Take<HopTelemetry>());
            }
        }
    }
    assert(reader.IsAtEnd() && packet.ready >= m_state.clock.Now());
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketEntered(
            LinkId(std::size_t{link}), Bytes(packet.wire), Time::ps(packet.arrival));
    }
    m_agenda.Fly(link, place);
}

std::uint32_t
EthernetFrames::FirstHopOf(PacketKind kind, std::uint64_t key)
{
    const std::uint32_t source = QueuePair::SourceOf(key);
    const std::uint32_t destination = QueuePair::DestinationOf(key);
    return GoesForth(kind) ? m_routes.FirstHop(source, destination)
                           : m_routes.FirstHop(destination, source);
}

} // namespace npunet::packet
