/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/credit_state_scan.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventQueue;

void
StepScan::Scan(engine::PendingEvents& events, const MessageHandlers& handlers)
{
    m_scan.same(std::int64_t{m_state.nearEnd});
    // First what differs most often.
    Events(events, handlers);
    for (std::uint32_t port = 0; port < m_state.ports.size() && !m_scan.differs(); ++port)
    {
        Port(port);
    }
    if (m_scan.moves())
    {
        MoveMessages();
    }
}

void
StepScan::Port(std::uint32_t number)
{
    PacketPort& port = m_state.ports[number];
    m_scan.same(std::int64_t{port.turn} << 1 | std::int64_t{port.starved});
    m_scan.same(port.queued);
    bool waits = false;
    m_state.filled.ForEach(port, 0, [&](std::uint32_t) { return waits = true; });
    m_since = port.busyUntil;
    // Since when the port has been idle counts as long as somebody waits for credit.
    waits ? m_scan.instant(port.busyUntil) : m_scan.ahead(port.busyUntil);
    m_words.clear();
    for (std::uint32_t channel = 0; channel < m_state.channels; ++channel)
    {
        CreditAccount& credit = m_state.Credit(number, channel);
        credit.Describe(m_scan.at(), m_words);
        if (m_scan.moves())
        {
            credit.Shift(m_scan.by());
        }
    }
    m_state.reads.Describe(number, m_scan.at(), m_words);
    if (m_scan.moves())
    {
        m_state.reads.Shift(number, m_scan.by());
    }
    for (const std::int64_t word : m_words)
    {
        m_scan.same(word);
    }
    if (m_state.several)
    {
        ClassOfPort* classes = m_state.classes.OfPort(number);
        for (std::uint32_t i = 0; i < m_state.classes.given.count; ++i)
        {
            m_scan.same(std::int64_t{classes[i].turn});
            m_scan.same(classes[i].lead);
            m_scan.count(classes[i].wire);
        }
    }
    m_state.filled.ForEach(port, 0, [&](std::uint32_t queue) {
        m_scan.same(std::int64_t{queue});
        Queue(number, m_state.queues[queue]);
        return m_scan.differs();
    });
    m_scan.same(std::int64_t{-1});
    const std::int64_t busy = port.busy;
    for (std::int64_t* count : {&port.payload, &port.wire, &port.busy, &port.packets, &port.stall})
    {
        m_scan.count(*count);
    }
    if (m_scan.moves() && m_state.load != nullptr)
    {
        m_state.load->add(number, m_scan.at(), m_scan.at() + m_scan.by(), port.busy - busy);
    }
}

void
StepScan::Queue(std::uint32_t portNumber, VirtualQueue& queue)
{
    if (queue.upstream != NONE)
    {
        m_scan.instant(queue.ready);
        for (std::uint32_t place = queue.head; place != NONE; place = m_state.packets[place].next)
        {
            Packet(place);
        }
        m_scan.same(std::int64_t{-1});
        return;
    }
    const TurnList& turns = m_state.turns[portNumber * m_state.channels + queue.channel];
    m_since = std::max(m_since, m_state.messages[turns.first].start);
    m_scan.same(m_since - m_scan.at());
    std::int64_t served = -1;
    std::int64_t count = 0;
    for (std::uint32_t place = turns.first; place != NONE; place = m_state.messages[place].next)
    {
        served = place == turns.served ? count : served;
        ++count;
        Message(place);
    }
    m_scan.same(served);
    m_scan.same(std::int64_t{-1});
}

void
StepScan::Packet(std::uint32_t place)
{
    QueuedPacket& packet = m_state.packets[place];
    m_scan.instant(packet.ready);
    m_scan.same(std::int64_t{packet.hop});
    m_scan.same(std::int64_t{packet.payload} << 1 | std::int64_t{packet.last});
    if (m_state.oldest)
    {
        m_scan.instant(m_state.packets.Born(place));
    }
    Message(packet.message);
}

void
StepScan::Message(std::uint32_t place)
{
    if (m_scan.moves())
    {
        m_met.push_back(place);
    }
    else
    {
        Record(place);
    }
}

void
StepScan::Record(std::uint32_t place)
{
    MessageRecord& record = m_state.messages[place];
    m_scan.same(record.remaining);
    m_scan.same(std::int64_t{record.hop});
    if (m_scan.moves())
    {
        // What decides is in which order messages have started, which shows in their list.
        record.start += m_scan.by();
        record.firstByteLeft += record.firstByteLeft >= 0 ? m_scan.by() : 0;
    }
    constexpr std::uint64_t mask = engine::MessageId::count_mask;
    std::uint64_t count = record.id & mask;
    m_scan.sequence(count, m_messages.ids());
    m_scan.same(static_cast<std::int64_t>(record.id >> 36));
    record.id = (record.id & ~mask) | count;
    m_messages.scan(m_scan, record.handle);
}

void
StepScan::Events(engine::PendingEvents& events, const MessageHandlers& handlers)
{
    const auto ofMessage = [&](EventQueue::Pending& event) {
        const auto place = static_cast<std::uint32_t>(event.payload);
        Message(place);
        if (m_scan.moves())
        {
            const std::uint64_t id = m_state.messages[place].id + m_messages.ids().step;
            event.key = engine::EventKey::of(engine::Phase::Arrival,
                                             event.handler == &handlers.delivered
                                                 ? engine::event_kind::message_delivered
                                                 : engine::event_kind::message_sent,
                                             id);
        }
    };
    events.scan(m_scan, handlers.delivered, ofMessage);
    events.scan(m_scan, handlers.sent, ofMessage);
}

void
StepScan::MoveMessages()
{
    std::sort(m_met.begin(), m_met.end());
    m_met.erase(std::unique(m_met.begin(), m_met.end()), m_met.end());
    for (const std::uint32_t place : m_met)
    {
        Record(place);
    }
}

} // namespace npunet::packet
