#include "packet/transport/sender.h"

#include "base/quantities.h"

#include <algorithm>
#include <vector>

namespace npunet::packet {

TransportSender::TransportSender(const topology::NetworkDescription& description,
                                 const TransportNetwork& network, const PacketSizes& sizes,
                                 QueuePairTable& pairs, TransportMessages& messages,
                                 TransportPackets& packets, const TransportHost& host)
    : is_reliable_(description.packet.transport.kind != topology::TransportKind::None),
      retries_(static_cast<std::uint32_t>(description.packet.transport.retries)),
      network_(network),
      pairs_(pairs),
      messages_(messages),
      packets_(packets),
      host_(host),
      window_(description.packet.transport, sizes),
      send_queues_(description.graph.links(), description.packet.classes.count, network,
                   sizes.full(), window_, pairs),
      timers_(network.clock, pairs, timer_event_),
      recovery_(description, sizes, network.clock, messages),
      credits_(sizes, pairs, packets, timers_),
      jitter_(description) {}

void TransportSender::send(const engine::Message& message, std::uint32_t number) {
    QueuePair& pair = pairs_[number];
    if (!pair.has_more()) {
        jitter_.put_off(pair, network_.clock.now());
        if (pair.credit) {
            credits_.begin_burst(pair);
        }
    }
    messages_.open(message, number);
    review(number);
}

void TransportSender::send_datagram(const engine::Message& message, std::uint32_t number,
                                    bool can_be_marked) {
    messages_[messages_.open(message, number)].can_be_marked = can_be_marked;
    review(number);
}

std::uint32_t TransportSender::take_packet(std::uint32_t port, std::uint32_t traffic_class,
                                           std::int64_t now) {
    const std::uint32_t number = send_queues_.take_first(port, traffic_class);
    QueuePair& pair = pairs_[number];
    std::uint64_t sequence = pair.next;
    std::uint32_t message_place = pair.sending;
    if (pair.selective && pair.selective->losses > 0) {
        sequence = LossRecovery::take_lost(*pair.selective);
        message_place = messages_.of(pair, sequence);
    } else {
        ++pair.next;
    }
    TransportMessage& message = messages_[message_place];
    if (message_place == pair.sending && pair.next > message.last) {
        pair.sending = message.next;
    }
    if (message.first_byte_left < 0) {
        message.first_byte_left = now;
    }
    const std::uint32_t place = packets_.make_data(number, sequence, message_place, message);
    EthernetPacket& packet = packets_[place];
    if (pair.credit) {
        SenderCredits::spend(pair, packet);
    }
    count(pair, number, packet);
    if (pair.control) {
        pace(pair, packet.wire, now);
    }
    packet.asks = !pair.has_more() || !window_.is_open(pair);
    if (packet.asks || sequence == message.last) {
        pair.asked = std::max(pair.asked, sequence + 1);
    }
    if (network_.routes.are_chosen()) {
        network_.routes.begin_sending(port, packet.wire, now);
    }
    review(number);
    return place;
}

void TransportSender::count(QueuePair& pair, std::uint32_t number, const EthernetPacket& packet) {
    ++pair.transmissions;
    ++pair.use.packets;
    pair.use.repeated += packet.repeated ? 1 : 0;
    pair.top = std::max(pair.top, packet.sequence + 1);
    if (is_reliable_ && !pair.datagrams) {
        pair.in_flight += packet.wire;
        if (pair.deadline == never) {
            timers_.restart(pair, number);
        }
    }
}

void TransportSender::pace(QueuePair& pair, std::uint32_t wire, std::int64_t now) {
    pair.control->packet_sent(now, wire);
    const std::int64_t rate = pair.control->rate(now);
    if (rate != CongestionControl::no_pacing) {
        pair.next_start = later(Time::ps(now), time_for(wire, rate)).ps();
    }
}

void TransportSender::leaves_for_good(const EthernetPacket& packet, std::int64_t end) {
    QueuePair& pair = pairs_[packet.pair];
    pair.last_end = std::max(pair.last_end, end);
    if (packet.subject != none) {
        pair.acknowledged = packet.sequence + 1;
        const auto message = static_cast<std::uint32_t>(packet.subject);
        pair.acknowledging = messages_[message].next;
        if (packet.datagram) {
            pair.expected = pair.acknowledged;
            messages_.datagram_starts(message);
        }
        messages_.sender_is_done(message, pair.last_end);
    }
}

void TransportSender::receive_answer(const EthernetPacket& packet) {
    const std::uint32_t number = packet.pair;
    QueuePair& pair = pairs_[number];
    const std::int64_t bytes = recovery_.hear(pair, packet);
    if (bytes > 0) {
        pair.backoff = 0;
        timers_.restart(pair, number);
    }
    if (pair.control && packet.kind != PacketKind::Trimmed) {
        tell_control(pair, packet, bytes);
    }
    if (network_.observer != nullptr) {
        if (recovery_.heard_loss()) {
            tell_observer(pair, SenderEvent::Lost);
        }
        if (packet.kind != PacketKind::Trimmed) {
            tell_observer(pair, SenderEvent::Acknowledged, bytes,
                          network_.clock.now() - packet.sent_at);
        }
    }
    review(number);
}

void TransportSender::tell_control(QueuePair& pair, const EthernetPacket& answer,
                                   std::int64_t bytes) {
    Acknowledgement told;
    told.now = network_.clock.now();
    told.bytes = bytes;
    told.marked = std::min<std::int64_t>(answer.marked, bytes);
    told.round_trip = told.now - answer.sent_at;
    told.next = answer.sequence;
    told.sent = pair.top;
    if (answer.telemetry != none) {
        const std::vector<HopTelemetry>& hops = network_.telemetry[answer.telemetry];
        told.telemetry = hops.data();
        told.hops = static_cast<std::uint32_t>(hops.size());
    }
    pair.control->acknowledged(told);
}

void TransportSender::tell_observer(const QueuePair& pair, SenderEvent event, std::int64_t bytes,
                                    std::int64_t round_trip) const {
    const std::int64_t now = network_.clock.now();
    ObservedSender seen;
    seen.source = NodeId(std::size_t{pair.source});
    seen.destination = NodeId(std::size_t{pair.destination});
    seen.traffic_class = pair.traffic_class;
    seen.event = event;
    seen.acknowledged = Bytes(bytes);
    seen.round_trip = Time::ps(round_trip);
    seen.in_flight = Bytes(pair.in_flight);
    seen.window = Bytes(SendWindow::of(pair));
    if (pair.control) {
        seen.rate = Rate(pair.control->rate(now));
        seen.congestion = pair.control->congestion(now);
    }
    network_.observer->sender_heard(seen);
}

void TransportSender::receive_notification(std::uint32_t number) {
    const QueuePair& pair = pairs_[number];
    if (pair.control) {
        pair.control->notified(network_.clock.now());
    }
    if (network_.observer != nullptr) {
        tell_observer(pair, SenderEvent::Notified);
    }
}

void TransportSender::receive_grant(const EthernetPacket& packet) {
    credits_.get(packet);
    review(packet.pair);
}

void TransportSender::choose_again() {
    for (const std::uint32_t number : send_queues_.empty()) {
        review(number);
    }
}

void TransportSender::timed_out(std::uint32_t number) {
    QueuePair& pair = pairs_[number];
    ++pair.use.timeouts;
    ++pair.backoff;
    if (retries_ > 0 && pair.backoff > retries_) {
        host_.give_up(pair);
    }
    // As many as RDMA NICs allow at most: the check takes a look at all links.
    constexpr std::uint32_t suspicious = 7;
    if (pair.backoff >= suspicious) {
        host_.check_progress(pair);
    }
    recovery_.lose_all(pair);
    pair.deadline = never;
    if (pair.control) {
        pair.control->lost(network_.clock.now(), true);
    }
    if (network_.observer != nullptr) {
        tell_observer(pair, SenderEvent::TimedOut);
    }
    if (pair.credit && !window_.may_send(pair)) {
        credits_.ask(number, true);
    }
    review(number);
}

}  // namespace npunet::packet
