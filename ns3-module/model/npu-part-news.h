/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PART_NEWS_H
#define NPU_PART_NEWS_H

#include "npu-packet-state.h"
#include "npu-steady-traffic.h"

#include "engine/event_queue.h"

#include <cstdint>

namespace npunet::packet
{

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
     * @param sent is told of a message, by its place, that it has left its source; likewise
     * @param delivered is told of a message, by its place, that it is in; likewise
     */
    PartNews(PacketState& state, engine::EventHandler& sent, engine::EventHandler& delivered)
        : m_state(state), m_sent(sent), m_delivered(delivered)
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
    engine::EventHandler& m_sent;      ///< is told that messages have left
    engine::EventHandler& m_delivered; ///< is told that messages are in
    SteadyTraffic* m_steady = nullptr; ///< is told of starts
};

} // namespace npunet::packet

#endif /* NPU_PART_NEWS_H */
