/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The packet machine as one part of a split network: what crosses its border.

#include "npu-packet-machine.h"
#include "npu-packet-rounds.h"

#include "base/quantities.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

namespace
{

/// What a frame has in it.
enum FrameKind : std::uint8_t
{
    PACKET_FRAME = 1, ///< a BorderPacket
    CREDIT_FRAME = 2  ///< a BorderCredit
};

} // namespace

void
PacketMachine::Split(std::vector<bool> owned, PacketCut& cut)
{
    m_border = std::make_unique<PacketBorder>(m_plan.GetGraph(), std::move(owned), cut);
    ChooseGait();
    SetTrains(m_trains);
    for (std::size_t number = 0; number < m_ports.size(); ++number)
    {
        m_ports[number].cut = m_border->IsCut(LinkId(number)) ? 1U : 0U;
    }
}

void
PacketMachine::Enter(const std::uint8_t* data, std::size_t size)
{
    BorderFrameReader reader(data, size);
    if (reader.GetKind() == PACKET_FRAME)
    {
        EnterLater(reader.Take<BorderPacket>());
    }
    else
    {
        TakeCredit(reader.Take<BorderCredit>());
    }
}

void
PacketMachine::EnterLater(const BorderPacket& packet)
{
    // One packet of a link at a time; those of several links in the order of these.
    m_queue.schedule(m_queue.now(),
                     EventKey::of(Phase::Arrival, engine::event_kind::border, packet.link),
                     m_enterEvent,
                     m_border->Keep(packet));
}

void
PacketMachine::TakeCredit(const BorderCredit& credit)
{
    PacketPort& port = m_ports[credit.link];
    Credit(credit.link, credit.channel).Return(credit.stamp, credit.wire);
    if ((port.waiting >> credit.channel & 1U) != 0)
    {
        Arm(credit.link, std::max(port.busyUntil, credit.stamp));
    }
}

void
PacketMachine::OpenOwn(std::uint32_t place, const engine::Message& sent)
{
    assert(m_border->Owns(sent.source) && "a message starts in the part of its source");
    const MessageRecord& record = m_messages[place];
    BorderMessage message;
    message.id = record.id;
    message.start = record.start;
    message.bytes = record.bytes;
    message.source = sent.source;
    message.destination = sent.destination;
    message.trafficClass = m_classes.Of(sent);
    if (!m_border->Owns(sent.destination))
    {
        message.label = m_border->Cut().LabelOf(sent.handle);
    }
    m_border->Open(place, message);
    m_border->Hold(place);
}

std::uint32_t
PacketMachine::OpenForeign(const BorderMessage& message)
{
    const std::uint32_t known = m_border->Find(message.id);
    if (known != NONE)
    {
        return known;
    }
    const std::uint32_t place = m_messages.Take();
    MessageRecord& record = m_messages[place];
    record.id = message.id;
    record.start = message.start;
    record.bytes = message.bytes;
    record.firstByteLeft = message.firstByteLeft;
    if (m_ways.router == nullptr)
    {
        record.hop = m_plan.FirstHop(message.source, message.destination, message.trafficClass);
    }
    else
    {
        WaysOfMessage& ways = m_ways.OfMessage(place);
        ways = WaysOfMessage();
        ways.undelivered = PacketsOf(message.bytes);
    }
    if (m_detours)
    {
        AwaitEpoch();
        ++m_underWay;
    }
    m_border->Open(place, message);
    return place;
}

void
PacketMachine::LeaveByCut(std::uint32_t portNumber, std::uint32_t place, const Crossing& crossing)
{
    const PacketPort& port = m_ports[portNumber];
    const QueuedPacket& packet = m_packets[place];
    const PlannedHop& hop = m_plan[packet.hop];
    const MessageRecord& record = m_messages[packet.message];
    BorderPacket leaving;
    leaving.message = (*m_border)[packet.message];
    leaving.message.firstByteLeft = record.firstByteLeft;
    leaving.number = port.packets;
    leaving.arrival = crossing.arrival;
    leaving.headerIn = crossing.headerIn;
    leaving.born = m_oldest ? m_packets.Born(place) : 0;
    leaving.link = portNumber;
    leaving.payload = packet.payload;
    leaving.last = packet.last == 1;
    if (m_ways.router == nullptr)
    {
        leaving.hop = packet.hop - record.hop;
    }
    else
    {
        leaving.way = m_ways.OfPacket(place);
    }
    if (hop.final)
    {
        // Consumed as it comes in: nobody need tell.
        Credit(portNumber, hop.channel)
            .Return(CreditBack(portNumber, crossing.arrival), WireBytes(packet.payload));
    }
    const std::uint32_t message = packet.message;
    m_packets.Free(place, 0);
    m_border->Begin(PACKET_FRAME).Add(leaving);
    m_border->SendAlong(LinkId(std::size_t{portNumber}), m_queue.now());
    Release(message);
}

void
PacketMachine::EnterPacket(std::uint32_t number)
{
    const BorderPacket entering = m_border->Take(number);
    const LinkId link(std::size_t{entering.link});
    const std::uint32_t message = OpenForeign(entering.message);
    m_border->Hold(message);
    if (m_observer != nullptr)
    {
        m_observer->PacketEntered(
            link, Bytes(WireBytes(entering.payload)), Time::ps(entering.arrival));
    }
    if (m_plan.GetGraph().link(link).to == entering.message.destination)
    {
        if (m_ways.router != nullptr)
        {
            ArriveByWay(message, entering.arrival);
        }
        else if (entering.last)
        {
            Schedule({entering.arrival, message, true});
        }
        Release(message);
        return;
    }
    const std::uint32_t place = m_packets.Take(0);
    QueuedPacket& packet = m_packets[place];
    packet.message = message;
    packet.payload = entering.payload & 0x7fffffff;
    packet.last = entering.last ? 1U : 0U;
    if (m_oldest)
    {
        m_packets.Born(place) = entering.born;
    }
    Crossing crossing;
    crossing.arrival = entering.arrival;
    crossing.headerIn = entering.headerIn;
    if (m_ways.router != nullptr)
    {
        m_ways.OfPacket(place) = entering.way;
        packet.hop = PacketWays::HopOfPacket(place);
        GoOn(place, crossing, entering.number);
        return;
    }
    packet.hop = m_messages[message].hop + entering.hop;
    GoOnByRoute(m_ports[link.index()], place, WireBytes(entering.payload), crossing);
}

void
PacketMachine::SendCreditBack(std::uint32_t link,
                              std::uint32_t channel,
                              std::uint32_t wire,
                              std::int64_t stamp)
{
    m_border->Begin(CREDIT_FRAME).Add(BorderCredit{stamp, link, channel, wire});
    m_border->SendBack(LinkId(std::size_t{link}), m_queue.now());
}

void
PacketMachine::SourceIsDone(std::uint32_t message)
{
    if (!m_border->Owns((*m_border)[message].destination))
    {
        m_border->Cut().MessageHasLeft(m_messages[message].handle);
    }
    Release(message);
}

void
PacketMachine::Release(std::uint32_t message)
{
    if (m_border->Release(message))
    {
        m_messages.Free(message);
        m_underWay -= m_detours ? 1 : 0;
    }
}

} // namespace npunet::packet
