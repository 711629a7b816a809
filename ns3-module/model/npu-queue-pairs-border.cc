/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// QueuePairs in one part of a split network. A queue pair whose ends are in different parts is in
// both: what its sender knows in that of its source, what its receiver knows in that of its
// destination, where its messages become known with the first packet that comes.

#include "npu-queue-pairs.h"

namespace npunet::packet
{

void
QueuePairs::OpenAtBorder(std::uint32_t place, const engine::Message& message)
{
    BorderMessage& known = m_border->OfMessage(place);
    known = BorderMessage();
    known.id = message.id.value();
    known.start = Now();
    known.bytes = message.bytes.value();
    known.source = message.source;
    known.destination = message.destination;
    if (!m_border->Owns(message.destination))
    {
        known.label = m_border->Cut().LabelOf(message.handle);
        m_messages[place].delivered = true;
    }
}

void
QueuePairs::TakeAlong(std::uint32_t place, std::uint32_t number, std::uint32_t message)
{
    EthernetCargo& cargo = m_border->OfPacket(place);
    cargo.pair = m_pairs[number].key;
    if (message != NONE)
    {
        cargo.first = m_messages[message].first;
        cargo.message = m_border->OfMessage(message);
        cargo.message.firstByteLeft = m_messages[message].firstByteLeft;
    }
}

void
QueuePairs::ComeToEnd(std::uint32_t place, EthernetPacket& packet)
{
    const EthernetCargo& cargo = m_border->OfPacket(place);
    packet.pair = PairOf(cargo.pair);
    if (packet.kind == PacketKind::DATA && !SendsHere(m_pairs[packet.pair]) &&
        packet.sequence >= m_pairs[packet.pair].expected)
    {
        MeetMessage(packet.pair, cargo);
    }
}

void
QueuePairs::MeetMessage(std::uint32_t number, const EthernetCargo& cargo)
{
    QueuePair& pair = m_pairs[number];
    std::uint32_t before = NONE;
    std::uint32_t behind = pair.delivering;
    while (behind != NONE && m_messages[behind].first < cargo.first)
    {
        before = behind;
        behind = m_messages[behind].next;
    }
    if (behind != NONE && m_messages[behind].first == cargo.first)
    {
        return;
    }
    const std::uint32_t place = m_messages.Take();
    ++m_underWay;
    PairMessage& record = m_messages[place];
    record.id = cargo.message.id;
    record.bytes = cargo.message.bytes;
    record.firstByteLeft = cargo.message.firstByteLeft;
    record.first = cargo.first;
    record.last = cargo.first + PacketsOf(record.bytes) - 1;
    record.pair = number;
    record.next = behind;
    record.acknowledged = true;
    (before == NONE ? pair.delivering : m_messages[before].next) = place;
    m_border->OfMessage(place) = cargo.message;
}

} // namespace npunet::packet
