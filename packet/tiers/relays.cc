#include "packet/tiers/relays.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::packet {

namespace {

PacketNetwork& network_of(const TierNetworks& networks, topology::TierPart part) {
    return *networks[static_cast<std::size_t>(part)];
}

}  // namespace

Relays::Relays(const topology::NetworkDescription& description, const engine::EventQueue& queue,
               const TierNetworks& networks, engine::MessageListener& listener,
               DatagramListener& datagram_listener)
    : mtu_(description.packet.mtu),
      classes_(description.packet.classes),
      queue_(queue),
      networks_(networks),
      listener_(listener),
      datagram_listener_(datagram_listener),
      sent_by_(description.graph.nodes(), first_count) {}

template <class Record>
std::uint32_t Relays::take(std::vector<Record>& records, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
        records.emplace_back();
        return static_cast<std::uint32_t>(records.size() - 1);
    }
    const std::uint32_t number = free.back();
    free.pop_back();
    records[number] = Record();
    return number;
}

bool Relays::has_credits(const Packet& packet) const {
    return messages_[packet.message].legs[packet.leg].part == topology::TierPart::ScaleUp;
}

Relays::FlowName Relays::flow_of(const Packet& packet) const {
    const engine::Message& message = messages_[packet.message].message;
    const auto from =
        static_cast<std::uint64_t>(messages_[packet.message].legs[packet.leg].from.value());
    if (!message.separate) {
        return {from, packet.message, ~std::uint64_t{0}};
    }
    return {from,
            static_cast<std::uint64_t>(message.source.value()) << 32 |
                static_cast<std::uint64_t>(message.destination.value()),
            static_cast<std::uint64_t>(message.traffic_class)};
}

void Relays::send(const engine::Message& message, const std::vector<Leg>& legs, Service service) {
    assert(service == Service::Reliable || (message.separate && message.bytes <= mtu_));
    const std::uint32_t number = take(messages_, free_messages_);
    Relayed& relayed = messages_[number];
    relayed.message = message;
    if (message.traffic_class == engine::Message::by_kind) {
        relayed.message.traffic_class = static_cast<std::uint8_t>(classes_.of(message.kind));
    }
    relayed.legs = legs;
    relayed.service = service;
    relayed.uncut = message.bytes;
    relayed.missing =
        std::max<std::int64_t>(1, (message.bytes.value() + mtu_.value() - 1) / mtu_.value());
    relayed.begun = queue_.now();
    const bool in_turn = legs.front().part == topology::TierPart::ScaleUp;
    do {
        enter(cut(number));
    } while (!in_turn && !messages_[number].is_cut);
}

std::uint32_t Relays::cut(std::uint32_t message) {
    const std::uint32_t number = take(packets_, free_packets_);
    Relayed& relayed = messages_[message];
    Packet& packet = packets_[number];
    packet.message = message;
    packet.bytes = std::min(relayed.uncut, mtu_);
    relayed.uncut -= packet.bytes;
    relayed.is_cut = relayed.uncut == Bytes(0);
    packet.is_last = relayed.is_cut;
    ++relayed.in_flight;
    return number;
}

void Relays::enter(std::uint32_t number) {
    const Packet& packet = packets_[number];
    if (!has_credits(packet)) {
        start(number, Time::max());
        return;
    }
    const auto [flow, is_first] = flows_.try_emplace(flow_of(packet));
    if (!is_first) {
        flow->second.waiting.push_back(number);
        return;
    }
    flow->second.start = queue_.now();
    start(number, Time::max());
}

void Relays::start(std::uint32_t number, Time flow_start) {
    Packet& packet = packets_[number];
    const Relayed& relayed = messages_[packet.message];
    const Leg& leg = relayed.legs[packet.leg];
    const bool credits = has_credits(packet);
    engine::Message part = relayed.message;
    part.id = engine::MessageId(leg.from, sent_by_[leg.from.index()]++);
    part.source = leg.from;
    part.destination = leg.to;
    part.bytes = packet.bytes;
    part.handle = 2 * number + 1;
    part.wants_sent = credits || (packet.leg == 0 && packet.is_last && relayed.message.wants_sent);
    part.separate = true;
    part.flow_start = flow_start;
    packet.sent_is_due = part.wants_sent;
    PacketNetwork& network = network_of(networks_, leg.part);
    if (credits || relayed.service == Service::Reliable) {
        network.send(part);
    } else {
        network.send_datagram(part, relayed.service == Service::MarkableDatagram);
    }
}

void Relays::start_next(const Packet& packet) {
    const auto flow = flows_.find(flow_of(packet));
    Relayed& relayed = messages_[packet.message];
    std::uint32_t next = 0;
    if (!flow->second.waiting.empty()) {
        next = flow->second.waiting.front();
        flow->second.waiting.pop_front();
    } else if (packet.leg == 0 && !relayed.is_cut) {
        next = cut(packet.message);
    } else {
        flows_.erase(flow);
        return;
    }
    start(next, flow->second.start);
}

void Relays::free_if_done(std::uint32_t number) {
    const Packet& packet = packets_[number];
    if (!packet.arrived || packet.sent_is_due) {
        return;
    }
    Relayed& relayed = messages_[packet.message];
    --relayed.in_flight;
    if (relayed.in_flight == 0 && relayed.is_cut) {
        free_messages_.push_back(packet.message);
    }
    free_packets_.push_back(number);
}

void Relays::packet_sent(std::uint32_t number) {
    const Packet packet = packets_[number];
    assert(packet.sent_is_due);
    const bool credits = has_credits(packet);
    const Service service = messages_[packet.message].service;
    const std::uint32_t handle = messages_[packet.message].message.handle;
    const bool wants_sent = messages_[packet.message].message.wants_sent;
    if (credits) {
        start_next(packet);
    }
    packets_[number].sent_is_due = false;
    free_if_done(number);
    if (packet.leg > 0) {
        return;
    }
    if (credits && service != Service::Reliable) {
        // Links with credits do not tell when a packet starts.
        datagram_listener_.datagram_starts(handle);
    }
    if (packet.is_last && wants_sent) {
        listener_.on_sent(handle);
    }
}

void Relays::packet_delivered(std::uint32_t number, Time first_byte_left) {
    packets_[number].arrived = true;
    const Packet packet = packets_[number];
    Relayed& relayed = messages_[packet.message];
    relayed.first_byte_left = std::min(relayed.first_byte_left, first_byte_left);
    if (packet.leg + 1 < relayed.legs.size()) {
        const std::uint32_t next = take(packets_, free_packets_);
        packets_[next].message = packet.message;
        packets_[next].leg = packet.leg + 1;
        packets_[next].bytes = packet.bytes;
        packets_[next].is_last = packet.is_last;
        ++relayed.in_flight;
        free_if_done(number);
        enter(next);
        return;
    }
    --relayed.missing;
    const bool is_complete = relayed.missing == 0;
    const std::uint32_t handle = relayed.message.handle;
    const Time left = relayed.first_byte_left;
    free_if_done(number);
    if (is_complete) {
        listener_.on_delivered(handle, left);
    }
}

void Relays::datagram_starts(std::uint32_t number) {
    if (packets_[number].leg == 0) {
        datagram_listener_.datagram_starts(messages_[packets_[number].message].message.handle);
    }
}

void Relays::datagram_is_marked(std::uint32_t number) {
    datagram_listener_.datagram_is_marked(messages_[packets_[number].message].message.handle);
}

void Relays::datagram_is_lost(std::uint32_t number) {
    packets_[number].arrived = true;
    const std::uint32_t handle = messages_[packets_[number].message].message.handle;
    free_if_done(number);
    datagram_listener_.datagram_is_lost(handle);
}

}  // namespace npunet::packet
