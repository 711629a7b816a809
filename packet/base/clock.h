/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_CLOCK_H
#define NPU_ETHERNET_CLOCK_H

#include "base/quantities.h"
#include "engine/event_queue.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The time and the events of a network with Ethernet-like switches. They are the simulation's, but
 * where packet trains have moved the network on (EthernetTrains): it stands still meanwhile, so
 * that what is due is no news, and makes up for the rest on a queue besides.
 *
 *     EthernetClock clock(queue);
 *     clock.Schedule(clock.Now() + 500, key, handler, 7);
 */
class EthernetClock
{
  public:
    /**
     * @param queue the simulation's events; must outlive this
     */
    explicit EthernetClock(engine::EventQueue& queue) : m_queue(&queue)
    {
    }

    EthernetClock(const EthernetClock&) = delete;
    EthernetClock& operator=(const EthernetClock&) = delete;

    /**
     * @return now, in picoseconds
     */
    std::int64_t
    Now() const
    {
        return m_queue->now().ps();
    }

    /**
     * @return how far the present instant has come
     */
    engine::EventKey
    Position() const
    {
        return m_queue->position();
    }

    /**
     * @param at when, in picoseconds
     * @param key orders the events of that instant
     * @param handler of the event; must outlive it
     * @param number that the handler gets
     */
    void
    Schedule(std::int64_t at,
             engine::EventKey key,
             engine::EventHandler& handler,
             std::uint64_t number)
    {
        m_queue->schedule(Time::ps(at), key, handler, number);
    }

    /**
     * @param queue of the events from now on, with a time of its own; must outlive this or the next
     *              call
     */
    void
    UseQueue(engine::EventQueue& queue)
    {
        m_queue = &queue;
    }

    /**
     * @return whether the network stands still
     */
    bool
    IsStill() const
    {
        return m_still;
    }

    /**
     * @param still whether the network stands still from now on
     */
    void
    StandStill(bool still)
    {
        m_still = still;
    }

  private:
    engine::EventQueue* m_queue; ///< of the events
    bool m_still = false;        ///< the network stands still
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_CLOCK_H */
