#include "packet/transport/transport.h"

#include <algorithm>

namespace npunet::packet {

namespace {

std::uint64_t key_of(const engine::Message& message, std::uint8_t traffic_class,
                     QueuePair::Service service) {
    return QueuePair::key_of(static_cast<std::uint32_t>(message.source.index()),
                             static_cast<std::uint32_t>(message.destination.index()), traffic_class,
                             service);
}

}  // namespace

QueuePairs::QueuePairs(const topology::NetworkDescription& description,
                       const TransportNetwork& network, TransportHost& host)
    : is_reliable_(description.packet.transport.kind != topology::TransportKind::None),
      network_(network),
      sizes_(description.packet),
      pairs_(description, sizes_, network.routes, boundary_),
      messages_(network.clock, sizes_, pairs_, boundary_, host),
      packets_(network, sizes_, topology::needs_of(description.packet.congestion_control).telemetry,
               pairs_, boundary_),
      sender_(description, network, sizes_, pairs_, messages_, packets_, host),
      receiver_(description, network.clock, sizes_, pairs_, messages_, packets_),
      scan_(description.packet, pairs_, messages_, sender_.send_queues(), sender_.timers()) {}

bool QueuePairs::have_no_past(std::uint32_t npu, std::uint32_t port, std::int64_t now) const {
    const std::vector<std::uint32_t>& numbers = pairs_.of_source(npu);
    return std::all_of(numbers.begin(), numbers.end(), [&](std::uint32_t number) {
        const QueuePair& pair = pairs_[number];
        return pair.port != port || pair.has_no_past(now);
    });
}

void QueuePairs::describe_unanswered(const QueuePair& pair,
                                     std::vector<std::uint64_t>& words) const {
    for (std::uint32_t place = pair.acknowledging; place != none; place = messages_[place].next) {
        words.push_back(pair.end - messages_[place].first);
        words.push_back(static_cast<std::uint64_t>(messages_[place].bytes));
    }
    words.push_back(~std::uint64_t{0});
}

void QueuePairs::send(const engine::Message& message, std::uint8_t traffic_class) {
    using Service = QueuePair::Service;
    const Service service = message.separate ? Service::Separate : Service::Messages;
    sender_.send(message, pairs_.number_of(key_of(message, traffic_class, service)));
}

void QueuePairs::send_datagram(const engine::Message& message, std::uint8_t traffic_class,
                               bool can_be_marked) {
    const std::uint64_t key = key_of(message, traffic_class, QueuePair::Service::Datagrams);
    sender_.send_datagram(message, pairs_.number_of(key), can_be_marked);
}

void QueuePairs::receive(std::uint32_t place) {
    EthernetPacket packet = network_.packets[place];
    if (boundary_.is_split()) {
        come_to_end(place, packet);
    }
    network_.packets.free(place);
    switch (packet.kind) {
        case PacketKind::Data:
            receiver_.receive_data(packet);
            break;
        case PacketKind::Notification:
            sender_.receive_notification(packet.pair);
            break;
        case PacketKind::Request:
            receiver_.receive_request(packet);
            break;
        case PacketKind::Grant:
            sender_.receive_grant(packet);
            break;
        default:
            sender_.receive_answer(packet);
            break;
    }
    network_.telemetry.free(packet.telemetry);
}

bool QueuePairs::may_end_message(const EthernetPacket& packet) const {
    if (packet.kind == PacketKind::Data) {
        // A packet that closes a gap has been sent before: those behind it have overtaken nothing.
        return packet.subject != none || packet.repeated || packet.datagram;
    }
    if (is_request(packet.kind) || packet.kind == PacketKind::Notification) {
        return false;
    }
    // Until it arrives, the sender can only learn of later packets.
    const std::uint32_t message = pairs_[packet.pair].acknowledging;
    return message != none && packet.sequence > messages_[message].last;
}

void QueuePairs::come_to_end(std::uint32_t place, EthernetPacket& packet) {
    const EthernetCargo& cargo = boundary_.cargo_of(place);
    packet.pair = pairs_.number_of(cargo.pair);
    const QueuePair& pair = pairs_[packet.pair];
    if (packet.kind == PacketKind::Data && !boundary_.sends_here(pair) &&
        packet.sequence >= pair.expected) {
        messages_.meet(packet.pair, cargo);
    }
}

}  // namespace npunet::packet
