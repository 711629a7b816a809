#include "packet/transport/transport_packets.h"

#include <algorithm>

namespace npunet::packet {

std::uint32_t TransportPackets::make_data(std::uint32_t number, std::uint64_t sequence,
                                          std::uint32_t message_place,
                                          const TransportMessage& message) {
    const QueuePair& pair = pairs_[number];
    const std::uint32_t place = network_.packets.take();
    EthernetPacket& packet = network_.packets[place];
    packet.kind = PacketKind::Data;
    packet.pair = number;
    packet.sequence = sequence;
    packet.subject = sequence == message.last ? message_place : none;
    packet.payload =
        static_cast<std::uint32_t>(sizes_.payload_behind(message.bytes, sequence - message.first));
    packet.wire = sizes_.wire(packet.payload);
    packet.traffic_class = pair.traffic_class;
    packet.sent_at = network_.clock.now();
    packet.hop = pair.forth;
    packet.repeated = sequence < pair.top;
    packet.datagram = pair.datagrams;
    packet.can_be_marked = message.can_be_marked;
    if (network_.routes.are_chosen()) {
        network_.routes.take_from_pair(place, packet, number);
    }
    if (telemetry_ && !pair.datagrams) {
        packet.telemetry = network_.telemetry.take();
    }
    boundary_.take_along(place, pair);
    boundary_.take_along(place, message, message_place);
    return place;
}

void TransportPackets::request(std::uint32_t number, std::int64_t need, bool afresh) {
    const QueuePair& pair = pairs_[number];
    const std::int64_t now = network_.clock.now();
    const std::uint32_t place = make_control(PacketKind::Request, number, pair);
    EthernetPacket& packet = network_.packets[place];
    packet.subject = pair.credit->had;
    packet.backlog = static_cast<std::uint32_t>(std::min<std::int64_t>(need, none));
    packet.repeated = afresh;
    packet.sent_at = now;
    EthernetNextHop& routes = network_.routes;
    if (routes.are_chosen()) {
        const PacketDraw drawn = routes.draw(pair.key, pair.transmissions);
        routes.start(place, packet, pair.source, pair.destination, drawn, now);
    }
    network_.wire.send_control(place);
}

void TransportPackets::answer(PacketKind kind, EthernetPacket& cause) {
    QueuePair& pair = pairs_[cause.pair];
    const std::uint32_t place = make_control(kind, cause.pair, pair);
    EthernetPacket& packet = network_.packets[place];
    packet.sequence = pair.expected;
    packet.subject = cause.sequence;
    packet.sent_at = cause.sent_at;
    if (kind == PacketKind::Acknowledgement || kind == PacketKind::GoBack) {
        packet.marked = pair.marked_bytes;
        pair.marked_bytes = 0;
        pair.unanswered = 0;
        if (telemetry_) {
            packet.telemetry = cause.telemetry;
            cause.telemetry = none;
            packet.wire += telemetry_bytes *
                           static_cast<std::uint32_t>(network_.telemetry[packet.telemetry].size());
        }
    }
    EthernetNextHop& routes = network_.routes;
    if (routes.are_chosen()) {
        const PacketDraw drawn = routes.draw(~pair.key, pair.answers++);
        routes.start(place, packet, pair.destination, pair.source, drawn, network_.clock.now());
    }
    network_.wire.send_control(place);
}

}  // namespace npunet::packet
