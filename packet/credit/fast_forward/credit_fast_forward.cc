#include "packet/credit/fast_forward/credit_fast_forward.h"

#include "packet/credit/replay.h"

#include <algorithm>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

namespace {

/// Words that may be looked at for each event.
constexpr std::uint64_t fast_forward_words_per_event = 3;

/// What it costs that a node ends its lookahead window, in words.
constexpr std::uint64_t words_per_node = 80;

/// What is saved by a packet that need not be moved, in words: a part of it.
constexpr std::uint64_t words_per_packet = 10;

}  // namespace

CreditFastForward::CreditFastForward(CreditNetworkState& state, Replay& replay)
    : state_(state),
      replay_(replay),
      detection_(state),
      notes_(state.ports.size()),
      budget_(fast_forward_words_per_event) {
    for (PortNote& note : notes_) {
        note.break_for = engine::PeriodSearch::first_break;
    }
}

void CreditFastForward::before_start(std::uint32_t port) {
    const std::uint32_t group = detection_.group_of(port);
    groups_[group].suspended ? resume(group) : dissolve(group);
}

void CreditFastForward::after_start(std::uint32_t port, std::int64_t bytes) {
    if (enabled_ && bytes >= engine::PeriodSearch::least_packets * state_.mtu) {
        notes_[port].break_for = engine::PeriodSearch::first_break;
        plan_look(port);
    }
}

void CreditFastForward::packet_comes(std::uint32_t port, std::uint32_t message) {
    const std::uint32_t group = detection_.group_of(port);
    if (groups_[group].suspended) {
        resume(group);
    } else if (!detection_.is_in(message, group)) {
        dissolve(group);
    }
}

void CreditFastForward::credit_comes(std::uint32_t port) {
    resume(detection_.group_of(port));
}

void CreditFastForward::message_ends(std::uint32_t port) {
    dissolve(detection_.group_of(port));
}

void CreditFastForward::packet_starts(std::uint32_t port, std::int64_t now, std::int64_t end) {
    CreditPort& state = state_.ports[port];
    if (state.anchor != 0) {
        const std::uint32_t group = detection_.group_of(port);
        plan(end, Kind::Compare, group, groups_[group].serial);
    } else if (now >= look_from(port)) {
        if (budget_.is_spent(state_.events.handled())) {
            notes_[port].break_for = engine::PeriodSearch::break_after(notes_[port].break_for);
            plan_look(port);
            return;
        }
        // During a replay the packet may have arrived already: then after a later one.
        const std::int64_t at = end + state.latency;
        state.look = at > state_.present() ? 0 : 1;
        if (state.look == 0) {
            plan(at, Kind::Look, port, 0);
        }
    }
}

std::int64_t CreditFastForward::next_look() {
    budget_.charge(looking_.size());
    std::int64_t next = never;
    for (const std::uint32_t index : looking_) {
        const CreditPort& anchor = state_.ports[groups_[index].anchor];
        const bool starts = anchor.wake <= state_.last_start;
        next = std::min(next, starts ? anchor.wake + anchor.full_time : never);
    }
    return next;
}

void CreditFastForward::settle() {
    for (std::uint32_t index = 0; index < groups_.size(); ++index) {
        if (groups_[index].suspended) {
            resume(index);
        }
    }
}

void CreditFastForward::forget() {
    settle();
    while (!looking_.empty()) {
        dissolve(looking_.back());
    }
}

void CreditFastForward::enable(bool enabled) {
    settle();
    enabled_ = enabled;
}

void CreditFastForward::plan(std::int64_t at, Kind kind, std::uint32_t index,
                             std::uint32_t serial) {
    const std::uint64_t payload = static_cast<std::uint64_t>(kind) << 56 |
                                  static_cast<std::uint64_t>(serial & 0xffffffU) << 32 | index;
    state_.clock.schedule(
        at, EventKey::of(Phase::Arbitration, engine::event_kind::fast_forward, payload), *this,
        payload);
}

void CreditFastForward::handle(std::uint64_t payload) {
    const auto index = static_cast<std::uint32_t>(payload);
    const auto kind = static_cast<Kind>(payload >> 56);
    if (kind == Kind::Look) {
        look(index);
        return;
    }
    if ((groups_[index].serial & 0xffffffU) != (payload >> 32 & 0xffffffU)) {
        return;
    }
    if (kind == Kind::Resume && groups_[index].suspended) {
        resume(index);
    } else if (kind == Kind::Compare && !groups_[index].suspended) {
        compare(index);
    }
}

void CreditFastForward::plan_look(std::uint32_t port) {
    CreditPort& state = state_.ports[port];
    const std::int64_t now = state_.present();
    const std::int64_t room = state_.last_start - now;
    if (room / engine::PeriodSearch::longest_break > state.full_time) {
        state.look = 1;
        notes_[port].look_from = now + notes_[port].break_for * state.full_time;
    }
}

void CreditFastForward::look(std::uint32_t port) {
    if (detection_.group_of(port) != none) {
        return;  // dissolve() plans the next attempt
    }
    bool sends = false;
    for (std::uint32_t channel = 0; channel < state_.channels; ++channel) {
        sends = sends || state_.send_queue(port, channel).first != none;
    }
    if (!sends) {
        return;
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(groups_.size()));
        groups_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Group& group = groups_[index];
    ++group.serial;
    group.anchor = port;
    group.search.begin();
    group.work = 0;
    if (!collect(index)) {
        notes_[port].break_for = engine::PeriodSearch::break_after(notes_[port].break_for);
        release(index);
        plan_look(port);
        return;
    }
    for (const std::uint32_t member : group.traffic.ports) {
        state_.ports[member].watched = 1;
    }
    looking_.push_back(index);
    state_.ports[port].anchor = 1;
}

bool CreditFastForward::collect(std::uint32_t index) {
    Group& group = groups_[index];
    group.traffic.ports.clear();
    group.traffic.messages.clear();
    charge_window(group);
    const bool possible = detection_.collect(group.anchor, index, group.traffic);
    charge(group, detection_.looks());
    return possible;
}

void CreditFastForward::compare(std::uint32_t index) {
    Group& group = groups_[index];
    const std::int64_t now = state_.present();
    group.search.look();
    charge(group, group.traffic.ports.size());
    charge_window(group);
    const bool keep = group.search.keeps();
    const bool may =
        group.search.has_kept() && group.traffic.kept.may_repeat(state_, group.traffic.ports);
    if (keep || may) {
        group.traffic.present.take(state_, group.traffic.ports, group.traffic.messages, now);
        charge(group, group.traffic.present.size());
    }
    if (may && enabled_ && group.traffic.present.repeats(group.traffic.kept) && suspend(index)) {
        return;
    }
    PortNote& note = notes_[group.anchor];
    if (group.search.is_over(note.break_for) || budget_.is_spent(state_.events.handled())) {
        note.break_for = engine::PeriodSearch::break_after(note.break_for);
        dissolve(index);
        return;
    }
    if (keep) {
        std::swap(group.traffic.kept, group.traffic.present);
        group.search.kept();
    }
}

bool CreditFastForward::suspend(std::uint32_t index) {
    Group& group = groups_[index];
    const PeriodicGroup& traffic = group.traffic;
    const std::int64_t room = (state_.last_start - traffic.present.at()) / traffic.period() - 1;
    group.periods = std::min(room, traffic.periods_left());
    if (group.periods < 2 || group.periods * traffic.packets_in_period() <
                                 static_cast<std::int64_t>(traffic.present.size() / 4)) {
        return false;
    }
    group.suspended = true;
    // Work that has paid off is not charged.
    budget_.repay(group.work);
    for (const std::uint32_t port : group.traffic.ports) {
        CreditPort& state = state_.ports[port];
        state.watched = 0;
        state.anchor = 0;
        state.suspended = 1;
        state.wake = never;
    }
    looking_.erase(std::find(looking_.begin(), looking_.end(), index));
    plan(traffic.present.at() + group.periods * traffic.period(), Kind::Resume, index,
         group.serial);
    return true;
}

void CreditFastForward::resume(std::uint32_t index) {
    Group& group = groups_[index];
    const std::int64_t now = state_.present();
    const std::int64_t since = group.traffic.present.at();
    const std::int64_t period = group.traffic.period();
    const std::int64_t periods = std::min(group.periods, (now - since) / period);
    budget_.repay(words_per_packet *
                  static_cast<std::uint64_t>(periods * group.traffic.packets_in_period()));
    group.traffic.skip(state_, periods);
    const std::int64_t from = since + periods * period;
    notes_[group.anchor].break_for = engine::PeriodSearch::first_break;
    const std::vector<std::uint32_t> ports = group.traffic.ports;
    dissolve(index);
    // Code of ns-3 that runs after the decisions of this instant must find them made.
    replay_.resume(ports, from, state_.events.instant_is_over() ? now + 1 : now);
}

void CreditFastForward::dissolve(std::uint32_t index) {
    const Group& group = groups_[index];
    plan_look(group.anchor);
    // These ports would all find the same group again, so they share its break.
    const std::uint32_t break_for = notes_[group.anchor].break_for;
    for (const std::uint32_t message : group.traffic.messages) {
        const std::uint32_t port = state_.plan[state_.messages[message].hop].port;
        notes_[port].break_for = break_for;
        plan_look(port);
    }
    budget_.charge(group.traffic.messages.size());
    release(index);
}

void CreditFastForward::charge_window(Group& group) {
    const std::int64_t now = state_.present();
    if (state_.lookahead == 0 || now == last_window_) {
        return;
    }
    // At most as many nodes as there are packets in a window, on an average since the last time.
    // The same whatever the number of threads.
    const std::uint64_t handled = state_.events.handled();
    const std::int64_t passed = std::max<std::int64_t>(now - last_window_, 0);
    const auto windows = static_cast<std::uint64_t>(passed / state_.lookahead + 1);
    charge(group,
           words_per_node * std::min<std::uint64_t>(state_.plan.graph().nodes(),
                                                    (handled - last_handled_) / windows + 1));
    last_window_ = now;
    last_handled_ = handled;
}

void CreditFastForward::release(std::uint32_t index) {
    Group& group = groups_[index];
    ++group.serial;
    group.suspended = false;
    for (const std::uint32_t port : group.traffic.ports) {
        CreditPort& state = state_.ports[port];
        state.watched = 0;
        state.anchor = 0;
        state.suspended = 0;
    }
    detection_.release(group.traffic);
    const auto looking = std::find(looking_.begin(), looking_.end(), index);
    if (looking != looking_.end()) {
        looking_.erase(looking);
    }
    free_.push_back(index);
}

}  // namespace npunet::packet
