/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PART_NEWS_H
#define NPU_PART_NEWS_H

#include "packet/credit/network_state.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"

#include "engine/event_queue.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Who is told of messages; the number of an event is the place of the message.
 */
struct MessageHandlers
{
    engine::EventHandler& sent;      ///< its last byte has left its source
    engine::EventHandler& delivered; ///< its last byte is in
};

/**
 * @ingroup npunet
 * What the steps of ports have to tell the whole machine: the ends of messages, and packets after
 * which SteadyTraffic is to look. It is told at once, or, where parts of the network go on at the
 * same time, after their window.
 *
 * Times in picoseconds.
 */
class PartNews
{
  public:
    /**
     * @param state with the parts and the simulation's events; must outlive this
     * @param handlers must outlive this
     */
    PartNews(PacketState& state, const MessageHandlers& handlers)
        : m_state(state), m_handlers(handlers)
    {
    }

    PartNews(const PartNews&) = delete;
    PartNews& operator=(const PartNews&) = delete;

    /**
     * @param steady is told of starts; null for nobody
     */
    void
    SetSteady(SteadyTraffic* steady)
    {
        m_steady = steady;
    }

    /**
     * @param port whose part knows of it
     * @param event of which somebody is to be told
     */
    void Announce(const PacketPort& port, const MessageEvent& event);

    /**
     * A port that SteadyTraffic looks at has started a packet.
     * @param portNumber the port
     * @param now in picoseconds
     * @param end when the packet has left
     */
    void AnnounceStart(std::uint32_t portNumber, std::int64_t now, std::int64_t end);

    /**
     * Adds up what the parts have counted, and tells what they have to tell.
     * @return packets that no event of the queue has started since the last time
     */
    std::uint64_t Gather();

  private:
    /**
     * @param event of which somebody is to be told
     */
    void Schedule(const MessageEvent& event);

    PacketState& m_state;              ///< with the parts
    MessageHandlers m_handlers;        ///< are told of messages
    SteadyTraffic* m_steady = nullptr; ///< is told of starts
};

} // namespace npunet::packet

#endif /* NPU_PART_NEWS_H */
