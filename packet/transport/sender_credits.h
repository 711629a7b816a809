#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/retransmission_timers.h"
#include "packet/transport/transport_packets.h"

#include <cstdint>

namespace npunet::packet {

/// The credit of senders, which ReceiverCredits give: what they have, spend and ask for.
class SenderCredits {
public:
    /// All of these must outlive this.
    /// @param sizes of packets
    /// @param pairs the queue pairs
    /// @param packets makes requests
    /// @param timers of senders that wait for credit
    SenderCredits(const PacketSizes& sizes, QueuePairTable& pairs, TransportPackets& packets,
                  RetransmissionTimers& timers)
        : sizes_(sizes), pairs_(pairs), packets_(packets), timers_(timers) {}

    /// Nothing waits to be sent, and something comes: the first window is there again.
    /// @param pair a queue pair
    void begin_burst(QueuePair& pair) const;

    /// Data starts, and tells what its sender needs.
    /// @param pair its queue pair
    /// @param packet the data
    static void spend(QueuePair& pair, EthernetPacket& packet);

    /// The sender asks for credit where what it has told does not cover its need.
    /// @param number of the queue pair
    /// @param afresh in any case, and grants on their way are taken for lost
    void ask(std::uint32_t number, bool afresh);

    /// The sender gets a grant.
    /// @param packet the grant
    void get(const EthernetPacket& packet);

private:
    const PacketSizes& sizes_;      ///< of packets
    QueuePairTable& pairs_;         ///< the queue pairs
    TransportPackets& packets_;     ///< makes requests
    RetransmissionTimers& timers_;  ///< of senders that wait for credit
};

}  // namespace npunet::packet
