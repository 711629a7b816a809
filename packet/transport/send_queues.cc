/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/send_queues.h"

#include <algorithm>

namespace npunet::packet
{

void
SendLines::Join(std::uint32_t number)
{
    QueuePair& pair = m_pairs[number];
    const std::int64_t now = m_network.clock.Now();
    EthernetRoutes& routes = m_network.routes;
    if (routes.AreChosen())
    {
        pair.port = routes.ChooseForPair(number,
                                         pair.source,
                                         pair.destination,
                                         routes.Draw(pair.key, pair.transmissions),
                                         static_cast<std::uint32_t>(m_fullWire),
                                         now);
    }
    SendTurns& turns = m_turns[pair.port * m_classes + pair.trafficClass];
    if (pair.nextStart > now)
    {
        turns.Wait(m_pairs.All(), number);
    }
    else
    {
        turns.Join(m_pairs.All(), number, now);
    }
    m_network.wire.WakePort(pair.port, std::max(pair.nextStart, now));
}

std::vector<std::uint32_t>
SendLines::Empty()
{
    std::vector<std::uint32_t> numbers;
    for (SendTurns& turns : m_turns)
    {
        turns.Empty(m_pairs.All(), numbers);
    }
    return numbers;
}

void
SendLines::Scan(engine::StateScan& scan, std::uint32_t port)
{
    for (std::uint32_t number = 0; number < m_classes; ++number)
    {
        m_turns[port * m_classes + number].Scan(m_pairs.All(), scan);
    }
}

} // namespace npunet::packet
