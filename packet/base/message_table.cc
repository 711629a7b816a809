/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/base/message_table.h"

namespace npunet::packet
{

std::uint32_t
MessageTable::Take()
{
    ++m_underWay;
    if (m_free == NONE)
    {
        m_messages.emplace_back();
        return static_cast<std::uint32_t>(m_messages.size() - 1);
    }
    const std::uint32_t place = m_free;
    m_free = m_messages[place].next;
    m_messages[place] = MessageRecord{};
    return place;
}

void
MessageTable::Free(std::uint32_t place)
{
    --m_underWay;
    m_messages[place].next = m_free;
    m_free = place;
}

void
MessageTable::Append(TurnList& list, std::uint32_t place)
{
    MessageRecord& message = m_messages[place];
    std::uint32_t before = list.last;
    while (before != NONE &&
           (m_messages[before].start > message.start ||
            (m_messages[before].start == message.start && m_messages[before].id > message.id)))
    {
        before = m_messages[before].previous;
    }
    message.previous = before;
    message.next = before == NONE ? list.first : m_messages[before].next;
    (before == NONE ? list.first : m_messages[before].next) = place;
    (message.next == NONE ? list.last : m_messages[message.next].previous) = place;
    // Who comes back to where the turn stands has to wait, unless it started after the last served.
    const bool startedAfter = message.start > list.servedStart ||
                              (message.start == list.servedStart && message.id > list.servedId);
    if (message.previous == list.served && !startedAfter)
    {
        list.served = place;
    }
}

void
MessageTable::Serve(TurnList& list, std::uint32_t place)
{
    list.served = place;
    list.servedStart = m_messages[place].start;
    list.servedId = m_messages[place].id;
}

void
MessageTable::Remove(TurnList& list, std::uint32_t place)
{
    Serve(list, place);
    list.served = place;
    Withdraw(list, place);
}

void
MessageTable::Withdraw(TurnList& list, std::uint32_t place)
{
    const MessageRecord& message = m_messages[place];
    if (list.served == place)
    {
        list.served = message.previous;
    }
    (message.previous == NONE ? list.first : m_messages[message.previous].next) = message.next;
    (message.next == NONE ? list.last : m_messages[message.next].previous) = message.previous;
}

} // namespace npunet::packet
