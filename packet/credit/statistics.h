/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_COUNTS_H
#define NPU_PACKET_COUNTS_H

#include "packet/credit/link_transmission.h"
#include "packet/credit/network_state.h"
#include "packet/base/queue_histogram.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What is counted of links and told of queues: how much waited, for how long, how long ports were
 * without credit. Nothing here decides how packets go on.
 *
 * Times in picoseconds.
 */
class PacketCounts
{
  public:
    /**
     * @param description says whether histograms are asked for
     * @param state of the ports; must outlive this
     * @param links how packets cross them; must outlive this
     */
    PacketCounts(const topology::NetworkDescription& description,
                 PacketState& state,
                 const PacketLinks& links);

    PacketCounts(const PacketCounts&) = delete;
    PacketCounts& operator=(const PacketCounts&) = delete;

    /**
     * @return whether something is kept for every packet that waits
     */
    bool
    HasHistograms() const
    {
        return !m_histograms.empty();
    }

    /**
     * A packet joins a queue.
     * @param portNumber of the queue
     * @param wire bytes of the packet
     * @param ready when it begins to wait
     */
    void
    Join(std::uint32_t portNumber, std::uint32_t wire, std::int64_t ready)
    {
        if (!m_histograms.empty())
        {
            m_histograms[portNumber].Arrive(ready, wire);
        }
        if (m_state.observer != nullptr)
        {
            m_state.observer->PacketQueued(
                LinkId(std::size_t{portNumber}), Bytes(wire), Time::ps(ready));
        }
    }

    /**
     * The head of a queue of packets leaves by its link.
     * @param portNumber of the queue
     * @param wire bytes of the packet
     * @param now in picoseconds
     */
    void
    Leave(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
    {
        if (!m_histograms.empty())
        {
            m_histograms[portNumber].Depart(now, wire);
        }
    }

    /**
     * A packet leaves a queue to take another way.
     * @param portNumber of the queue
     * @param wire bytes of the packet
     * @param at when it ceases to wait
     */
    void GiveUp(std::uint32_t portNumber, std::uint32_t wire, std::int64_t at);

    /**
     * A port is about to choose: finds out how much waits there.
     * @param port the port
     * @param now in picoseconds
     */
    void
    CountArrived(PacketPort& port, std::int64_t now)
    {
        if (port.queued > port.maxQueue)
        {
            CountMore(port, now);
        }
    }

    /**
     * Counts how long the port has waited for credit, before it sends again.
     * @param portNumber the port
     * @param now in picoseconds
     */
    void CountStall(std::uint32_t portNumber, std::int64_t now);

    /**
     * @return PacketMachine::link_use()
     */
    std::vector<engine::LinkUse> GetUse() const;

    /**
     * @return packets that have crossed a link, all links together
     */
    std::uint64_t GetHops() const;

    /**
     * @param link a link
     * @param function called as PacketObserver::PacketQueued() for every packet that waits for the
     *                 link or is on its way to wait for it
     */
    void ListQueued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) const;

  private:
    /// @copydoc CountArrived
    void CountMore(PacketPort& port, std::int64_t now);

    /**
     * @param turns a list that is not empty
     * @return when the first of its messages came to wait there
     */
    std::int64_t FirstOf(const TurnList& turns);

    PacketState& m_state;                     ///< of the ports
    const PacketLinks& m_links;               ///< how packets cross them
    std::vector<QueueHistogram> m_histograms; ///< by link, where they are asked for
};

} // namespace npunet::packet

#endif /* NPU_PACKET_COUNTS_H */
