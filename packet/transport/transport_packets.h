// Creates the packets of a transport: data, requests of the sender, answers of the receiver.
#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/transport_wire.h"

#include <cstdint>

namespace npunet::packet {

class TransportPackets {
public:
    /// `telemetry`: whether ports write telemetry into data, which answers return. The other
    /// arguments must outlive this.
    TransportPackets(const TransportNetwork& network, const PacketSizes& sizes, bool telemetry,
                     QueuePairTable& pairs, TransportBoundary& boundary)
        : network_(network),
          sizes_(sizes),
          telemetry_(telemetry),
          pairs_(pairs),
          boundary_(boundary) {}

    TransportPackets(const TransportPackets&) = delete;
    TransportPackets& operator=(const TransportPackets&) = delete;

    /// Valid until another packet is created.
    EthernetPacket& operator[](std::uint32_t place) { return network_.packets[place]; }

    /// Creates data that starts now. Returns its place.
    std::uint32_t make_data(std::uint32_t number, std::uint64_t sequence,
                            std::uint32_t message_place, const TransportMessage& message);

    /// The sender requests credit, `need` in grants. `afresh`: grants in flight are considered
    /// lost.
    void request(std::uint32_t number, std::int64_t need, bool afresh);

    /// `cause`: the data that is answered; an acknowledgement or a request to go back takes its
    /// telemetry.
    void answer(PacketKind kind, EthernetPacket& cause);

private:
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

    TransportNetwork network_;
    const PacketSizes& sizes_;
    bool telemetry_;  ///< ports write telemetry into data, which answers return
    QueuePairTable& pairs_;
    TransportBoundary& boundary_;
};

}  // namespace npunet::packet
