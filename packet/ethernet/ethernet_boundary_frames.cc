#include "packet/ethernet/ethernet_boundary_frames.h"

#include "packet/transport/queue_pair.h"

#include <cassert>

namespace npunet::packet {

void EthernetBoundaryFrames::leave(std::uint32_t number, std::uint32_t place, std::int64_t ready) {
    const EthernetPacket& packet = state_.packets[place];
    BoundaryFrame& frame = boundary_.begin(static_cast<std::uint8_t>(packet.kind));
    frame.add(number);
    frame.add(packet);
    frame.add(ready);
    if (!is_request(packet.kind)) {
        const EthernetCargo& cargo = boundary_.of_packet(place);
        frame.add(cargo.pair);
        if (routes_.are_chosen()) {
            frame.add(routes_.path_of(place));
        } else {
            frame.add(packet.hop - first_hop_of(packet.kind, cargo.pair));
        }
        if (packet.kind == PacketKind::Data) {
            frame.add(cargo.first);
            frame.add(cargo.message);
        }
        if (packet.telemetry != none) {
            for (const HopTelemetry& written : state_.telemetry[packet.telemetry]) {
                frame.add(written);
            }
        }
    }
    state_.telemetry.free(packet.telemetry);
    state_.packets.free(place);
    boundary_.send_along(LinkId(std::size_t{number}), Time::ps(state_.clock.now()));
}

void EthernetBoundaryFrames::enter(const std::uint8_t* data, std::size_t size) {
    BoundaryFrameReader reader(data, size);
    const auto link = reader.take<std::uint32_t>();
    const std::uint32_t place = state_.packets.take();
    EthernetPacket& packet = state_.packets[place];
    packet = reader.take<EthernetPacket>();
    const auto ready = reader.take<std::int64_t>();
    packet.pair = none;
    if (!is_request(packet.kind)) {
        EthernetCargo& cargo = boundary_.of_packet(place);
        cargo.pair = reader.take<std::uint64_t>();
        if (routes_.are_chosen()) {
            routes_.path_of(place) = reader.take<PacketPath>();
        } else {
            packet.hop = first_hop_of(packet.kind, cargo.pair) + reader.take<std::uint32_t>();
        }
        if (packet.kind == PacketKind::Data) {
            cargo.first = reader.take<std::uint64_t>();
            cargo.message = reader.take<BoundaryMessage>();
        }
        if (packet.telemetry != none) {
            packet.telemetry = state_.telemetry.take();
            while (!reader.is_at_end()) {
                state_.telemetry[packet.telemetry].push_back(reader.take<HopTelemetry>());
            }
        }
    }
    assert(reader.is_at_end() && ready >= state_.clock.now());
    if (state_.observer != nullptr) {
        state_.observer->packet_entered(LinkId(std::size_t{link}), Bytes(packet.wire),
                                        Time::ps(packet.arrival));
    }
    links_.fly(link, place, ready);
}

std::uint32_t EthernetBoundaryFrames::first_hop_of(PacketKind kind, std::uint64_t key) {
    const std::uint32_t source = QueuePair::source_of(key);
    const std::uint32_t destination = QueuePair::destination_of(key);
    return goes_forth(kind) ? routes_.first_hop(source, destination)
                            : routes_.first_hop(destination, source);
}

}  // namespace npunet::packet
