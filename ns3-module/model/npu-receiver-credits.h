/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_RECEIVER_CREDITS_H
#define NPU_RECEIVER_CREDITS_H

#include "npu-credit-account.h"
#include "npu-packet-queues.h"

#include "engine/event_queue.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What the two ends of a queue pair know of its credit, in packets. A sender may send as many
 * packets as it has credit for: at the start of a burst, which is a message that comes while
 * nothing waits to be sent, the initial window less what is in flight; later what the receiver
 * grants, one packet at a time.
 *
 * The sender tells with each packet how many more grants it `needs`, and how many it has had. The
 * receiver knows how many are still on their way, and so how many to give. Grants carry their
 * number, so a lost one is made up for by the next.
 */
struct CreditState
{
    // The sender.
    std::int64_t balance = 0;  ///< packets it may send
    std::uint64_t had = 0;     ///< grants it has had
    std::int64_t toldNeed = 0; ///< the need it has told
    std::uint64_t toldHad = 0; ///< and the grants it had had then
    std::int64_t initial = 1;  ///< packets at the start of a burst

    // The receiver.
    std::uint64_t given = 0;     ///< grants it has given
    std::int64_t demand = 0;     ///< grants it has yet to give
    std::int64_t learnedAt = -1; ///< when the sender told what is known of its need, in ps
    bool inTurn = false;         ///< it stands in the line of its pacer

    /**
     * @return grants that the sender expects after what it has told
     */
    std::int64_t
    Expected() const
    {
        return toldNeed - static_cast<std::int64_t>(had - toldHad);
    }

    /**
     * The sender tells its need.
     * @param need grants
     */
    void
    Tell(std::int64_t need)
    {
        toldNeed = need;
        toldHad = had;
    }

    /**
     * The receiver learns the need.
     * @param need grants
     * @param had_ grants that the sender had had
     * @param afresh those on their way are taken for lost
     */
    void
    Learn(std::int64_t need, std::uint64_t had_, bool afresh)
    {
        if (afresh)
        {
            given = had_;
        }
        const auto underWay = static_cast<std::int64_t>(given - had_);
        demand = need > underWay ? need - underWay : 0;
    }

    /**
     * The sender gets a grant.
     * @param number of it
     */
    void
    Get(std::uint64_t number)
    {
        if (number > had)
        {
            balance += static_cast<std::int64_t>(number - had);
            had = number;
        }
    }
};

/**
 * @ingroup npunet
 * Receivers that give credit so that what they let come fits the link by which it comes: one packet
 * in each time that a full packet takes on the link, divided by the credit rate; the senders take
 * turns. (M. Handley et al., "Re-architecting datacenter networks and stacks for low latency and
 * high performance", ACM SIGCOMM 2017, section 3.2: the pull queue.)
 */
class ReceiverCredits final : private engine::EventHandler
{
  public:
    /// Told the number of a queue pair to which a grant goes.
    using Giver = std::function<void(std::uint32_t)>;

    /**
     * @param queue the simulation's events; must outlive this
     * @param links of the network
     * @param giver sends a grant
     */
    ReceiverCredits(engine::EventQueue& queue, std::size_t links, Giver giver);

    /**
     * @param link by which data comes
     * @param interval between two grants for it, in picoseconds
     */
    void
    SetPace(std::uint32_t link, std::int64_t interval)
    {
        m_pacers[link].interval = interval;
    }

    /**
     * A queue pair demands grants and stands in no line.
     * @param link by which its data comes
     * @param pair its number
     */
    void Join(std::uint32_t link, std::uint32_t pair);

    /**
     * A queue pair to which a grant went demands more.
     * @param link by which its data comes
     * @param pair its number
     */
    void
    JoinAgain(std::uint32_t link, std::uint32_t pair)
    {
        m_pacers[link].line.push_back(pair);
    }

    /**
     * @return whether any grant is yet to be given
     */
    bool
    AnyIsDue() const
    {
        return m_due > 0;
    }

  private:
    /// The grants for what comes by one link.
    struct Pacer
    {
        std::deque<std::uint32_t> line; ///< queue pairs that take turns
        std::int64_t interval = 0;      ///< between two grants, in picoseconds
        std::int64_t next = 0;          ///< no grant before, in picoseconds
        bool awaited = false;           ///< the next grant is an event
    };

    void handle(std::uint64_t link) override;

    /**
     * Sees to it that the next grant is an event.
     * @param link by which data comes
     */
    void Await(std::uint32_t link);

    engine::EventQueue& m_queue; ///< the simulation's events
    std::vector<Pacer> m_pacers; ///< by link
    std::size_t m_due = 0;       ///< of them those whose next grant is an event
    Giver m_giver;               ///< sends a grant
};

} // namespace npunet::packet

#endif /* NPU_RECEIVER_CREDITS_H */
