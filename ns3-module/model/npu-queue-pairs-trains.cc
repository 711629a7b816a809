/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// QueuePairs: packet trains (EthernetTrains).

#include "npu-queue-pairs.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;
using topology::TransportKind;

/**
 * The notes of one queue pair between two equal states, repeated for ever: those of repetition 0
 * are what was noted.
 */
class QueuePairs::RepeatedRestarts
{
  public:
    /**
     * @param first of the notes, in order
     * @param last behind the last of them
     * @param from time of the earlier state, in picoseconds
     * @param period between the two, in picoseconds
     */
    RepeatedRestarts(const Restart* first,
                     const Restart* last,
                     std::int64_t from,
                     std::int64_t period)
        : m_first(first), m_count(last - first), m_from(from), m_period(period)
    {
    }

    /**
     * @param timer when an event of the timer is due that is pending at the later state, or NEVER
     * @param repetitions that are over
     * @return the same when they are
     */
    std::int64_t
    TimerAfter(std::int64_t timer, std::int64_t repetitions) const
    {
        const std::int64_t end = m_from + (repetitions + 1) * m_period;
        std::int64_t next = m_count; // restart that is behind the last event of the timer
        for (;;)
        {
            if (timer == NEVER)
            {
                next = NextWithDeadline(next, repetitions);
                if (next == NOBODY)
                {
                    return NEVER;
                }
                timer = DeadlineOf(next);
            }
            if (timer > end)
            {
                return timer;
            }
            next = FirstBehind(timer);
            timer = m_count == 0 ? NEVER : DeadlineOf(next - 1);
        }
    }

  private:
    /// No restart.
    static constexpr std::int64_t NOBODY = -1;

    /**
     * @param restart counted from the first of repetition 0
     * @return the deadline that it sets
     */
    std::int64_t
    DeadlineOf(std::int64_t restart) const
    {
        const std::int64_t deadline = m_first[restart % m_count].deadline;
        return deadline == NEVER ? NEVER : deadline + restart / m_count * m_period;
    }

    /**
     * @param restart the first that is asked about
     * @param repetitions after which nothing counts
     * @return the first from then on that sets a deadline, or NOBODY
     */
    std::int64_t
    NextWithDeadline(std::int64_t restart, std::int64_t repetitions) const
    {
        const std::int64_t end = std::min((repetitions + 1) * m_count, restart + m_count);
        while (restart < end && DeadlineOf(restart) == NEVER)
        {
            ++restart;
        }
        return restart < end ? restart : NOBODY;
    }

    /**
     * @param timer after the later state, in picoseconds
     * @return the first restart that comes behind an event of the timer then
     */
    std::int64_t
    FirstBehind(std::int64_t timer) const
    {
        // The earlier state is behind the timers of its instant.
        const std::int64_t repetition = (timer - m_from - 1) / m_period;
        const std::int64_t at = timer - repetition * m_period;
        const Restart* const behind =
            std::partition_point(m_first, m_first + m_count, [at](const Restart& restart) {
                return restart.at < at || (restart.at == at && !restart.afterTimers);
            });
        return repetition * m_count + (behind - m_first);
    }

    const Restart* m_first; ///< the notes
    std::int64_t m_count;   ///< how many
    std::int64_t m_from;    ///< time of the earlier state, in picoseconds
    std::int64_t m_period;  ///< in picoseconds
};

std::size_t
QueuePairs::CollectFlows()
{
    constexpr std::size_t LOOK = 4; // words of each, far from those of the next
    m_flows.clear();
    for (std::uint32_t number = 0; number < m_pairs.size(); ++number)
    {
        if (IsUnderWay(m_pairs[number]))
        {
            m_flows.push_back(number);
        }
    }
    return LOOK * m_pairs.size();
}

void
QueuePairs::PrepareMove(engine::StateScan& scan)
{
    m_steps.assign(m_pairs.size(), 0);
    for (const std::uint32_t number : m_flows)
    {
        m_steps[number] = scan.progress(m_pairs[number].expected);
    }
}

void
QueuePairs::Scan(engine::StateScan& scan)
{
    for (const std::uint32_t number : m_flows)
    {
        if (!scan.moves())
        {
            scan.progress(m_pairs[number].expected);
        }
        ScanPair(scan, number);
        if (scan.differs())
        {
            return;
        }
    }
}

void
QueuePairs::ScanPair(engine::StateScan& scan, std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    const engine::FlowProgress progress = ProgressOf(number);
    scan.sequence(pair.next, progress);
    scan.sequence(pair.top, progress);
    scan.same(pair.inFlight);
    scan.same(static_cast<std::int64_t>(pair.place));
    if (m_kind == TransportKind::None)
    {
        scan.same(static_cast<std::int64_t>(pair.acknowledged));
    }
    else
    {
        scan.sequence_from(pair.asked, pair.acknowledged, progress);
        if (pair.selective)
        {
            ScanSelective(scan, pair, progress);
        }
        scan.sequence(pair.acknowledged, progress);
    }
    for (const std::uint32_t message : {pair.sending, pair.acknowledging, pair.delivering})
    {
        scan.same(std::int64_t{message});
    }
    scan.ahead(pair.nextStart);
    scan.instant(pair.deadline);
    scan.ahead(pair.lastEnd);
    scan.same(std::int64_t{pair.backoff});
    const bool holdsBack =
        pair.lastNotified >= 0 && scan.at() - pair.lastNotified < m_needs.notificationInterval;
    scan.same(std::int64_t{holdsBack});
    if (holdsBack)
    {
        scan.instant(pair.lastNotified);
    }
    scan.same(std::int64_t{pair.unanswered} << 32 | std::int64_t{pair.markedBytes});
    scan.same(std::int64_t{pair.askedBack});
    if (scan.moves())
    {
        pair.early.Shift(progress.step);
    }
    pair.early.ForEach([&](std::uint64_t early) { scan.sequence(early, progress); });
    scan.same(std::int64_t{-1});
    if (pair.control)
    {
        pair.control->Scan(scan, progress);
    }
    scan.same(pair.use.timeouts);
    scan.count(pair.transmissions);
    scan.count(pair.answers);
    scan.count(pair.use.packets);
    scan.count(pair.use.repeated);
    scan.count(pair.use.marked);
    scan.count(pair.use.notified);
    scan.sequence(pair.expected, progress);
}

void
QueuePairs::ScanSelective(engine::StateScan& scan,
                          QueuePair& pair,
                          const engine::FlowProgress& progress)
{
    SelectiveState& selective = *pair.selective;
    for (SequenceSet* set : {&selective.received, &selective.lost})
    {
        if (scan.moves())
        {
            set->Shift(progress.step);
        }
        set->ForEach([&](std::uint64_t member) { scan.sequence(member, progress); });
        scan.same(std::int64_t{-1});
    }
    scan.same(static_cast<std::int64_t>(selective.losses));
    if (selective.losses > 0)
    {
        scan.sequence(selective.firstLost, progress);
    }
    scan.sequence(selective.highest, progress);
    scan.sequence_from(selective.judged, pair.acknowledged, progress);
    scan.sequence_from(selective.recoveryEnd, pair.acknowledged, progress);
}

void
QueuePairs::ScanPort(engine::StateScan& scan, std::uint32_t port)
{
    for (std::uint32_t number = 0; number < m_classes; ++number)
    {
        m_turns[port * m_classes + number].Scan(m_pairs, scan);
    }
}

void
QueuePairs::ScanPacket(engine::StateScan& scan, EthernetPacket& packet)
{
    const engine::FlowProgress progress = ProgressOf(packet.pair);
    scan.same(std::int64_t{packet.pair} << 32 | std::int64_t{packet.marked});
    scan.sequence(packet.sequence, progress);
    if (packet.kind == PacketKind::DATA)
    {
        scan.same(static_cast<std::int64_t>(packet.subject));
    }
    else
    {
        scan.sequence(packet.subject, progress);
    }
    // Nobody else asks how old a packet is.
    if (m_pairs[packet.pair].control)
    {
        scan.instant(packet.sentAt);
    }
}

std::int64_t
QueuePairs::PeriodsLeft(const engine::StateSample& earlier,
                        const engine::StateSample& present) const
{
    std::int64_t periods = NEVER;
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        const auto step = static_cast<std::int64_t>(present.progress[i] - earlier.progress[i]);
        if (step == 0)
        {
            continue;
        }
        const QueuePair& pair = m_pairs[m_flows[i]];
        if (pair.sending == NONE || pair.sending != pair.acknowledging ||
            pair.sending != pair.delivering)
        {
            return 0;
        }
        // The period after the last one that is counted has full packets only, too.
        const auto left = static_cast<std::int64_t>(m_messages[pair.sending].last - pair.top);
        periods = std::min(periods, left / step - 1);
    }
    return periods == NEVER ? 0 : periods;
}

void
QueuePairs::NoteRestarts(bool wanted)
{
    m_notes = wanted;
    if (wanted)
    {
        m_noted.clear();
    }
}

void
QueuePairs::NoteRestart(std::uint32_t number, std::int64_t deadline)
{
    const EventKey timers = EventKey::of(Phase::Arrival, engine::event_kind::timeout, 0);
    m_noted.push_back({number, Now(), deadline, !(m_queue->position() < timers)});
}

void
QueuePairs::MoveTimers(const engine::StateSample& earlier,
                       const engine::StateSample& present,
                       std::int64_t periods)
{
    const auto before = [](const Restart& one, const Restart& other) {
        return one.pair < other.pair;
    };
    std::stable_sort(m_noted.begin(), m_noted.end(), before);
    for (const std::uint32_t number : m_flows)
    {
        const auto [first, last] =
            std::equal_range(m_noted.begin(), m_noted.end(), Restart{number, 0, 0, false}, before);
        const RepeatedRestarts restarts(m_noted.data() + (first - m_noted.begin()),
                                        m_noted.data() + (last - m_noted.begin()),
                                        earlier.at,
                                        present.at - earlier.at);
        QueuePair& pair = m_pairs[number];
        pair.timer = restarts.TimerAfter(pair.timer, periods);
    }
}

void
QueuePairs::UseQueue(engine::EventQueue& queue)
{
    m_queue = &queue;
    for (const std::uint32_t number : m_flows)
    {
        const QueuePair& pair = m_pairs[number];
        if (pair.timer != NEVER)
        {
            m_queue->schedule(Time::ps(pair.timer),
                              EventKey::of(Phase::Arrival, engine::event_kind::timeout, pair.key),
                              m_timerEvent,
                              number);
        }
    }
}

} // namespace npunet::packet
