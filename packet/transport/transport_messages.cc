/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/transport_messages.h"

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

void
TransportMessages::Open(const engine::Message& message, std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    const bool receivesHere = m_border.ReceivesHere(pair);
    const std::uint32_t place = m_messages.Take();
    ++m_underWay;
    PairMessage& record = m_messages[place];
    record.id = message.id.value();
    record.bytes = message.bytes.value();
    record.pair = number;
    record.handle = message.handle;
    record.wantsSent = message.wants_sent;
    record.delivered = !receivesHere;
    record.first = pair.end;
    pair.end += m_sizes.PacketsOf(record.bytes);
    record.last = pair.end - 1;
    if (pair.newest != NONE)
    {
        m_messages[pair.newest].next = place;
    }
    pair.newest = place;
    m_border.Open(place, message, m_clock.Now());
    for (std::uint32_t* pointer : {&pair.sending, &pair.acknowledging, &pair.delivering})
    {
        const bool here = pointer != &pair.delivering || receivesHere;
        *pointer = *pointer == NONE && here ? place : *pointer;
    }
    if (pair.use.started < 0)
    {
        pair.use.started = m_clock.Now();
    }
}

void
TransportMessages::Meet(std::uint32_t number, const EthernetCargo& cargo)
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
    record.last = cargo.first + m_sizes.PacketsOf(record.bytes) - 1;
    record.pair = number;
    record.next = behind;
    record.acknowledged = true;
    (before == NONE ? pair.delivering : m_messages[before].next) = place;
    m_border.Meet(place, cargo.message);
}

void
TransportMessages::SenderIsDone(std::uint32_t place, std::int64_t at)
{
    PairMessage& message = m_messages[place];
    m_host.MessagesChange();
    if (!message.wantsSent)
    {
        const std::uint32_t handle = message.handle;
        const bool leaves = !m_border.ReceivesHere(m_pairs[message.pair]);
        message.acknowledged = true;
        FreeIfDone(place);
        if (leaves)
        {
            m_border.MessageHasLeft(handle);
        }
        return;
    }
    m_clock.Schedule(at,
                     EventKey::of(Phase::Arrival, engine::event_kind::message_sent, message.id),
                     m_sentEvent,
                     place);
}

bool
TransportMessages::Deliver(QueuePair& pair)
{
    bool any = false;
    while (pair.delivering != NONE && m_messages[pair.delivering].last < pair.expected)
    {
        const std::uint32_t place = pair.delivering;
        const PairMessage& message = m_messages[place];
        const std::int64_t now = m_clock.Now();
        pair.delivering = message.next;
        pair.use.ended = now;
        pair.use.delivered += message.bytes;
        ++pair.use.messages;
        m_host.MessagesChange();
        m_clock.Schedule(
            now,
            EventKey::of(Phase::Arrival, engine::event_kind::message_delivered, message.id),
            m_deliveredEvent,
            place);
        any = true;
    }
    return any;
}

void
TransportMessages::Sent(std::uint32_t place)
{
    PairMessage& message = m_messages[place];
    const std::uint32_t handle = message.handle;
    const bool leaves = !m_border.ReceivesHere(m_pairs[message.pair]);
    message.acknowledged = true;
    FreeIfDone(place);
    m_listener->on_sent(handle);
    if (leaves)
    {
        m_border.MessageHasLeft(handle);
    }
}

void
TransportMessages::Delivered(std::uint32_t place)
{
    PairMessage& message = m_messages[place];
    const std::uint32_t handle = message.handle;
    const Time left = Time::ps(message.firstByteLeft);
    const bool comesFromAfar = !m_border.SendsHere(m_pairs[message.pair]);
    message.delivered = true;
    FreeIfDone(place);
    if (comesFromAfar)
    {
        m_border.MessageArrives(place);
        return;
    }
    m_listener->on_delivered(handle, left);
}

void
TransportMessages::FreeIfDone(std::uint32_t place)
{
    const PairMessage& message = m_messages[place];
    if (!message.acknowledged || !message.delivered)
    {
        return;
    }
    QueuePair& pair = m_pairs[message.pair];
    if (pair.newest == place)
    {
        pair.newest = NONE;
    }
    m_messages.Free(place);
    --m_underWay;
}

} // namespace npunet::packet
