// NaivePacketNetwork: how packets cross a link, and what becomes of them at its end.
#include <algorithm>

#include "naive_packet_network.h"

namespace npunet::packet_test {

using engine::Phase;

namespace {

// Kinds of this network's own events, away from those of the engine.
// What only tells of the past comes first, and commutes; then the packets that choose their way.
constexpr unsigned kind_arrival = 0;
constexpr unsigned kind_end = 0;
constexpr unsigned kind_credit = 0;
constexpr unsigned kind_choice = 8;

}  // namespace

bool NaivePacketNetwork::last_hop(const Packet& packet) const {
    return graph_.link(packet.hop.link).to == packet.flight->message.destination;
}

void NaivePacketNetwork::start(LinkId id, const Packet& packet) {
    ++packet_hops_;
    ++uses_[id.index()].packets;
    uses_[id.index()].payload += packet.payload;
    attempt(id, packet);
}

void NaivePacketNetwork::attempt(LinkId id, const Packet& packet) {
    Port& port = ports_[id.index()];
    const Time end = clock_.end(id, queue_.now(), packet.wire);
    uses_[id.index()].wire += packet.wire;
    if (!uses_[id.index()].classes_wire.empty()) {
        uses_[id.index()].classes_wire[packet.flight->traffic_class] += packet.wire;
    }
    uses_[id.index()].busy += end - queue_.now();
    const Time before = port.last_arrival;
    port.last_arrival = std::max(before, end + clock_.latency(id, end));
    const Time in = port.last_arrival;
    if (errors_.is_corrupted(id.index(), port.transmissions++)) {
        const Time told = in + clock_.latency(id, in);
        at(told, Phase::Arrival, kind_end, id.index(), [this, id, packet] {
            ++uses_[id.index()].retransmissions;
            attempt(id, packet);
        });
        return;
    }
    at(end, Phase::Arrival, kind_end, id.index(), [this, id, packet] { done(id, packet); });
    if (last_hop(packet)) {
        at(in, Phase::Arrival, kind_arrival, ++arrivals_,
           [this, id, packet] { arrive(id, packet); });
    } else {
        go_on(id, packet, header_in(id, end, before), in);
    }
}

/// A packet is on its way to a node where it does not end.
void NaivePacketNetwork::go_on(LinkId id, Packet packet, Time header, Time in) {
    packet.before = packet.hop;
    ++packet.hops;
    if (ways_ == nullptr) {
        packet.hop = packet.flight->route[packet.hops];
        at(ready(header, in, packet.hop.link, packet.wire), Phase::Arrival, kind_arrival,
           ++arrivals_, [this, packet] { stand_in_line(packet.before->link, packet); });
        return;
    }
    const bool cut = parameters_.switching == topology::Switching::CutThrough;
    at(cut ? header : in, Phase::Arrival, kind_choice, id.index(), [this, id, packet, header, in] {
        Packet own = packet;
        own.choice = choose_way(*own.flight, own.number, own.wire, graph_.link(id).to, own.before,
                                own.choice);
        own.hop = own.choice.hop;
        at(ready(header, in, own.hop.link, own.wire), Phase::Arrival, kind_arrival, ++arrivals_,
           [this, own] { stand_in_line(own.before->link, own); });
    });
}

void NaivePacketNetwork::done(LinkId id, const Packet& packet) {
    ports_[id.index()].busy = false;
    ask(id);
    if (packet.before) {
        --ports_[packet.before->link.index()].reads;
        if (parameters_.speedup > 0) {
            for (const LinkId other : graph_.links_from(graph_.link(id).from)) {
                ask(other);
            }
        }
        give_credit_back(packet.before->link, channel_of(*packet.flight, *packet.before),
                         packet.wire);
    } else if (--packet.flight->leaving == 0 && packet.flight->message.wants_sent) {
        at(queue_.now(), Phase::Arrival, engine::event_kind::message_sent,
           packet.flight->message.id.value(),
           [this, flight = packet.flight] { listener_->on_sent(flight->message.handle); });
    }
}

// When the header of a packet that starts now and has left at `end` is in, and the rest follows;
// `before` is the arrival of the one before it.
Time NaivePacketNetwork::header_in(LinkId id, Time end, Time before) const {
    const Time in = ports_[id.index()].last_arrival;
    const Time header_end = clock_.end(id, queue_.now(), std::max(parameters_.header, Bytes(1)));
    const Time latency = clock_.latency(id, header_end);
    if (!clock_.steady(id, queue_.now(), end) || end + latency != in) {
        return in;
    }
    return std::max(before, header_end + latency);
}

// When a packet may leave by the next link.
Time NaivePacketNetwork::ready(Time header, Time in, LinkId next, Bytes wire) const {
    if (parameters_.switching == topology::Switching::StoreAndForward) {
        return in;
    }
    const Time sending = clock_.highest_rate(next) == 0
                             ? Time()
                             : transfer_time(wire, Rate(clock_.highest_rate(next)));
    return std::max(header, in - sending);
}

void NaivePacketNetwork::arrive(LinkId id, const Packet& packet) {
    give_credit_back(id, channel_of(*packet.flight, packet.hop), packet.wire);
    if (--packet.flight->missing == 0) {
        deliver(packet.flight);
    }
}

void NaivePacketNetwork::deliver(const std::shared_ptr<Flight>& flight) {
    at(queue_.now(), Phase::Arrival, engine::event_kind::message_delivered,
       flight->message.id.value(), [this, flight] {
           listener_->on_delivered(flight->message.handle, flight->first_byte_left);
       });
}

void NaivePacketNetwork::stand_in_line(LinkId id, Packet packet) {
    const topology::Hop before = *packet.before;
    const std::vector<LinkId>& inputs = graph_.links_to(graph_.link(id).to);
    const auto input =
        static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), id) - inputs.begin());
    const LinkId next = packet.hop.link;
    Port& port = ports_[next.index()];
    change_waiting(port, packet.wire);
    Bytes& most = uses_[next.index()].max_queue;
    most = std::max(most, port.waiting);
    const std::size_t channel = channel_of(*packet.flight, before);
    port.queues[input * channels_ + channel].push_back(std::move(packet));
    ask(next);
}

void NaivePacketNetwork::give_credit_back(LinkId id, std::size_t channel, Bytes bytes) {
    at(queue_.now() + clock_.latency(id, queue_.now()), Phase::Arrival, kind_credit,
       ++credits_returned_, [this, id, channel, bytes] {
           ports_[id.index()].credit[channel] += bytes;
           ask(id);
       });
}

}  // namespace npunet::packet_test
