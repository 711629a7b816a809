// The receivers of queue pairs: which arriving data they accept, and how they answer it.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/congestion/congestion_control.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/receiver_credits.h"
#include "packet/transport/transport_messages.h"
#include "packet/transport/transport_packets.h"

#include "topology/network/network_description.h"

#include <cstdint>

namespace npunet::packet {

class TransportReceiver {
public:
    /// All arguments must outlive this.
    TransportReceiver(const topology::NetworkDescription& description, PacketClock& clock,
                      const PacketSizes& sizes, QueuePairTable& pairs, TransportMessages& messages,
                      TransportPackets& packets);

    /// Data arrives; an answer takes its telemetry.
    void receive_data(EthernetPacket& packet);

    /// A sender requests credit.
    void receive_request(const EthernetPacket& packet) { credits_.learn(packet); }

    /// Whether any credit is still to be issued.
    bool any_grant_is_due() const { return credits_.any_is_due(); }

private:
    /// Data other than the expected packet, duplicates included.
    void receive_out_of_order(QueuePair& pair, EthernetPacket& packet);

    /// `sequence`: received for the first time; with go-back-N, the expected packet. Returns
    /// whether messages are complete.
    bool accept(QueuePair& pair, std::uint64_t sequence);

    /// Counts a marked packet, and notifies the source where that is due.
    void notice_mark(EthernetPacket& packet);

    topology::TransportKind kind_;
    std::int64_t ack_every_;  ///< packets for one acknowledgement
    topology::CongestionNeeds needs_;
    const PacketClock& clock_;
    QueuePairTable& pairs_;
    TransportMessages& messages_;
    TransportPackets& packets_;
    ReceiverCredits credits_;
};

}  // namespace npunet::packet
