/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/credit/fast_forward/periodic_group.h"

#include <algorithm>

namespace npunet::packet
{

std::int64_t
TrafficGroup::PacketsInPeriod() const
{
    std::int64_t packets = 0;
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        packets += present.Since(kept, i).packets;
    }
    return packets;
}

std::int64_t
TrafficGroup::PeriodsLeft() const
{
    std::int64_t periods = NEVER;
    for (std::size_t i = 0; i < messages.size(); ++i)
    {
        const std::int64_t sent = SentInPeriod(i);
        if (sent > 0)
        {
            // The period after the last one that is counted has full packets only, too.
            periods = std::min(periods, (present.Remaining(i) - 1) / sent - 1);
        }
    }
    return periods == NEVER ? 0 : periods;
}

void
TrafficGroup::Skip(PacketState& state, std::int64_t periods) const
{
    for (std::size_t i = 0; i < messages.size(); ++i)
    {
        state.CountSent(
            state.messages[messages[i]], periods * SentInPeriod(i), state.parts.front());
    }
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        const PortCounts counts = present.Since(kept, i);
        if (counts.packets == 0)
        {
            continue; // whatever it has stays as it is
        }
        Count(state, i, counts, periods);
        Shift(state, ports[i], periods * Period());
    }
}

void
TrafficGroup::Count(PacketState& state,
                    std::size_t place,
                    const PortCounts& counts,
                    std::int64_t periods) const
{
    const std::uint32_t number = ports[place];
    PacketPort& port = state.ports[number];
    port.payload += periods * counts.payload;
    port.wire += periods * counts.wire;
    port.busy += periods * counts.busy;
    if (state.load != nullptr)
    {
        state.load->add(
            number, present.At(), present.At() + periods * Period(), periods * counts.busy);
    }
    port.packets += periods * counts.packets;
    port.stall += periods * counts.stall;
    const std::size_t classes = state.several ? state.classes.given.count : 0;
    for (std::size_t i = 0; i < classes; ++i)
    {
        state.classes.OfPort(number)[i].wire +=
            periods * present.ClassWireSince(kept, place * classes + i);
    }
}

void
TrafficGroup::Shift(PacketState& state, std::uint32_t number, std::int64_t by)
{
    PacketPort& port = state.ports[number];
    port.busyUntil += by;
    for (std::uint32_t channel = 0; channel < state.channels; ++channel)
    {
        state.Credit(number, channel).Shift(by);
    }
    state.reads.Shift(number, by);
    state.filled.ForEach(port, 0, [&state, by](std::uint32_t queueNumber) {
        VirtualQueue& queue = state.queues[queueNumber];
        if (queue.upstream == NONE)
        {
            return false;
        }
        queue.ready += by;
        for (std::uint32_t place = queue.head; place != NONE; place = state.packets[place].next)
        {
            state.packets[place].ready += by;
            if (state.oldest)
            {
                state.packets.Born(place) += by;
            }
        }
        return false;
    });
}

} // namespace npunet::packet
