#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/message.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/transport_wire.h"

#include <cstdint>

namespace npunet::packet {

/// The packets of a transport as they start: data, requests of the sender, answers of the receiver.
class TransportPackets {
public:
    /// All of these must outlive this.
    /// @param network below
    /// @param sizes of packets
    /// @param telemetry whether ports write into data what answers bring back
    /// @param pairs the queue pairs
    /// @param boundary of this part of the network
    TransportPackets(const TransportNetwork& network, const PacketSizes& sizes, bool telemetry,
                     QueuePairTable& pairs, TransportBoundary& boundary)
        : network_(network),
          sizes_(sizes),
          telemetry_(telemetry),
          pairs_(pairs),
          boundary_(boundary) {}

    TransportPackets(const TransportPackets&) = delete;
    TransportPackets& operator=(const TransportPackets&) = delete;

    /// @param place of a packet
    /// @return the packet, until another one starts
    EthernetPacket& operator[](std::uint32_t place) { return network_.packets[place]; }

    /// Data is to start now.
    /// @param number of its queue pair
    /// @param sequence its own
    /// @param message_place place of its message
    /// @param message its message
    /// @return place of the data
    std::uint32_t make_data(std::uint32_t number, std::uint64_t sequence,
                            std::uint32_t message_place, const TransportMessage& message);

    /// The sender asks for credit.
    /// @param number of its queue pair
    /// @param need in grants
    /// @param afresh grants on their way are taken for lost
    void request(std::uint32_t number, std::int64_t need, bool afresh);

    /// The receiver answers.
    /// @param kind of the answer
    /// @param cause the data that causes it; the answer takes its telemetry
    void answer(PacketKind kind, EthernetPacket& cause);

private:
    /// @param kind of a control packet
    /// @param number of its queue pair
    /// @param pair its queue pair
    /// @return its place
    std::uint32_t make_control(PacketKind kind, std::uint32_t number, const QueuePair& pair) {
        const std::uint32_t place = network_.packets.take();
        EthernetPacket& packet = network_.packets[place];
        packet.kind = kind;
        packet.pair = number;
        packet.wire = sizes_.header();
        packet.traffic_class = pair.traffic_class;
        packet.hop = goes_forth(kind) ? pair.forth : pair.back;
        boundary_.take_along(place, pair);
        return place;
    }

    TransportNetwork network_;     ///< below
    const PacketSizes& sizes_;     ///< of packets
    bool telemetry_;               ///< ports write into data what answers bring back
    QueuePairTable& pairs_;        ///< the queue pairs
    TransportBoundary& boundary_;  ///< of this part of the network
};

}  // namespace npunet::packet
