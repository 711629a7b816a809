#include "packet/credit/credit_state_scan.h"

#include "packet/credit/lone/lone_messages.h"

#include <algorithm>

namespace npunet::packet {

using engine::EventQueue;

void CreditStateScan::scan(engine::PendingEvents& events, const MessageHandlers& handlers) {
    scan_.same(std::int64_t{state_.near_end});
    // What differs most often comes first.
    scan_events(events, handlers);
    for (std::uint32_t port = 0; port < state_.ports.size() && !scan_.differs(); ++port) {
        scan_port(port);
    }
    if (state_.lone != nullptr && !scan_.differs()) {
        state_.lone->scan(scan_, messages_.ids());
    }
    if (scan_.moves()) {
        move_messages();
    }
}

void CreditStateScan::scan_port(std::uint32_t number) {
    CreditPort& port = state_.ports[number];
    scan_.same(std::int64_t{port.next_queue} << 1 | std::int64_t{port.starved});
    scan_.same(port.queued);
    bool waits = false;
    state_.filled.for_each(port, 0, [&](std::uint32_t) { return waits = true; });
    since_ = port.busy_until;
    // When the port became idle matters only while something waits for credit.
    waits ? scan_.instant(port.busy_until) : scan_.ahead(port.busy_until);
    words_.clear();
    for (std::uint32_t channel = 0; channel < state_.channels; ++channel) {
        CreditAccount& credit = state_.credit(number, channel);
        credit.describe(scan_.at(), words_);
        if (scan_.moves()) {
            credit.shift(scan_.by());
        }
    }
    state_.reads.describe(number, scan_.at(), words_);
    if (scan_.moves()) {
        state_.reads.shift(number, scan_.by());
    }
    for (const std::int64_t word : words_) {
        scan_.same(word);
    }
    if (state_.several) {
        ClassOfPort* classes = state_.classes.of_port(number);
        for (std::uint32_t i = 0; i < state_.classes.given.count; ++i) {
            scan_.same(std::int64_t{classes[i].next_queue});
            scan_.same(classes[i].lead);
            scan_.count(classes[i].wire);
        }
    }
    state_.filled.for_each(port, 0, [&](std::uint32_t queue) {
        scan_.same(std::int64_t{queue});
        scan_queue(number, state_.queues[queue]);
        return scan_.differs();
    });
    scan_.same(std::int64_t{-1});
    const std::int64_t busy = port.busy;
    for (std::int64_t* count :
         {&port.payload, &port.wire, &port.busy, &port.packets, &port.stall}) {
        scan_.count(*count);
    }
    if (scan_.moves() && state_.load != nullptr) {
        state_.load->add(number, scan_.at(), scan_.at() + scan_.by(), port.busy - busy);
    }
}

void CreditStateScan::scan_queue(std::uint32_t port_number, VirtualOutputQueue& queue) {
    if (queue.upstream != none) {
        scan_.instant(queue.ready);
        for (std::uint32_t place = queue.head; place != none; place = state_.packets[place].next) {
            scan_packet(place);
        }
        scan_.same(std::int64_t{-1});
        return;
    }
    const RoundRobinList& send_queue = state_.send_queue(port_number, queue.channel);
    since_ = std::max(since_, state_.messages[send_queue.first].start);
    scan_.same(since_ - scan_.at());
    std::int64_t served = -1;
    std::int64_t count = 0;
    for (std::uint32_t place = send_queue.first; place != none;
         place = state_.messages[place].next) {
        served = place == send_queue.served ? count : served;
        ++count;
        scan_message(place);
    }
    scan_.same(served);
    scan_.same(std::int64_t{-1});
}

void CreditStateScan::scan_packet(std::uint32_t place) {
    QueuedPacket& packet = state_.packets[place];
    scan_.instant(packet.ready);
    scan_.same(std::int64_t{packet.hop});
    scan_.same(std::int64_t{packet.payload} << 1 | std::int64_t{packet.last});
    if (state_.oldest) {
        scan_.instant(state_.packets.born(place));
    }
    scan_message(packet.message);
}

void CreditStateScan::scan_message(std::uint32_t place) {
    if (scan_.moves()) {
        found_.push_back(place);
    } else {
        scan_record(place);
    }
}

void CreditStateScan::scan_record(std::uint32_t place) {
    MessageRecord& record = state_.messages[place];
    scan_.same(record.remaining);
    scan_.same(std::int64_t{record.hop});
    if (scan_.moves()) {
        // Only the order of starts matters, and the send queue reflects it.
        record.start += scan_.by();
        record.turn += scan_.by();
        record.first_byte_left += record.first_byte_left >= 0 ? scan_.by() : 0;
    }
    constexpr std::uint64_t mask = engine::MessageId::count_mask;
    std::uint64_t count = record.id & mask;
    scan_.sequence(count, messages_.ids());
    scan_.same(static_cast<std::int64_t>(record.id >> 36));
    record.id = (record.id & ~mask) | count;
    messages_.scan(scan_, record.handle);
}

void CreditStateScan::scan_events(engine::PendingEvents& events, const MessageHandlers& handlers) {
    const auto scan_event = [&](EventQueue::Pending& event, std::uint32_t place, unsigned kind) {
        scan_message(place);
        if (scan_.moves()) {
            const std::uint64_t id = state_.messages[place].id + messages_.ids().step;
            event.key = engine::EventKey::of(engine::Phase::Arrival, kind, id);
        }
    };
    const auto scan_events_of = [&](const engine::EventHandler& handler, unsigned kind) {
        events.scan(scan_, handler, [&](EventQueue::Pending& event) {
            scan_event(event, static_cast<std::uint32_t>(event.payload), kind);
        });
    };
    const auto scan_lone = [&](const engine::EventHandler& handler, unsigned kind) {
        events.scan(scan_, handler, [&](EventQueue::Pending& event) {
            const auto number = static_cast<std::uint32_t>(event.payload);
            const std::uint32_t place = state_.lone->message(number);
            if (place != none) {
                scan_event(event, place, kind);
            }
        });
    };
    using namespace engine::event_kind;
    scan_events_of(handlers.delivered, message_delivered);
    scan_events_of(handlers.sent, message_sent);
    if (state_.lone != nullptr) {
        scan_lone(state_.lone->handlers().delivered, message_delivered);
        scan_lone(state_.lone->handlers().sent, message_sent);
    }
}

void CreditStateScan::move_messages() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    for (const std::uint32_t place : found_) {
        scan_record(place);
    }
}

}  // namespace npunet::packet
