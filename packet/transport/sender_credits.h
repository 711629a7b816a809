// Credit of senders, issued by ReceiverCredits: what they have, spend and request.
#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/retransmission_timers.h"
#include "packet/transport/transport_packets.h"

#include <cstdint>

namespace npunet::packet {

class SenderCredits {
public:
    /// All arguments must outlive this.
    SenderCredits(const PacketSizes& sizes, QueuePairTable& pairs, TransportPackets& packets,
                  RetransmissionTimers& timers)
        : sizes_(sizes), pairs_(pairs), packets_(packets), timers_(timers) {}

    /// A message arrives while nothing waits to be sent: the initial window is available again,
    /// less what is in flight.
    void begin_burst(QueuePair& pair) const;

    /// Data starts, and reports the need of its sender.
    static void spend(QueuePair& pair, EthernetPacket& packet);

    /// Requests credit where the last report does not cover the need. `afresh`: in any case, and
    /// grants in flight are considered lost.
    void ask(std::uint32_t number, bool afresh);

    /// Receives a grant.
    void get(const EthernetPacket& packet);

private:
    const PacketSizes& sizes_;
    QueuePairTable& pairs_;
    TransportPackets& packets_;
    RetransmissionTimers& timers_;  ///< also run while a sender waits for credit
};

}  // namespace npunet::packet
