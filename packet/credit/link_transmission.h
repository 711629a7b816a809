/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_LINKS_H
#define NPU_PACKET_LINKS_H

#include "packet/base/link_timing.h"
#include "packet/credit/network_state.h"

#include "base/quantities.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * How packets cross the links: how long they occupy them, when they are in and may go on, when
 * their credit is back. Most links do the same at all times; the irregular ones ask LinkTiming.
 *
 *     const Crossing crossing = links.Cross(port, wire, now);
 *     const std::int64_t ready = links.MayLeave(crossing, nextPort, wire);
 *
 * Times in picoseconds.
 */
class PacketLinks
{
  public:
    /**
     * @param description the network; must outlive this
     * @param state with the ports, and nothing known of their links yet; must outlive this
     */
    PacketLinks(const topology::NetworkDescription& description, PacketState& state);

    PacketLinks(const PacketLinks&) = delete;
    PacketLinks& operator=(const PacketLinks&) = delete;

    /**
     * A packet starts.
     * @param portNumber an idle port that is up
     * @param wire bytes of the packet
     * @param now in picoseconds
     * @return what becomes of it
     *
     * Throws StallError where what follows from it lies beyond the end of the clock.
     */
    Crossing
    Cross(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
    {
        // From here on the sums of times below would pass the end of the clock.
        if (now > m_state.lastStart)
        {
            RefuseLate();
        }
        const PacketPort& port = m_state.ports[portNumber];
        if (port.irregular == 1)
        {
            return CrossIrregular(portNumber, wire, now);
        }
        Crossing crossing;
        crossing.busy = wire == m_state.fullWire ? port.fullTime : OtherTime(portNumber, wire);
        crossing.end = now + crossing.busy;
        crossing.arrival = crossing.end + port.latency;
        crossing.headerIn = now + m_headerTimes[portNumber] + port.latency;
        return crossing;
    }

    /**
     * @param crossing how a packet crosses a link; of which arrival and headerIn count
     * @param next the port by which it leaves the node that it reaches
     * @param wire bytes of the packet
     * @return when it may leave that node at the earliest
     */
    std::int64_t
    MayLeave(const Crossing& crossing, std::uint32_t next, std::uint32_t wire) const
    {
        return m_cutThrough ? std::max(crossing.headerIn, crossing.arrival - LeastTime(next, wire))
                            : crossing.arrival;
    }

    /**
     * @param crossing how a packet crosses a link
     * @return when enough of it is in to choose the way on
     */
    std::int64_t
    MayChoose(const Crossing& crossing) const
    {
        return m_cutThrough ? crossing.headerIn : crossing.arrival;
    }

    /**
     * @param portNumber the port
     * @param time when a credit starts on its way back
     * @return when it is there
     */
    std::int64_t
    CreditBack(std::uint32_t portNumber, std::int64_t time) const
    {
        const PacketPort& port = m_state.ports[portNumber];
        return port.irregular == 0 ? time + port.latency : m_timing.CreditBack(portNumber, time);
    }

    /**
     * @param portNumber of an irregular link
     * @param now in picoseconds
     * @return whether the link is up
     *
     * Throws StallError where the link is down for ever and somebody waits.
     */
    bool IsUp(std::uint32_t portNumber, std::int64_t now);

    /**
     * @param portNumber the port
     * @param time in picoseconds
     * @return when the port can decide if it wants to then
     */
    std::int64_t
    AfterOutage(std::uint32_t portNumber, std::int64_t time) const
    {
        return m_state.ports[portNumber].irregular == 0 ? time : UpFrom(portNumber, time);
    }

    /**
     * @param portNumber the port
     * @param from in picoseconds
     * @param to in picoseconds
     * @return for how long of that the link is up
     */
    std::int64_t UpBetween(std::uint32_t portNumber, std::int64_t from, std::int64_t to) const;

    /**
     * @param portNumber of an irregular link that is up
     * @param wire bytes of a packet
     * @param now in picoseconds
     * @return whether the packet, if it starts now, is through before the link is down for ever
     */
    bool
    GetsThrough(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now)
    {
        return m_timing.GetsThrough(portNumber, now, wire);
    }

    /**
     * @param link number of a link
     * @return how often packets were sent again
     */
    std::int64_t
    Retransmissions(std::size_t link) const
    {
        return m_retransmissions[link];
    }

    /**
     * @return by link
     */
    const std::vector<Rate>&
    Rates() const
    {
        return m_rates;
    }

    /**
     * @return of irregular links
     */
    const LinkTiming&
    Timing() const
    {
        return m_timing;
    }

  private:
    /// @copydoc Cross
    Crossing CrossIrregular(std::uint32_t portNumber, std::uint32_t wire, std::int64_t now);

    /// @copydoc AfterOutage
    std::int64_t UpFrom(std::uint32_t portNumber, std::int64_t time) const;

    /**
     * @param portNumber the port
     * @param wire bytes of a packet that is not full
     * @return how long they occupy a link without faults
     */
    std::int64_t OtherTime(std::uint32_t portNumber, std::uint32_t wire);

    /**
     * @param portNumber the port; may be another thread's, so that nothing of it is written
     * @param wire bytes of a packet
     * @return how long they occupy the link at its best
     */
    std::int64_t
    LeastTime(std::uint32_t portNumber, std::uint32_t wire) const
    {
        if (m_state.ports[portNumber].irregular == 1)
        {
            return m_timing.LeastTime(portNumber, wire);
        }
        return wire == m_state.fullWire ? m_state.ports[portNumber].fullTime
                                        : transfer_time(Bytes(wire), m_rates[portNumber]).ps();
    }

    /// Throws the StallError of a time beyond the end of the clock.
    void RefuseLate();

    PacketState& m_state;                        ///< with the ports
    bool m_cutThrough;                           ///< packets leave before they are in
    LinkTiming m_timing;                         ///< links with faults and errors
    std::vector<Rate> m_rates;                   ///< by link
    std::vector<std::int64_t> m_headerTimes;     ///< by link, of PacketState::HeaderBytes()
    std::vector<std::int64_t> m_retransmissions; ///< by link
};

} // namespace npunet::packet

#endif /* NPU_PACKET_LINKS_H */
