/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_ARBITER_H
#define NPU_ETHERNET_ARBITER_H

#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/transport/transport.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Which packet an idle port of an EthernetNetwork sends: requests to pause or to resume, other
 * control packets, then data, the class first, and in it in turns what has come by other links and
 * what starts at the node.
 */
class EthernetArbiter
{
  public:
    /**
     * All of these must outlive this.
     * @param state of the network
     * @param queues of its ports
     * @param pairs whose packets start at its NPUs
     */
    EthernetArbiter(EthernetState& state, OutputQueues& queues, QueuePairs& pairs)
        : m_state(state), m_queues(queues), m_pairs(pairs)
    {
    }

    /**
     * @param number of an idle port
     * @param now in picoseconds
     * @return place of the packet that is sent now, taken out of its queue, or NONE
     */
    std::uint32_t
    Choose(std::uint32_t number, std::int64_t now)
    {
        const std::uint32_t control = m_queues.TakeControl(number, now);
        if (control != NONE)
        {
            return control;
        }
        if (m_state.classCount > 1)
        {
            return ChooseByClass(number, now);
        }
        const bool open = m_state.ports[number].paused == 0 && HasData(number, 0, now);
        return open ? TakeData(number, 0, now) : NONE;
    }

    /**
     * @param number of an idle port that has sent nothing
     * @return when it may have something to send, in picoseconds; NEVER: somebody will wake it
     */
    std::int64_t NextTime(std::uint32_t number) const;

    /**
     * @param number of a port
     * @param trafficClass a class
     * @return bytes of data that have come by other links and wait for it
     */
    std::int64_t
    Queued(std::uint32_t number, std::uint32_t trafficClass) const
    {
        return m_queues.Of(number, trafficClass).bytes;
    }

    /**
     * @param number of a port
     * @return whether anything waits for it but requests
     */
    bool IsWanted(std::uint32_t number) const;

  private:
    /// @copydoc Choose
    /// There are several classes, and no control packet.
    std::uint32_t ChooseByClass(std::uint32_t number, std::int64_t now);

    /**
     * @param number of an idle port
     * @param trafficClass a class that is not paused
     * @param now in picoseconds
     * @return whether data of the class could be sent
     */
    bool
    HasData(std::uint32_t number, std::uint32_t trafficClass, std::int64_t now)
    {
        return m_queues.HasData(number, trafficClass, now) ||
               (m_state.ports[number].startsHere &&
                m_pairs.Lines().HasPacket(number, trafficClass, now));
    }

    /**
     * @param number of an idle port
     * @param trafficClass for which HasData() holds
     * @param now in picoseconds
     * @return place of its next data
     */
    std::uint32_t TakeData(std::uint32_t number, std::uint32_t trafficClass, std::int64_t now);

    EthernetState& m_state; ///< ports and packets
    OutputQueues& m_queues; ///< what has come by other links
    QueuePairs& m_pairs;    ///< what starts at NPUs
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_ARBITER_H */
