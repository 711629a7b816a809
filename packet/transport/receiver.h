#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/congestion/congestion_control.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/receiver_credits.h"
#include "packet/transport/transport_messages.h"
#include "packet/transport/transport_packets.h"

#include "topology/network_description.h"

#include <cstdint>

namespace npunet::packet {

/// The receivers of queue pairs: what they take of the data that comes, and what they answer.
class TransportReceiver {
public:
    /// All of these must outlive this.
    /// @param description the network
    /// @param clock its time and events
    /// @param sizes of packets
    /// @param pairs the queue pairs
    /// @param messages those under way
    /// @param packets makes answers
    TransportReceiver(const topology::NetworkDescription& description, EthernetClock& clock,
                      const PacketSizes& sizes, QueuePairTable& pairs, TransportMessages& messages,
                      TransportPackets& packets);

    /// Data has come.
    /// @param packet the data; its telemetry may have gone on with an answer
    void receive_data(EthernetPacket& packet);

    /// A sender asks for credit.
    /// @param packet the request
    void receive_request(const EthernetPacket& packet) { credits_.learn(packet); }

    /// @return whether any is going to give credit
    bool any_grant_is_due() const { return credits_.any_is_due(); }

private:
    /// Data has come that is not the expected packet.
    /// @param pair its queue pair
    /// @param packet the data
    void receive_out_of_order(QueuePair& pair, EthernetPacket& packet);

    /// Takes a packet that comes neither twice nor, with go-back-N, out of order.
    /// @param pair a queue pair
    /// @param sequence of the packet
    /// @return whether messages are complete
    bool accept(QueuePair& pair, std::uint64_t sequence);

    /// Notices a mark, and notifies the source where that is due.
    /// @param packet data that came marked
    void notice_mark(EthernetPacket& packet);

    topology::TransportKind kind_;  ///< what is done about losses
    std::int64_t ack_every_;        ///< packets for one acknowledgement
    CongestionNeeds needs_;         ///< of congestion control
    const EthernetClock& clock_;    ///< the network's
    QueuePairTable& pairs_;         ///< the queue pairs
    TransportMessages& messages_;   ///< those under way
    TransportPackets& packets_;     ///< makes answers
    ReceiverCredits credits_;       ///< what they let come
};

}  // namespace npunet::packet
