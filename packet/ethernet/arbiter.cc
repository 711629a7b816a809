/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/arbiter.h"

#include <algorithm>

namespace npunet::packet
{

std::uint32_t
EthernetArbiter::ChooseByClass(std::uint32_t number, std::int64_t now)
{
    const std::uint32_t paused = m_state.ports[number].paused;
    std::uint32_t open = 0;
    for (std::uint32_t trafficClass = 0; trafficClass < m_state.classCount; ++trafficClass)
    {
        const bool stands = (paused >> trafficClass & 1U) != 0;
        open |= !stands && HasData(number, trafficClass, now) ? 1U << trafficClass : 0U;
    }
    return open == 0 ? NONE : TakeData(number, m_state.classes.First(number, open), now);
}

std::uint32_t
EthernetArbiter::TakeData(std::uint32_t number, std::uint32_t trafficClass, std::int64_t now)
{
    EthernetPort& port = m_state.ports[number];
    const std::uint32_t bit = 1U << trafficClass;
    const bool passing = m_queues.HasData(number, trafficClass, now);
    const bool own = port.startsHere && (!passing || (port.ownTurn & bit) != 0) &&
                     m_pairs.Lines().HasPacket(number, trafficClass, now);
    if (own)
    {
        port.ownTurn &= ~bit;
        return m_pairs.TakePacket(number, trafficClass, now);
    }
    port.ownTurn |= bit;
    const std::uint32_t place = m_queues.Take(number, trafficClass);
    m_queues.Depart(number, m_state.packets[place], now);
    return place;
}

std::int64_t
EthernetArbiter::NextTime(std::uint32_t number) const
{
    const EthernetPort& port = m_state.ports[number];
    std::int64_t earliest = NEVER;
    if (port.control.head != NONE)
    {
        earliest = m_state.packets[port.control.head].ready;
    }
    for (std::uint32_t trafficClass = 0; trafficClass < m_state.classCount; ++trafficClass)
    {
        if ((port.paused >> trafficClass & 1U) != 0)
        {
            continue;
        }
        earliest = std::min(earliest, m_queues.NextTime(number, trafficClass));
        if (port.startsHere)
        {
            earliest = std::min(earliest, m_pairs.Lines().NextTime(number, trafficClass));
        }
    }
    return earliest;
}

bool
EthernetArbiter::IsWanted(std::uint32_t number) const
{
    const EthernetPort& port = m_state.ports[number];
    bool wanted = port.control.head != NONE || port.filled != 0;
    for (std::uint32_t trafficClass = 0; port.startsHere && trafficClass < m_state.classCount;
         ++trafficClass)
    {
        wanted = wanted || m_pairs.Lines().AnyWaits(number, trafficClass);
    }
    return wanted;
}

} // namespace npunet::packet
