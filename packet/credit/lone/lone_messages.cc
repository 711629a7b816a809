#include "packet/credit/lone/lone_messages.h"

#include "packet/credit/switch_step.h"

#include <algorithm>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

namespace {

/// No break after conflicts is longer.
constexpr std::uint32_t longest_break = 256;
/// With gaps between its packets, the load of a longer message is recorded as evenly spread.
constexpr std::int64_t most_recorded = 4096;
/// Messages left to threads after a window that they may share.
constexpr std::uint32_t break_for_threads = 1024;

}  // namespace

LoneMessages::LoneMessages(const topology::NetworkDescription& description, SwitchStep& step,
                           const MessageHandlers& handlers)
    : state_(step.state()),
      step_(step),
      handlers_(handlers),
      profiles_(description, step.state()),
      bookings_(step.state().ports),
      breaks_(step.state().ports.size()),
      turning_(step.state().ports.size(), false) {}

bool LoneMessages::book(std::uint32_t message) {
    MessageRecord& record = state_.messages[message];
    const std::uint32_t first_port = state_.plan[record.hop].port;
    // What other code sends after the decisions of an instant is decided on in a second round.
    if (!enabled_ || state_.events.instant_is_over()) {
        return false;
    }
    std::uint32_t& left = left_out_ > 0 ? left_out_ : breaks_[first_port].left;
    if (left > 0) {
        --left;
        return false;
    }
    const std::uint32_t number = profiles_.find(record.hop, record.bytes);
    if (number == none) {
        return false;
    }
    const LoneProfile& profile = profiles_[number];
    const std::int64_t now = state_.clock.now();
    remove_past(first_port, now);
    const std::int64_t start = first_start(first_port, now);
    if (start > state_.last_start - profile.arrival()) {
        return false;
    }
    befores_.clear();
    for (std::size_t k = 0; k < profile.hops.size(); ++k) {
        const PlannedHop& hop = state_.plan[record.hop + static_cast<std::uint32_t>(k)];
        remove_past(hop.port, now);
        const std::int64_t from = start + profile.hops[k].first;
        const PortBookings::Gap gap = bookings_.gap(hop.port, from, start + profile.hops[k].end());
        if (!gap.fits || !is_open(hop, profile.hops[k].buffer, from)) {
            return false;
        }
        befores_.push_back(gap.before);
    }

    const std::uint32_t place = lones_.take();
    Lone& lone = lones_[place];
    lone.id = record.id;
    lone.start = start;
    lone.turn = record.turn;
    lone.profile = number;
    lone.hop = record.hop;
    lone.message = message;
    lone.bookings = static_cast<std::uint32_t>(profile.hops.size());
    profiles_.use(number);
    record.first_byte_left = start;
    for (std::size_t k = 0; k < profile.hops.size(); ++k) {
        Booking booking;
        booking.from = start + profile.hops[k].first;
        booking.end = start + profile.hops[k].end();
        booking.credit_end = start + profile.hops[k].credit_end;
        booking.lone = place;
        booking.hop = static_cast<std::uint32_t>(k);
        bookings_.insert(state_.plan[record.hop + booking.hop].port, befores_[k], booking);
    }
    if (record.wants_sent) {
        state_.clock.schedule(
            start + profile.hops.front().end(),
            EventKey::of(Phase::Arrival, engine::event_kind::message_sent, record.id),
            handlers_.sent, place);
    }
    state_.clock.schedule(
        start + profile.arrival(),
        EventKey::of(Phase::Arrival, engine::event_kind::message_delivered, record.id),
        handlers_.delivered, place);
    return true;
}

std::int64_t LoneMessages::first_start(std::uint32_t port, std::int64_t now) const {
    std::int64_t start = std::max(now, state_.ports[port].busy_until);
    for (std::uint32_t place = bookings_.first(port); place != none;
         place = bookings_[place].next) {
        const Booking& booking = bookings_[place];
        if (booking.from >= now || booking.end <= now) {
            continue;
        }
        // One that has packets left shares the link with the new message.
        const Lone& lone = lones_[booking.lone];
        if (lone.start + profiles_[lone.profile].hops[booking.hop].last_start >= now) {
            return never;
        }
        start = std::max(start, booking.end);
    }
    return start;
}

bool LoneMessages::is_open(const PlannedHop& hop, std::int64_t buffer, std::int64_t from) {
    const CreditPort& port = state_.ports[hop.port];
    if ((port.watched | port.suspended) != 0 || port.busy_until > from) {
        return false;
    }
    bool empty = true;
    state_.filled.for_each(port, 0, [&empty](std::uint32_t) {
        empty = false;
        return true;
    });
    return empty && state_.credit(hop.port, hop.channel).is_whole(buffer, from);
}

void LoneMessages::remove_first(std::uint32_t port) {
    Booking& booking = bookings_[bookings_.first(port)];
    count(port, booking);
    const std::uint32_t number = booking.lone;
    bookings_.remove_first(port);
    --lones_[number].bookings;
    release_if_over(number);
}

void LoneMessages::count(std::uint32_t port, Booking& booking) {
    if (!booking.counted) {
        booking.counted = true;
        const Lone& lone = lones_[booking.lone];
        count(port, lone, booking.hop, profiles_[lone.profile].packets);
    }
}

void LoneMessages::count(std::uint32_t port_number, const Lone& lone, std::size_t hop,
                         std::int64_t packets) {
    if (packets == 0) {
        return;
    }
    const LoneProfile& profile = profiles_[lone.profile];
    const LoneHop& times = profile.hops[hop];
    const bool all = packets == profile.packets;
    const std::int64_t full = all ? packets - 1 : packets;
    CreditPort& port = state_.ports[port_number];
    port.payload += all ? profile.bytes : full * profile.full_payload;
    port.wire += all ? profile.wire() : full * profile.full_wire;
    port.busy += full * times.full_time + (all ? times.last_time : 0);
    port.packets += packets;
    port.max_queue =
        std::max(port.max_queue, all ? times.max_queue : profile.most_waiting(packets, hop));
    port.busy_until = lone.start + profile.end(packets - 1, hop);
    const PlannedHop& planned = state_.plan[lone.hop + static_cast<std::uint32_t>(hop)];
    const std::uint32_t slot = planned.queue - port.first_queue;
    port.next_queue = (slot + 1 == port.queues ? 0 : slot + 1) & CreditPort::most_queues;
    if (hop == 0 && all) {
        RoundRobinList& send_queue = state_.send_queue(port_number, planned.channel);
        send_queue.served_turn = lone.turn;
        send_queue.served_id = lone.id;
    }
    if (state_.load != nullptr) {
        record_load(port_number, lone, hop, packets);
    }
}

void LoneMessages::record_load(std::uint32_t port, const Lone& lone, std::size_t hop,
                               std::int64_t packets) const {
    const LoneProfile& profile = profiles_[lone.profile];
    const LoneHop& times = profile.hops[hop];
    const std::int64_t full = std::min(packets, profile.packets - 1);
    const std::int64_t from = lone.start + times.first;
    const std::int64_t to = from + (full - 1) * times.period + times.full_time;
    if (times.period == times.full_time || full > most_recorded) {
        state_.load->add(port, from, to, full * times.full_time);
    } else {
        for (std::int64_t packet = 0; packet < full; ++packet) {
            const std::int64_t start = from + packet * times.period;
            state_.load->add(port, start, start + times.full_time);
        }
    }
    if (full < packets) {
        const std::int64_t start = lone.start + times.last_start;
        state_.load->add(port, start, start + times.last_time);
    }
}

std::uint32_t LoneMessages::delivered(std::uint32_t number) {
    Lone& lone = lones_[number];
    const std::uint32_t message = lone.message;
    lone.message = none;
    lone.pending = false;
    if (message == none) {
        release_if_over(number);
        return none;
    }
    breaks_[state_.plan[lone.hop].port].length /= 2;
    for (std::uint32_t hop = lone.hop; lone.bookings > 0; ++hop) {
        const PlannedHop& planned = state_.plan[hop];
        const std::uint32_t own = bookings_.find(planned.port, number);
        if (own != none) {
            // Those in front have left the port before.
            for (std::uint32_t place = bookings_.first(planned.port); place != own;
                 place = bookings_[place].next) {
                count(planned.port, bookings_[place]);
            }
            count(planned.port, bookings_[own]);
        }
        if (planned.final) {
            break;
        }
    }
    release_if_over(number);
    return message;
}

void LoneMessages::release_if_over(std::uint32_t number) {
    const Lone& lone = lones_[number];
    if (!lone.pending && lone.bookings == 0) {
        profiles_.release(lone.profile);
        lones_.free(number);
    }
}

void LoneMessages::make_room(std::uint32_t port) {
    remove_past(port, state_.present());
    if (bookings_.first(port) == none) {
        return;
    }
    ports_.clear();
    add_port(port);
    turn();
    for (const std::uint32_t number : turned_) {
        Break& after = breaks_[state_.plan[lones_[number].hop].port];
        after.length = std::min(2 * after.length + 1, longest_break);
        after.left = after.length;
    }
}

void LoneMessages::settle() {
    prepare_scan();
    ports_.clear();
    for (std::uint32_t port = 0; port < state_.ports.size() && bookings_.count() > 0; ++port) {
        if (bookings_.first(port) != none) {
            add_port(port);
        }
    }
    turn();
}

void LoneMessages::settle_for_threads() {
    if (bookings_.count() > 0) {
        left_out_ = break_for_threads;
        settle();
    }
}

void LoneMessages::prepare_scan() {
    for (std::uint32_t port = 0; port < state_.ports.size() && bookings_.count() > 0; ++port) {
        remove_past(port, state_.present());
    }
}

void LoneMessages::describe(std::uint32_t port, std::vector<std::int64_t>& words) {
    const std::int64_t now = state_.present();
    remove_past(port, now);
    for (std::uint32_t place = bookings_.first(port); place != none;
         place = bookings_[place].next) {
        const Booking& booking = bookings_[place];
        const Lone& lone = lones_[booking.lone];
        words.push_back(std::int64_t{lone.profile} << 32 | std::int64_t{booking.hop} << 1 |
                        std::int64_t{booking.counted});
        words.push_back(booking.from - now);
    }
    words.push_back(-1);
}

void LoneMessages::scan(engine::StateScan& scan, const engine::FlowProgress& ids) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t port = 0; port < state_.ports.size() && !scan.differs(); ++port) {
        for (std::uint32_t place = bookings_.first(port); place != none;
             place = bookings_[place].next) {
            Booking& booking = bookings_[place];
            const Lone& lone = lones_[booking.lone];
            scan.same(std::int64_t{port} << 1 | std::int64_t{booking.counted});
            scan.same(std::int64_t{lone.hop} << 32 | booking.hop);
            scan.same(profiles_[lone.profile].bytes);
            scan.instant(booking.from);
            if (scan.moves()) {
                booking.end += scan.by();
                booking.credit_end += scan.by();
                found.push_back(booking.lone);
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const std::uint32_t number : found) {
        Lone& lone = lones_[number];
        lone.start += scan.by();
        lone.turn += scan.by();
        lone.id += ids.step;
    }
}

}  // namespace npunet::packet
