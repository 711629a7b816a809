/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CREDIT_STATE_H
#define NPU_CREDIT_STATE_H

#include <cstdint>

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

} // namespace npunet::packet

#endif /* NPU_CREDIT_STATE_H */
