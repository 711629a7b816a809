/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/deferred_notifications.h"

namespace npunet::packet
{

using engine::EventKey;
using engine::Phase;

std::uint64_t
PartNews::Gather()
{
    std::uint64_t packets = 0;
    for (PacketPart& part : m_state.parts)
    {
        m_state.nearEnd += part.nearEnd;
        packets += part.handled;
        part.nearEnd = 0;
        part.handled = 0;
        for (const MessageEvent& event : part.events)
        {
            Schedule(event);
        }
        for (const MailedLook& look : part.looks)
        {
            m_steady->PacketStarts(look.port, look.start, look.end);
        }
        part.events.clear();
        part.looks.clear();
    }
    m_state.events.count_handled(packets);
    return packets;
}

void
PartNews::Schedule(const MessageEvent& event)
{
    using namespace engine::event_kind;
    m_state.events.schedule(Time::ps(event.at),
                            EventKey::of(Phase::Arrival,
                                         event.delivered ? message_delivered : message_sent,
                                         m_state.messages[event.message].id),
                            event.delivered ? m_handlers.delivered : m_handlers.sent,
                            event.message);
}

void
PartNews::Announce(const PacketPort& port, const MessageEvent& event)
{
    if (m_state.partMask != 0)
    {
        m_state.PartOf(port).events.push_back(event);
        return;
    }
    Schedule(event);
}

void
PartNews::AnnounceStart(std::uint32_t portNumber, std::int64_t now, std::int64_t end)
{
    if (m_state.partMask == 0)
    {
        m_steady->PacketStarts(portNumber, now, end);
    }
    else if (now >= m_steady->LookFrom(portNumber))
    {
        m_state.ports[portNumber].look = 0;
        m_state.PartOf(m_state.ports[portNumber]).looks.push_back({now, end, portNumber});
    }
}

} // namespace npunet::packet
