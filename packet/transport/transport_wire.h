// Interfaces between a transport and the network below it.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_observer.h"
#include "packet/congestion/telemetry_records.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/queue_pair.h"

#include <cstdint>

namespace npunet::packet {

/// The ports below a transport.
class TransportWire {
public:
    /// A control packet, whose first link is set, starts now.
    virtual void send_control(std::uint32_t place) = 0;

    /// The port of a link may have something to send from `at` on, in picoseconds.
    virtual void wake_port(std::uint32_t port, std::int64_t at) = 0;

protected:
    ~TransportWire() = default;
};

/// Notified by a transport.
class TransportHost {
public:
    /// Throws the StallError of a queue pair that has exhausted its retries.
    [[noreturn]] virtual void give_up(const QueuePair& pair) const = 0;

    /// A queue pair has had several timeouts in a row. Throws StallError if nothing that it sends
    /// can ever be delivered.
    virtual void check_progress(const QueuePair& pair) const = 0;

    /// One end of a queue pair has finished a message.
    virtual void messages_change() = 0;

protected:
    ~TransportHost() = default;
};

/// All of these must outlive the transport.
struct TransportNetwork {
    PacketClock& clock;
    EthernetPackets& packets;
    TelemetryRecords& telemetry;  ///< telemetry of data and answers
    EthernetNextHop& routes;
    TransportWire& wire;
    PacketObserver* const& observer;  ///< the pointer may change; null: none
};

}  // namespace npunet::packet
