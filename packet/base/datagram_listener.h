// Datagrams of a packet network: what becomes of them beyond what the listener of messages hears.
#pragma once

#include <cstdint>

namespace npunet::packet {

/// Hears of datagrams (PacketNetwork::send_datagram()) what the listener of messages does not.
/// Handles are those of the messages.
class DatagramListener {
public:
    /// A datagram is no longer queued at its source: it starts on its first link. Called in the
    /// midst of a port's decision. Where the first link has credits (tiers/relays.h): its last byte
    /// has left the source; called like MessageListener::on_sent(), and before that.
    virtual void datagram_starts(std::uint32_t handle) = 0;
    /// A datagram carries an ECN mark; MessageListener::on_delivered() follows at once.
    virtual void datagram_is_marked(std::uint32_t handle) = 0;
    /// A datagram is lost: it will not be delivered. Called in the midst of a port's decision.
    virtual void datagram_is_lost(std::uint32_t handle) = 0;

protected:
    ~DatagramListener() = default;
};

}  // namespace npunet::packet
