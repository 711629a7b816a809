/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/boundary_entry.h"

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

BorderEntrance::BorderEntrance(PacketMover& mover, BorderTraffic& border, DetourEpochs& epochs)
    : m_state(mover.State()), m_mover(mover), m_border(border), m_epochs(epochs)
{
}

void
BorderEntrance::Enter(const std::uint8_t* data, std::size_t size)
{
    BorderFrameReader reader(data, size);
    if (reader.GetKind() == BorderPacket::FRAME)
    {
        const auto packet = reader.Take<BorderPacket>();
        // One packet of a link at a time; those of several links in the order of these.
        m_state.events.schedule(
            m_state.events.now(),
            EventKey::of(Phase::Arrival, engine::event_kind::border, packet.link),
            m_enterEvent,
            m_border.Border().Keep(packet));
    }
    else
    {
        const auto credit = reader.Take<BorderCredit>();
        m_mover.TakeCredit({credit.stamp, credit.link, credit.channel, credit.wire});
    }
}

void
BorderEntrance::EnterPacket(std::uint32_t number)
{
    const BorderPacket entering = m_border.Border().Take(number);
    const LinkId link(std::size_t{entering.link});
    const std::uint32_t message = Open(entering.message);
    m_border.Hold(message);
    if (m_state.observer != nullptr)
    {
        m_state.observer->PacketEntered(
            link, Bytes(m_state.WireBytes(entering.payload)), Time::ps(entering.arrival));
    }
    if (m_state.plan.GetGraph().link(link).to == entering.message.destination)
    {
        m_mover.Arrive(m_state.ports[entering.link], message, entering.last, entering.arrival);
        return;
    }
    const std::uint32_t place = m_state.packets.Take(0);
    QueuedPacket& packet = m_state.packets[place];
    packet.message = message;
    packet.payload = entering.payload & 0x7fffffff;
    packet.last = entering.last ? 1U : 0U;
    if (m_state.oldest)
    {
        m_state.packets.Born(place) = entering.born;
    }
    if (m_state.ways.router == nullptr)
    {
        packet.hop = m_state.messages[message].hop + entering.hop;
    }
    else
    {
        m_state.ways.OfPacket(place) = entering.way;
        packet.hop = PacketWays::HopOfPacket(place);
    }
    Crossing crossing;
    crossing.arrival = entering.arrival;
    crossing.headerIn = entering.headerIn;
    m_mover.GoOn(entering.link, place, crossing, entering.number);
}

std::uint32_t
BorderEntrance::Open(const BorderMessage& message)
{
    const std::uint32_t known = m_border.Border().Find(message.id);
    if (known != NONE)
    {
        return known;
    }
    const std::uint32_t place = m_state.messages.Take();
    MessageRecord& record = m_state.messages[place];
    record.id = message.id;
    record.start = message.start;
    record.bytes = message.bytes;
    record.firstByteLeft = message.firstByteLeft;
    if (m_state.ways.router == nullptr)
    {
        record.hop =
            m_state.plan.FirstHop(message.source, message.destination, message.trafficClass);
    }
    else
    {
        m_epochs.Await();
        m_mover.Finder().OpenForeign(place, message.bytes);
    }
    m_border.Border().Open(place, message);
    return place;
}

} // namespace npunet::packet
