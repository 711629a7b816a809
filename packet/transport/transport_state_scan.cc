/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/transport_state_scan.h"

#include <algorithm>

namespace npunet::packet
{

using topology::TransportKind;

std::size_t
QueuePairScan::CollectFlows()
{
    constexpr std::size_t LOOK = 4; // words of each, far from those of the next
    const std::vector<QueuePair>& pairs = m_pairs.All();
    m_flows.clear();
    for (std::uint32_t number = 0; number < pairs.size(); ++number)
    {
        if (pairs[number].IsUnderWay())
        {
            m_flows.push_back(number);
        }
    }
    return LOOK * pairs.size();
}

void
QueuePairScan::PrepareMove(engine::StateScan& scan)
{
    m_steps.assign(m_pairs.All().size(), 0);
    for (const std::uint32_t number : m_flows)
    {
        m_steps[number] = scan.progress(m_pairs[number].expected);
    }
}

void
QueuePairScan::Scan(engine::StateScan& scan)
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
QueuePairScan::ScanPair(engine::StateScan& scan, std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    const engine::FlowProgress progress = ProgressOf(number);
    ScanSender(scan, pair, progress);
    ScanReceiver(scan, pair, progress);
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
QueuePairScan::ScanSender(engine::StateScan& scan,
                          QueuePair& pair,
                          const engine::FlowProgress& progress) const
{
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
    scan.same(std::int64_t{pair.backoff} << 32 | std::int64_t{pair.starts});
}

void
QueuePairScan::ScanReceiver(engine::StateScan& scan,
                            QueuePair& pair,
                            const engine::FlowProgress& progress) const
{
    const bool holdsBack =
        pair.lastNotified >= 0 && scan.at() - pair.lastNotified < m_notificationInterval;
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
}

void
QueuePairScan::ScanSelective(engine::StateScan& scan,
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
QueuePairScan::ScanPacket(engine::StateScan& scan, EthernetPacket& packet)
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
QueuePairScan::PeriodsLeft(const engine::StateSample& earlier,
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

} // namespace npunet::packet
