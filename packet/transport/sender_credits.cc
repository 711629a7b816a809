/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/transport/sender_credits.h"

#include <algorithm>

namespace npunet::packet
{

void
SenderCredits::BeginBurst(QueuePair& pair) const
{
    CreditState& credit = *pair.credit;
    const std::int64_t flying = (pair.inFlight + m_sizes.Full() - 1) / m_sizes.Full();
    credit.balance = std::max(std::min(credit.balance, credit.initial), credit.initial - flying);
}

void
SenderCredits::Spend(QueuePair& pair, EthernetPacket& packet)
{
    --pair.credit->balance;
    const std::int64_t need = pair.GrantsNeeded();
    pair.credit->Tell(need);
    packet.backlog = static_cast<std::uint32_t>(std::min<std::int64_t>(need, NONE));
    packet.subject = pair.credit->had;
}

void
SenderCredits::Ask(std::uint32_t number, bool afresh)
{
    QueuePair& pair = m_pairs[number];
    const std::int64_t need = pair.GrantsNeeded();
    if (!afresh && pair.credit->Expected() >= need)
    {
        return;
    }
    pair.credit->Tell(need);
    if (pair.deadline == NEVER)
    {
        m_timers.Restart(pair, number);
    }
    m_packets.Request(number, need, afresh);
}

void
SenderCredits::Get(const EthernetPacket& packet)
{
    QueuePair& pair = m_pairs[packet.pair];
    pair.credit->Get(packet.subject);
    if (pair.inFlight == 0)
    {
        m_timers.Restart(pair, packet.pair);
    }
}

} // namespace npunet::packet
