/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-receiver-credits.h"

#include "engine/network.h"

#include <algorithm>
#include <utility>

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

ReceiverCredits::ReceiverCredits(engine::EventQueue& queue, std::size_t links, Giver giver)
    : m_queue(queue), m_pacers(links), m_giver(std::move(giver))
{
}

void
ReceiverCredits::Join(std::uint32_t link, std::uint32_t pair)
{
    m_pacers[link].line.push_back(pair);
    Await(link);
}

void
ReceiverCredits::Await(std::uint32_t link)
{
    Pacer& pacer = m_pacers[link];
    if (pacer.awaited)
    {
        return;
    }
    pacer.awaited = true;
    ++m_due;
    const std::int64_t at = std::max(pacer.next, m_queue.now().ps());
    m_queue.schedule(
        Time::ps(at), EventKey::of(Phase::Arrival, engine::event_kind::grant, link), *this, link);
}

void
ReceiverCredits::handle(std::uint64_t number)
{
    const auto link = static_cast<std::uint32_t>(number);
    Pacer& pacer = m_pacers[link];
    pacer.awaited = false;
    --m_due;
    const std::uint32_t pair = pacer.line.front();
    pacer.line.pop_front();
    pacer.next = m_queue.now().ps() + pacer.interval;
    m_giver(pair);
    if (!pacer.line.empty())
    {
        Await(link);
    }
}

} // namespace npunet::packet
