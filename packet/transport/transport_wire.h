/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_TRANSPORT_WIRE_H
#define NPU_TRANSPORT_WIRE_H

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/queue_pair.h"
#include "packet/congestion/telemetry_records.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What the transport wants of the ports below it.
 */
class TransportWire
{
  public:
    /**
     * A control packet starts now.
     * @param place of the packet, whose link is chosen
     */
    virtual void SendControl(std::uint32_t place) = 0;

    /**
     * A port may have something to send.
     * @param port number of its link
     * @param at from when on, in picoseconds
     */
    virtual void WakePort(std::uint32_t port, std::int64_t at) = 0;

  protected:
    ~TransportWire() = default;
};

/**
 * @ingroup npunet
 * Who has to hear of what becomes of a transport.
 */
class TransportHost
{
  public:
    /**
     * Throws the StallError of a queue pair that has sent again as often as it may.
     * @param pair the queue pair
     */
    [[noreturn]] virtual void GiveUp(const QueuePair& pair) const = 0;

    /// One end of a queue pair is done with a message.
    virtual void MessagesChange() = 0;

  protected:
    ~TransportHost() = default;
};

/**
 * @ingroup npunet
 * The network below a transport. All of these must outlive it.
 */
struct TransportNetwork
{
    EthernetClock& clock;        ///< its time and events
    EthernetPackets& packets;    ///< where packets are kept
    TelemetryRecords& telemetry; ///< where what is written into them is kept
    EthernetRoutes& routes;      ///< the ways of packets
    TransportWire& wire;         ///< its ports
};

} // namespace npunet::packet

#endif /* NPU_TRANSPORT_WIRE_H */
