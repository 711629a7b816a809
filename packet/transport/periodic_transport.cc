/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/periodic_transport.h"

#include "engine/network.h"

#include <algorithm>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

namespace
{

/// Words that may be looked at for each event, of which a packet makes two a link.
constexpr std::uint64_t TRAIN_WORDS_PER_EVENT = 1;
/// Windows of congestion control, which have many packets, can be the period; to find another state
/// takes a few words only.
constexpr std::uint32_t LEAST_LOOKS = 1024;
/// Where in an instant the state is looked at: when all has arrived, before any port chooses.
constexpr EventKey LOOK = EventKey::of(Phase::Arbitration, engine::event_kind::steady, 0);
/// Beyond all keys of an instant.
const EventKey BEYOND = EventKey::of(Phase::Arbitration, 15, ~std::uint64_t{0} >> 6);

} // namespace

EthernetTrains::EthernetTrains(engine::EventQueue& queue, EthernetTrainsHost& host)
    : m_queue(queue), m_host(host), m_search(LEAST_LOOKS), m_budget(TRAIN_WORDS_PER_EVENT)
{
    m_host.Watch(ANY_PORT, 0);
}

void
EthernetTrains::MessagesChange()
{
    if (m_stage == Stage::STILL)
    {
        Resume();
    }
    if (m_stage != Stage::OFF)
    {
        m_break = engine::PeriodSearch::first_break;
        Wait();
    }
}

void
EthernetTrains::Wait()
{
    if (m_stage == Stage::CONFIRMING)
    {
        m_host.NoteTimers(false);
    }
    m_stage = Stage::WAITING;
    ++m_serial;
    m_anchor = NONE;
    m_host.Watch(ANY_PORT, m_queue.now().ps() + m_break * m_packetTime);
}

void
EthernetTrains::PacketStarts(std::uint32_t port,
                             std::int64_t unsent,
                             std::int64_t now,
                             std::int64_t end)
{
    if (m_stage == Stage::WAITING)
    {
        m_packetTime = end - now;
        if (unsent < engine::PeriodSearch::least_packets)
        {
            return;
        }
        if (m_budget.is_spent(m_queue.handled()))
        {
            m_break = engine::PeriodSearch::break_after(m_break);
            Wait();
            return;
        }
        m_stage = Stage::SEARCHING;
        m_anchor = port;
        m_host.Watch(port, 0);
        m_search.begin();
        m_work = 0;
        Charge(m_host.CollectFlows());
    }
    Plan(end);
}

void
EthernetTrains::Plan(std::int64_t at)
{
    m_queue.schedule(Time::ps(at), LOOK, *this, m_serial);
}

void
EthernetTrains::handle(std::uint64_t payload)
{
    if (payload != m_serial)
    {
        return;
    }
    switch (m_stage)
    {
    case Stage::SEARCHING:
        LookForPeriod();
        break;
    case Stage::CONFIRMING:
        Confirm();
        break;
    case Stage::STILL:
        Resume();
        break;
    default:
        break;
    }
}

void
EthernetTrains::LookForPeriod()
{
    m_search.look();
    if (m_search.has_kept() && Repeats(false) && IsWorthwhile())
    {
        BeginToConfirm();
        return;
    }
    if (m_search.is_over(m_break) || m_budget.is_spent(m_queue.handled()))
    {
        m_break = engine::PeriodSearch::break_after(m_break);
        Wait();
        return;
    }
    if (m_search.keeps())
    {
        Keep(false);
        m_search.kept();
    }
}

void
EthernetTrains::Keep(bool counts)
{
    engine::StateScan scan(m_kept, m_queue.now().ps(), counts);
    m_host.Scan(scan);
    Charge(scan.size());
    m_keptEvents = m_queue.handled();
}

bool
EthernetTrains::Repeats(bool counts)
{
    engine::StateScan scan(m_kept, m_present, m_queue.now().ps(), counts);
    m_host.Scan(scan);
    Charge(scan.size());
    return scan.equals();
}

bool
EthernetTrains::IsWorthwhile() const
{
    // What is gained is measured in events, what is lost in words.
    const std::int64_t periods = m_host.PeriodsLeft(m_kept, m_present) - 1;
    const std::uint64_t events = m_queue.handled() - m_keptEvents;
    return periods >= 2 && static_cast<std::uint64_t>(periods) * events >= m_kept.words.size() / 2;
}

void
EthernetTrains::BeginToConfirm()
{
    m_looksLeft = m_search.since_kept();
    Keep(true);
    m_host.NoteTimers(true);
    m_stage = Stage::CONFIRMING;
}

void
EthernetTrains::Confirm()
{
    if (--m_looksLeft > 0)
    {
        return;
    }
    m_host.NoteTimers(false);
    if (!Repeats(true) || !IsWorthwhile())
    {
        m_break = engine::PeriodSearch::break_after(m_break);
        m_stage = Stage::SEARCHING;
        Wait();
        return;
    }
    m_budget.repay(m_work);
    m_stage = Stage::STILL;
    ++m_serial;
    m_periods = m_host.PeriodsLeft(m_kept, m_present);
    m_host.Watch(NONE, 0);
    m_host.StandStill();
    Plan(m_present.at + m_periods * (m_present.at - m_kept.at));
}

void
EthernetTrains::Resume()
{
    const std::int64_t period = m_present.at - m_kept.at;
    const std::int64_t elapsed = m_queue.now().ps() - m_present.at;
    EventKey until = m_queue.position();
    std::int64_t periods = elapsed / period;
    if (until < LOOK && elapsed % period == 0)
    {
        // The state of this instant is yet to come; that of the instant at which the network has
        // stood still has come before.
        until = periods == 0 ? BEYOND : until;
        periods = std::max<std::int64_t>(periods - 1, 0);
    }
    m_stage = Stage::SEARCHING;
    m_host.GoOn(m_kept, m_present, std::min(periods, m_periods), until);
    m_break = engine::PeriodSearch::first_break;
    Wait();
}

void
EthernetTrains::Settle()
{
    if (m_stage == Stage::STILL)
    {
        Resume();
    }
}

void
EthernetTrains::Enable(bool enabled)
{
    Settle();
    if (enabled && m_stage == Stage::OFF)
    {
        Wait();
    }
    else if (!enabled)
    {
        Wait();
        m_stage = Stage::OFF;
        m_host.Watch(NONE, 0);
    }
}

void
EthernetTrains::Charge(std::size_t words)
{
    m_work += words;
    m_budget.charge(words);
}

} // namespace npunet::packet
