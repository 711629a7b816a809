/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ECN_MARKS_H
#define NPU_ECN_MARKS_H

#include "engine/state_scan.h"
#include "topology/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Which packets are marked when they join a queue (explicit congestion notification): never up to
 * kmin bytes in it, always beyond kmax, and between them by chance. EthernetNetwork has the rule.
 */
class EcnMarks
{
  public:
    /**
     * @param description the network
     */
    explicit EcnMarks(const topology::NetworkDescription& description);

    /**
     * @return whether anybody looks at marks
     */
    bool
    AreWanted() const
    {
        return m_wanted;
    }

    /**
     * Marks are wanted.
     * @param link whose queue a packet joins
     * @param number of the packet, from 0, of those that have found room there
     * @param queued bytes that are there in its class
     * @return whether it is marked
     */
    bool Marks(std::uint32_t link, std::uint64_t number, std::int64_t queued);

    /**
     * Whether a packet is marked by chance depends on how many came before it.
     * @param scan of the whole network
     */
    void
    Scan(engine::StateScan& scan) const
    {
        scan.same(m_draws);
    }

  private:
    bool m_wanted;                    ///< somebody looks at them
    double m_most;                    ///< probability at kmax
    std::uint64_t m_seed;             ///< of what is drawn
    std::vector<std::int64_t> m_kmin; ///< by link, in bytes
    std::vector<std::int64_t> m_kmax; ///< by link, in bytes
    std::int64_t m_draws = 0;         ///< so far
};

} // namespace npunet::packet

#endif /* NPU_ECN_MARKS_H */
