/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/credit_boundary.h"

#include <cassert>
#include <utility>

namespace npunet::packet
{

BorderTraffic::BorderTraffic(PacketState& state, std::vector<bool> owned, PacketCut& cut)
    : m_state(state), m_border(state.plan.GetGraph(), std::move(owned), cut)
{
    for (std::size_t number = 0; number < m_state.ports.size(); ++number)
    {
        m_state.ports[number].cut = m_border.IsCut(LinkId(number)) ? 1U : 0U;
    }
}

void
BorderTraffic::OpenOwn(std::uint32_t place, const engine::Message& sent)
{
    assert(m_border.Owns(sent.source) && "a message starts in the part of its source");
    const MessageRecord& record = m_state.messages[place];
    BorderMessage message;
    message.id = record.id;
    message.start = record.start;
    message.bytes = record.bytes;
    message.source = sent.source;
    message.destination = sent.destination;
    message.trafficClass = m_state.classes.Of(sent);
    if (!m_border.Owns(sent.destination))
    {
        message.label = m_border.Cut().LabelOf(sent.handle);
    }
    m_border.Open(place, message);
    m_border.Hold(place);
}

void
BorderTraffic::EndSource(std::uint32_t message)
{
    if (!m_border.Owns(m_border[message].destination))
    {
        m_border.Cut().MessageHasLeft(m_state.messages[message].handle);
    }
    Release(message);
}

bool
BorderTraffic::Deliver(std::uint32_t message)
{
    const BorderMessage known = m_border[message];
    Release(message);
    if (m_border.Owns(known.source))
    {
        return true;
    }
    m_border.Cut().MessageArrives(known);
    return false;
}

void
BorderTraffic::Leave(std::uint32_t portNumber, std::uint32_t place, const Crossing& crossing)
{
    const PacketPort& port = m_state.ports[portNumber];
    const QueuedPacket& packet = m_state.packets[place];
    const MessageRecord& record = m_state.messages[packet.message];
    BorderPacket leaving;
    leaving.message = m_border[packet.message];
    leaving.message.firstByteLeft = record.firstByteLeft;
    leaving.number = port.packets;
    leaving.arrival = crossing.arrival;
    leaving.headerIn = crossing.headerIn;
    leaving.born = m_state.oldest ? m_state.packets.Born(place) : 0;
    leaving.link = portNumber;
    leaving.payload = packet.payload;
    leaving.last = packet.last == 1;
    if (m_state.ways.router == nullptr)
    {
        leaving.hop = packet.hop - record.hop;
    }
    else
    {
        leaving.way = m_state.ways.OfPacket(place);
    }
    const std::uint32_t message = packet.message;
    m_state.packets.Free(place, 0);
    m_border.Begin(BorderPacket::FRAME).Add(leaving);
    m_border.SendAlong(LinkId(std::size_t{portNumber}), m_state.events.now());
    Release(message);
}

void
BorderTraffic::SendCreditBack(const MailedCredit& credit)
{
    m_border.Begin(BorderCredit::FRAME)
        .Add(BorderCredit{credit.stamp, credit.port, credit.channel, credit.wire});
    m_border.SendBack(LinkId(std::size_t{credit.port}), m_state.events.now());
}

} // namespace npunet::packet
