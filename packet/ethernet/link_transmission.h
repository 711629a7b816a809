/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_LINKS_H
#define NPU_ETHERNET_LINKS_H

#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"
#include "packet/base/packet_errors.h"
#include "packet/base/packet_sizes.h"

#include "base/quantities.h"
#include "engine/link_clock.h"
#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * How a packet crosses a link; times in picoseconds.
 */
struct LinkPassage
{
    std::int64_t end = 0;      ///< its last byte has left, or the link is down
    std::int64_t arrival = 0;  ///< all of it is in
    std::int64_t headerIn = 0; ///< so much of it is in that it can go on: its header, or all of it
    bool lost = false;         ///< it does not arrive
    bool corrupted = false;    ///< because of an error
};

/**
 * @ingroup npunet
 * The links of an EthernetNetwork: how long packets occupy them, when they are in, and which are
 * lost on links that are down, slow or late, or have errors. Times in picoseconds.
 */
class EthernetLinks
{
  public:
    /**
     * @param description the network; must outlive this
     * @param sizes of packets; must outlive this
     * @param ports by link, which learn of their links; must outlive this
     */
    EthernetLinks(const topology::NetworkDescription& description,
                  const PacketSizes& sizes,
                  std::vector<EthernetPort>& ports);

    EthernetLinks(const EthernetLinks&) = delete;
    EthernetLinks& operator=(const EthernetLinks&) = delete;

    /**
     * @return those with faults
     */
    const engine::LinkClock&
    Clock() const
    {
        return m_clock;
    }

    /**
     * @return whether none has faults or errors
     */
    bool
    AreRegular() const
    {
        return !m_errors.Any() && !m_clock.faulty();
    }

    /**
     * @return a packet that starts later could end beyond the clock
     */
    std::int64_t
    LastStart() const
    {
        return m_lastStart;
    }

    /**
     * A packet starts.
     * @param number of the port
     * @param wire bytes of the packet
     * @param now the time
     * @return how it crosses the link
     */
    LinkPassage
    Cross(std::uint32_t number, std::uint32_t wire, std::int64_t now)
    {
        EthernetPort& port = m_ports[number];
        if (port.irregular)
        {
            return CrossIrregular(number, wire, now);
        }
        LinkPassage passage;
        passage.end = now + SendingTime(port, wire);
        passage.arrival = passage.end + port.latency;
        passage.headerIn = m_cutThrough
                               ? now + SendingTime(port, std::min(m_header, wire)) + port.latency
                               : passage.arrival;
        return passage;
    }

    /**
     * @param packet that has come to a node
     * @param number of the port by which it goes on
     * @param now the time
     * @return when it may leave by that port at the earliest
     */
    std::int64_t
    ReadyAt(const EthernetPacket& packet, std::uint32_t number, std::int64_t now)
    {
        if (!m_cutThrough)
        {
            return now;
        }
        EthernetPort& port = m_ports[number];
        // A link whose rate changes might run dry: what goes by it is stored.
        return port.irregular ? packet.arrival
                              : std::max(now, packet.arrival - SendingTime(port, packet.wire));
    }

    /**
     * @param number of a port
     * @param now the time
     * @return from when on its link is up; NEVER: it never is
     */
    std::int64_t
    UpFrom(std::uint32_t number, std::int64_t now) const
    {
        return m_clock.up_at(LinkId(std::size_t{number}), Time::ps(now)).ps();
    }

    /**
     * Throws the StallError of a link that is down for ever.
     * @param number of a port
     * @param now the time
     */
    [[noreturn]] void Refuse(std::uint32_t number, std::int64_t now) const;

  private:
    /**
     * @param port of a link without faults
     * @param wire bytes
     * @return how long they occupy its link
     */
    std::int64_t
    SendingTime(EthernetPort& port, std::uint32_t wire) const
    {
        if (wire == m_fullWire)
        {
            return port.fullTime;
        }
        if (wire != port.otherWire)
        {
            port.otherWire = wire;
            port.otherTime = transfer_time(Bytes(wire), Rate(port.rate)).ps();
        }
        return port.otherTime;
    }

    /// @copydoc Cross
    /// Of a link with faults or errors.
    LinkPassage CrossIrregular(std::uint32_t number, std::uint32_t wire, std::int64_t now);

    /**
     * @param number of the port of a link that goes down for ever
     * @param wire bytes of a packet
     * @param start of the packet
     * @param down when the link goes down
     * @return when the packet has left; `down` where it does not get so far
     */
    Time EndBefore(std::uint32_t number, std::uint32_t wire, Time start, Time down) const;

    std::vector<EthernetPort>& m_ports;         ///< by link
    std::uint32_t m_header;                     ///< bytes of a header
    std::uint32_t m_fullWire;                   ///< bytes of a full packet on the wire
    bool m_cutThrough;                          ///< else store and forward
    engine::LinkClock m_clock;                  ///< links with faults
    PacketErrors m_errors;                      ///< of links
    std::vector<std::uint64_t> m_transmissions; ///< by link, where there are errors
    std::vector<std::int64_t> m_lastArrival;    ///< by link, where there are faults
    std::int64_t m_lastStart = 0;               ///< a later start passes the clock's end
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_LINKS_H */
