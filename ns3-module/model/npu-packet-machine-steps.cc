/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The packet machine's side of the steady state of collective steps (engine::SteadySteps).

#include "npu-packet-machine.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

using engine::EventQueue;
using engine::FlowProgress;
using engine::StateScan;

/**
 * One scan of the whole machine. Messages have no fixed places: they count as what they are to
 * their receivers, so that those of one step equal those of another.
 */
class PacketMachine::StepScan
{
  public:
    /**
     * @param machine that is scanned
     * @param scan describes, compares or moves
     * @param messages knows what they are to their receivers
     */
    StepScan(PacketMachine& machine, StateScan& scan, engine::MessageScanner& messages)
        : m_machine(machine), m_scan(scan), m_messages(messages)
    {
    }

    /**
     * @param number of a port
     */
    void Port(std::uint32_t number);

    /**
     * @param events of the queue
     */
    void Events(engine::PendingEvents& events);

    /// Moves on what is known of the messages that were met.
    void MoveMessages();

  private:
    /**
     * @param portNumber the port
     * @param queue one of its queues, not empty
     */
    void Queue(std::uint32_t portNumber, VirtualQueue& queue);

    /**
     * @param place of a packet in a queue
     */
    void Packet(std::uint32_t place);

    /**
     * @param place of a message, wherever it is met
     */
    void Message(std::uint32_t place);

    /**
     * What decides, of a message; moves it on, too.
     * @param place of the message
     */
    void Record(std::uint32_t place);

    PacketMachine& m_machine;           ///< that is scanned
    StateScan& m_scan;                  ///< describes, compares or moves
    engine::MessageScanner& m_messages; ///< knows messages
    std::vector<std::uint32_t> m_met;   ///< moving: messages, more than once
    std::vector<std::int64_t> m_words;  ///< of one port
    std::int64_t m_since = 0;           ///< nobody has waited longer for a port's credit
};

void
PacketMachine::StepScan::Port(std::uint32_t number)
{
    PacketPort& port = m_machine.m_ports[number];
    m_scan.same(std::int64_t{port.turn} << 1 | std::int64_t{port.starved});
    m_scan.same(port.queued);
    bool waits = false;
    m_machine.ForEachQueue(port, 0, [&](std::uint32_t) { return waits = true; });
    m_since = port.busyUntil;
    // Since when the port has been idle counts as long as somebody waits for credit.
    waits ? m_scan.instant(port.busyUntil) : m_scan.ahead(port.busyUntil);
    m_words.clear();
    for (std::uint32_t channel = 0; channel < m_machine.m_channels; ++channel)
    {
        CreditAccount& credit = m_machine.Credit(number, channel);
        credit.Describe(m_scan.at(), m_words);
        if (m_scan.moves())
        {
            credit.Shift(m_scan.by());
        }
    }
    m_machine.m_reads.Describe(number, m_scan.at(), m_words);
    if (m_scan.moves())
    {
        m_machine.m_reads.Shift(number, m_scan.by());
    }
    for (const std::int64_t word : m_words)
    {
        m_scan.same(word);
    }
    if (m_machine.m_several)
    {
        ClassOfPort* classes = m_machine.m_classes.OfPort(number);
        for (std::uint32_t i = 0; i < m_machine.m_classes.given.count; ++i)
        {
            m_scan.same(std::int64_t{classes[i].turn});
            m_scan.same(classes[i].lead);
            m_scan.count(classes[i].wire);
        }
    }
    m_machine.ForEachQueue(port, 0, [&](std::uint32_t queue) {
        m_scan.same(std::int64_t{queue});
        Queue(number, m_machine.m_queues[queue]);
        return m_scan.differs();
    });
    m_scan.same(std::int64_t{-1});
    const std::int64_t busy = port.busy;
    for (std::int64_t* count : {&port.payload, &port.wire, &port.busy, &port.packets, &port.stall})
    {
        m_scan.count(*count);
    }
    if (m_scan.moves() && m_machine.m_load != nullptr)
    {
        m_machine.m_load->add(number, m_scan.at(), m_scan.at() + m_scan.by(), port.busy - busy);
    }
}

void
PacketMachine::StepScan::Queue(std::uint32_t portNumber, VirtualQueue& queue)
{
    if (queue.upstream != NONE)
    {
        m_scan.instant(queue.ready);
        for (std::uint32_t place = queue.head; place != NONE;
             place = m_machine.m_packets[place].next)
        {
            Packet(place);
        }
        m_scan.same(std::int64_t{-1});
        return;
    }
    const TurnList& turns = m_machine.m_turns[portNumber * m_machine.m_channels + queue.channel];
    m_since = std::max(m_since, m_machine.m_messages[turns.first].start);
    m_scan.same(m_since - m_scan.at());
    std::int64_t served = -1;
    std::int64_t count = 0;
    for (std::uint32_t place = turns.first; place != NONE; place = m_machine.m_messages[place].next)
    {
        served = place == turns.served ? count : served;
        ++count;
        Message(place);
    }
    m_scan.same(served);
    m_scan.same(std::int64_t{-1});
}

void
PacketMachine::StepScan::Packet(std::uint32_t place)
{
    QueuedPacket& packet = m_machine.m_packets[place];
    m_scan.instant(packet.ready);
    m_scan.same(std::int64_t{packet.hop});
    m_scan.same(std::int64_t{packet.payload} << 1 | std::int64_t{packet.last});
    if (m_machine.m_oldest)
    {
        m_scan.instant(m_machine.m_packets.Born(place));
    }
    Message(packet.message);
}

void
PacketMachine::StepScan::Message(std::uint32_t place)
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
PacketMachine::StepScan::Record(std::uint32_t place)
{
    MessageRecord& record = m_machine.m_messages[place];
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
PacketMachine::StepScan::Events(engine::PendingEvents& events)
{
    const auto ofMessage = [&](EventQueue::Pending& event) {
        const auto place = static_cast<std::uint32_t>(event.payload);
        Message(place);
        if (m_scan.moves())
        {
            const std::uint64_t id = m_machine.m_messages[place].id + m_messages.ids().step;
            event.key = engine::EventKey::of(engine::Phase::Arrival,
                                             event.handler == &m_machine.m_deliveredEvent
                                                 ? engine::event_kind::message_delivered
                                                 : engine::event_kind::message_sent,
                                             id);
        }
    };
    events.scan(m_scan, m_machine.m_deliveredEvent, ofMessage);
    events.scan(m_scan, m_machine.m_sentEvent, ofMessage);
    // When ports have to decide follows from their states.
    events.accompany(m_scan, m_machine.m_wakeEvent);
    events.accompany(m_scan, m_machine.m_turnEvent);
    events.accompany(m_scan, m_machine.m_steady->Looker());
}

void
PacketMachine::StepScan::MoveMessages()
{
    std::sort(m_met.begin(), m_met.end());
    m_met.erase(std::unique(m_met.begin(), m_met.end()), m_met.end());
    for (const std::uint32_t place : m_met)
    {
        Record(place);
    }
}

bool
PacketMachine::prepare_scan()
{
    const bool possible = m_steady && m_observer == nullptr &&
                          std::none_of(m_ports.begin(), m_ports.end(), [](const PacketPort& port) {
                              return port.irregular == 1;
                          });
    if (possible)
    {
        m_steady->Settle();
    }
    return possible;
}

void
PacketMachine::scan(StateScan& scan,
                    engine::MessageScanner& messages,
                    engine::PendingEvents& events)
{
    if (scan.moves())
    {
        m_steady->Forget();
    }
    StepScan steps(*this, scan, messages);
    scan.same(std::int64_t{m_nearEnd});
    // First what differs most often.
    steps.Events(events);
    for (std::uint32_t port = 0; port < m_ports.size() && !scan.differs(); ++port)
    {
        steps.Port(port);
    }
    if (!scan.moves())
    {
        return;
    }
    steps.MoveMessages();
    m_turnAt += m_turnAt == NEVER ? 0 : scan.by();
    if (m_windows)
    {
        m_windows.reset(new NodeWindows(m_plan.GetGraph(), m_threads));
    }
    for (std::uint32_t number = 0; number < m_ports.size(); ++number)
    {
        PacketPort& port = m_ports[number];
        if (port.wake == NEVER)
        {
            continue;
        }
        port.wake += scan.by();
        if (m_windows)
        {
            m_windows->Wake(number, port.wake, NONE);
        }
    }
}

} // namespace npunet::packet
