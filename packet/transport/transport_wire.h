#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/congestion/telemetry_records.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/queue_pair.h"

#include <cstdint>

namespace npunet::packet {

/// What the transport wants of the ports below it.
class TransportWire {
public:
    /// A control packet starts now.
    /// @param place of the packet, whose link is chosen
    virtual void send_control(std::uint32_t place) = 0;

    /// A port may have something to send.
    /// @param port number of its link
    /// @param at from when on, in picoseconds
    virtual void wake_port(std::uint32_t port, std::int64_t at) = 0;

protected:
    ~TransportWire() = default;
};

/// Who has to hear of what becomes of a transport.
class TransportHost {
public:
    /// Throws the StallError of a queue pair that has sent again as often as it may.
    /// @param pair the queue pair
    [[noreturn]] virtual void give_up(const QueuePair& pair) const = 0;

    /// One end of a queue pair is done with a message.
    virtual void messages_change() = 0;

protected:
    ~TransportHost() = default;
};

/// The network below a transport. All of these must outlive it.
struct TransportNetwork {
    EthernetClock& clock;         ///< its time and events
    EthernetPackets& packets;     ///< where packets are kept
    TelemetryRecords& telemetry;  ///< where what is written into them is kept
    EthernetNextHop& routes;      ///< the ways of packets
    TransportWire& wire;          ///< its ports
};

}  // namespace npunet::packet
