#include "packet/credit/lone/lone_messages.h"

#include "packet/credit/switch_step.h"

#include <algorithm>

namespace npunet::packet {

void LoneMessages::turn() {
    const std::int64_t now = state_.present();
    // Code of ns-3 that runs after the decisions of this instant must find them made.
    const std::int64_t until = state_.events.instant_is_over() ? now + 1 : now;
    turned_.clear();
    starts_.clear();
    // The list grows during the loop.
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        for (std::uint32_t place = bookings_.first(ports_[i]); place != none;
             place = bookings_[place].next) {
            if (lones_[bookings_[place].lone].starts == none) {
                begin_turn(bookings_[place].lone, now, until);
            }
        }
    }
    for (const std::uint32_t number : turned_) {
        update(lones_[number]);
    }
    for (const std::uint32_t port : ports_) {
        turning_[port] = false;
        // Packets come to ports that are not booked.
        applied_.clear();
        while (bookings_.first(port) != none) {
            applied_.push_back(bookings_[bookings_.first(port)]);
            bookings_.remove_first(port);
        }
        for (const Booking& booking : applied_) {
            apply(port, booking, now);
            --lones_[booking.lone].bookings;
        }
    }
    for (const std::uint32_t number : turned_) {
        end_turn(number);
    }
}

void LoneMessages::add_port(std::uint32_t port) {
    turning_[port] = true;
    ports_.push_back(port);
}

void LoneMessages::begin_turn(std::uint32_t number, std::int64_t now, std::int64_t until) {
    Lone& lone = lones_[number];
    const LoneProfile& profile = profiles_[lone.profile];
    lone.starts = static_cast<std::uint32_t>(starts_.size());
    turned_.push_back(number);
    for (std::size_t k = 0; k < profile.hops.size(); ++k) {
        starts_.push_back(profile.started(until - lone.start, k));
        const std::uint32_t port = state_.plan[lone.hop + static_cast<std::uint32_t>(k)].port;
        if (turning_[port]) {
            continue;
        }
        remove_past(port, now);
        if (k > 0 && started(lone, k - 1) == 0) {
            lone.bookings -= bookings_.remove(port, number) ? 1 : 0;  // packets come later
        } else if (bookings_.find(port, number) != none) {
            add_port(port);
        }
    }
}

void LoneMessages::update(Lone& lone) {
    const LoneProfile& profile = profiles_[lone.profile];
    if (lone.message == none || started(lone, profile.hops.size() - 1) == profile.packets) {
        return;  // its events come as they would have
    }
    const std::int64_t sent = started(lone, 0);
    MessageRecord& record = state_.messages[lone.message];
    record.remaining = sent == profile.packets ? 0 : profile.bytes - sent * profile.full_payload;
    record.first_byte_left = sent > 0 ? lone.start : -1;
    if (!record.wants_sent) {
        return;
    }
    if (sent < profile.packets) {
        state_.near_end += record.remaining <= state_.last_bytes ? 1 : 0;
        return;
    }
    const std::int64_t end = lone.start + profile.hops.front().end();
    if (!lone.was_sent) {
        ++state_.near_end;
        step_.notifications().announce(state_.ports[state_.plan[lone.hop].port],
                                       {end, lone.message, false});
    }
}

void LoneMessages::apply(std::uint32_t port, const Booking& booking, std::int64_t now) {
    const Lone& lone = lones_[booking.lone];
    if (!booking.counted) {
        count(port, lone, booking.hop, started(lone, booking.hop));
    }
    put_credits(lone, booking.hop, now);
    if (booking.hop > 0) {
        put_packets(lone, booking.hop);
    } else if (started(lone, 0) < profiles_[lone.profile].packets) {
        put_message(lone);
    }
}

void LoneMessages::put_credits(const Lone& lone, std::size_t hop, std::int64_t now) {
    const LoneProfile& profile = profiles_[lone.profile];
    const PlannedHop& planned = state_.plan[lone.hop + static_cast<std::uint32_t>(hop)];
    CreditAccount& credit = state_.credit(planned.port, planned.channel);
    const std::int64_t taken = started(lone, hop);
    const std::int64_t known = planned.final ? taken : started(lone, hop + 1);
    std::int64_t packet = profile.returned(now - lone.start, hop);
    for (; packet < taken; ++packet) {
        credit.take(profile.wire_of(packet));
        if (packet < known) {
            credit.give_back(lone.start + profile.credit_back(packet, hop),
                             profile.wire_of(packet));
        }
    }
}

void LoneMessages::put_packets(const Lone& lone, std::size_t hop) {
    const LoneProfile& profile = profiles_[lone.profile];
    const std::uint32_t planned = lone.hop + static_cast<std::uint32_t>(hop);
    const CreditPort& port = state_.ports[state_.plan[planned].port];
    const std::int64_t end = started(lone, hop - 1);
    for (std::int64_t number = started(lone, hop); number < end; ++number) {
        const std::uint32_t place = state_.packets.take(state_.partition_number(port));
        QueuedPacket& packet = state_.packets[place];
        packet.ready = lone.start + profile.ready(number, hop);
        packet.message = lone.message;
        packet.hop = planned;
        packet.payload = static_cast<std::uint32_t>(profile.payload_of(number)) & 0x7fffffff;
        packet.last = number + 1 == profile.packets;
        if (state_.oldest) {
            state_.packets.born(place) = lone.start + profile.start(number, 0);
        }
        step_.push(place);
    }
}

void LoneMessages::put_message(const Lone& lone) {
    const PlannedHop& hop = state_.plan[lone.hop];
    RoundRobinList& send_queue = state_.send_queue(hop.port, hop.channel);
    state_.messages.append(send_queue, lone.message);
    const std::int64_t sent = started(lone, 0);
    if (sent > 0) {
        state_.messages.serve(send_queue, lone.message);
    }
    state_.show_next_message(hop.queue);
    step_.schedule().wake_port(hop.port, lone.start + profiles_[lone.profile].start(sent, 0));
}

void LoneMessages::end_turn(std::uint32_t number) {
    Lone& lone = lones_[number];
    const LoneProfile& profile = profiles_[lone.profile];
    const bool proceeds =
        lone.message != none && started(lone, profile.hops.size() - 1) < profile.packets;
    if (proceeds && state_.fast_forward != nullptr && started(lone, 0) < profile.packets) {
        state_.fast_forward->after_start(state_.plan[lone.hop].port,
                                         state_.messages[lone.message].remaining);
    }
    if (proceeds) {
        lone.message = none;
    }
    lone.starts = none;
    release_if_over(number);
}

}  // namespace npunet::packet
