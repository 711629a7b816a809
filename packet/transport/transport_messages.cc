#include "packet/transport/transport_messages.h"

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

std::uint32_t TransportMessages::open(const engine::Message& message, std::uint32_t number) {
    QueuePair& pair = pairs_[number];
    const bool receives_here = boundary_.receives_here(pair);
    const std::uint32_t place = messages_.take();
    ++in_flight_;
    TransportMessage& record = messages_[place];
    record.id = message.id.value();
    record.bytes = message.bytes.value();
    record.pair = number;
    record.handle = message.handle;
    record.wants_sent = message.wants_sent;
    record.delivered = !receives_here;
    record.first = pair.end;
    pair.end += sizes_.packets_of(record.bytes);
    record.last = pair.end - 1;
    if (pair.newest != none) {
        messages_[pair.newest].next = place;
    }
    pair.newest = place;
    boundary_.open(place, message, clock_.now());
    pair.sending = pair.sending == none ? place : pair.sending;
    pair.acknowledging = pair.acknowledging == none ? place : pair.acknowledging;
    if (receives_here && pair.delivering == none && !pair.datagrams) {
        pair.delivering = place;
    }
    if (pair.use.started < 0) {
        pair.use.started = clock_.now();
    }
    return place;
}

void TransportMessages::meet(std::uint32_t number, const EthernetCargo& cargo) {
    QueuePair& pair = pairs_[number];
    std::uint32_t before = none;
    std::uint32_t behind = pair.delivering;
    while (behind != none && messages_[behind].first < cargo.first) {
        before = behind;
        behind = messages_[behind].next;
    }
    if (behind != none && messages_[behind].first == cargo.first) {
        return;
    }
    const std::uint32_t place = messages_.take();
    ++in_flight_;
    TransportMessage& record = messages_[place];
    record.id = cargo.message.id;
    record.bytes = cargo.message.bytes;
    record.first_byte_left = cargo.message.first_byte_left;
    record.first = cargo.first;
    record.last = cargo.first + sizes_.packets_of(record.bytes) - 1;
    record.pair = number;
    record.next = behind;
    record.acknowledged = true;
    (before == none ? pair.delivering : messages_[before].next) = place;
    boundary_.meet(place, cargo.message);
}

void TransportMessages::sender_is_done(std::uint32_t place, std::int64_t at) {
    const TransportMessage& message = messages_[place];
    host_.messages_change();
    if (!message.wants_sent) {
        sent(place);
        return;
    }
    clock_.schedule(at, EventKey::of(Phase::Arrival, engine::event_kind::message_sent, message.id),
                    sent_event_, place);
}

bool TransportMessages::deliver(QueuePair& pair) {
    bool any = false;
    while (pair.delivering != none && messages_[pair.delivering].last < pair.expected) {
        const std::uint32_t place = pair.delivering;
        pair.delivering = messages_[place].next;
        complete(pair, place);
        any = true;
    }
    return any;
}

void TransportMessages::complete(QueuePair& pair, std::uint32_t place) {
    const TransportMessage& message = messages_[place];
    const std::int64_t now = clock_.now();
    pair.use.ended = now;
    pair.use.delivered += message.bytes;
    ++pair.use.messages;
    host_.messages_change();
    clock_.schedule(now,
                    EventKey::of(Phase::Arrival, engine::event_kind::message_delivered, message.id),
                    delivered_event_, place);
}

void TransportMessages::deliver_datagram(std::uint32_t place, bool marked) {
    TransportMessage& message = messages_[place];
    message.marked = marked;
    complete(pairs_[message.pair], place);
}

void TransportMessages::lose(std::uint32_t place) {
    TransportMessage& message = messages_[place];
    const std::uint32_t handle = message.handle;
    host_.messages_change();
    message.delivered = true;
    free_if_done(place);
    datagram_listener_->datagram_is_lost(handle);
}

void TransportMessages::sent(std::uint32_t place) {
    TransportMessage& message = messages_[place];
    const std::uint32_t handle = message.handle;
    const bool wants_sent = message.wants_sent;
    const bool leaves = !boundary_.receives_here(pairs_[message.pair]);
    message.acknowledged = true;
    free_if_done(place);
    if (wants_sent) {
        listener_->on_sent(handle);
    }
    if (leaves) {
        boundary_.message_has_left(handle);
    }
}

void TransportMessages::delivered(std::uint32_t place) {
    TransportMessage& message = messages_[place];
    const std::uint32_t handle = message.handle;
    const bool marked = message.marked;
    const Time left = Time::ps(message.first_byte_left);
    const bool comes_from_afar = !boundary_.sends_here(pairs_[message.pair]);
    message.delivered = true;
    free_if_done(place);
    if (comes_from_afar) {
        boundary_.message_arrives(place);
        return;
    }
    if (marked) {
        datagram_listener_->datagram_is_marked(handle);
    }
    listener_->on_delivered(handle, left);
}

void TransportMessages::free_if_done(std::uint32_t place) {
    const TransportMessage& message = messages_[place];
    if (!message.acknowledged || !message.delivered) {
        return;
    }
    QueuePair& pair = pairs_[message.pair];
    if (pair.newest == place) {
        pair.newest = none;
    }
    messages_.free(place);
    --in_flight_;
}

}  // namespace npunet::packet
