#include "packet/transport/periodic_transport.h"

#include "engine/network/network.h"

#include <algorithm>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

namespace {

/// Events for each word that may be examined; a packet causes two events per link.
constexpr std::uint64_t events_per_periodic_word = 4;
/// What is saved by an event that is skipped, in words: a part of it.
constexpr std::uint64_t words_per_skipped_event = 4;
/// A window of congestion control, of many packets, can be the period; a comparison that fails
/// costs a few words only.
constexpr std::uint32_t least_looks = 1024;
/// States are sampled after all arrivals of an instant, before any arbitration.
constexpr EventKey look = EventKey::of(Phase::Arbitration, engine::event_kind::fast_forward, 0);
/// Above all keys of an instant.
const EventKey beyond = EventKey::of(Phase::Arbitration, 15, ~std::uint64_t{0} >> 6);

}  // namespace

PeriodicTransport::PeriodicTransport(engine::EventQueue& queue, PeriodicTransportHost& host)
    : queue_(queue), host_(host), search_(least_looks), budget_(1, events_per_periodic_word) {
    host_.watch(any_port, 0);
}

void PeriodicTransport::messages_change() {
    if (stage_ == Stage::Still) {
        resume();
    }
    if (stage_ != Stage::Off) {
        break_ = engine::PeriodSearch::first_break;
        wait(queue_.now().ps());
    }
}

void PeriodicTransport::wait(std::int64_t now) {
    if (stage_ == Stage::Confirming) {
        host_.note_timers(false);
    }
    stage_ = Stage::Waiting;
    ++serial_;
    anchor_ = none;
    host_.watch(any_port, now + break_ * packet_time_);
}

void PeriodicTransport::packet_starts(std::uint32_t port, std::int64_t unsent, std::int64_t now,
                                      std::int64_t end, bool samples) {
    if (stage_ == Stage::Waiting) {
        packet_time_ = end - now;
        if (unsent < engine::PeriodSearch::least_packets) {
            return;
        }
        if (budget_.is_spent(queue_.handled())) {
            break_ = engine::PeriodSearch::break_after(break_);
            wait(now);
            return;
        }
        stage_ = Stage::Searching;
        anchor_ = port;
        host_.watch(port, 0);
        search_.begin();
        work_ = 0;
        charge(host_.collect_flows());
    }
    if (samples) {
        plan(end);
    }
}

void PeriodicTransport::plan(std::int64_t at) {
    queue_.schedule(Time::ps(at), look, *this, serial_);
}

void PeriodicTransport::handle(std::uint64_t payload) {
    if (payload != serial_) {
        return;
    }
    switch (stage_) {
        case Stage::Searching:
            look_for_period();
            break;
        case Stage::Confirming:
            confirm();
            break;
        case Stage::Still:
            resume();
            break;
        default:
            break;
    }
}

void PeriodicTransport::look_for_period() {
    search_.look();
    charge(host_.words_per_look());
    if (search_.has_kept() && repeats(false) && is_worthwhile()) {
        begin_to_confirm();
        return;
    }
    if (search_.is_over(break_) || budget_.is_spent(queue_.handled())) {
        break_ = engine::PeriodSearch::break_after(break_);
        wait(queue_.now().ps());
        return;
    }
    if (search_.keeps()) {
        keep(false);
        search_.kept();
    }
}

void PeriodicTransport::keep(bool counts) {
    engine::StateScan scan(kept_, queue_.now().ps(), counts);
    host_.scan(scan);
    charge(scan.size());
    kept_events_ = queue_.handled();
}

bool PeriodicTransport::repeats(bool counts) {
    engine::StateScan scan(kept_, present_, queue_.now().ps(), counts);
    host_.scan(scan);
    charge(scan.size());
    return scan.equals();
}

bool PeriodicTransport::is_worthwhile() const {
    // The gain is measured in skipped events, the cost in words.
    const std::int64_t periods = host_.periods_left(kept_, present_) - 1;
    const std::uint64_t events = queue_.handled() - kept_events_;
    return periods >= 2 && static_cast<std::uint64_t>(periods) * events >= kept_.words.size() / 2;
}

void PeriodicTransport::begin_to_confirm() {
    looks_left_ = search_.since_kept();
    keep(true);
    host_.note_timers(true);
    stage_ = Stage::Confirming;
}

void PeriodicTransport::confirm() {
    if (--looks_left_ > 0) {
        return;
    }
    host_.note_timers(false);
    if (!repeats(true) || !is_worthwhile()) {
        break_ = engine::PeriodSearch::break_after(break_);
        stage_ = Stage::Searching;
        wait(queue_.now().ps());
        return;
    }
    budget_.repay(work_);
    period_events_ = queue_.handled() - kept_events_;
    stage_ = Stage::Still;
    ++serial_;
    periods_ = host_.periods_left(kept_, present_);
    host_.watch(none, 0);
    host_.suspend();
    plan(present_.at + periods_ * (present_.at - kept_.at));
}

void PeriodicTransport::resume() {
    const std::int64_t period = present_.at - kept_.at;
    const std::int64_t elapsed = queue_.now().ps() - present_.at;
    EventKey until = queue_.position();
    std::int64_t periods = elapsed / period;
    if (until < look && elapsed % period == 0) {
        // The sampling point of this instant is still ahead, unless the network was stopped in this
        // very instant.
        until = periods == 0 ? beyond : until;
        periods = std::max<std::int64_t>(periods - 1, 0);
    }
    stage_ = Stage::Searching;
    periods = std::min(periods, periods_);
    budget_.repay(words_per_skipped_event * period_events_ * static_cast<std::uint64_t>(periods));
    host_.resume(kept_, present_, periods, until);
    break_ = engine::PeriodSearch::first_break;
    wait(queue_.now().ps());
}

void PeriodicTransport::settle() {
    if (stage_ == Stage::Still) {
        resume();
    }
}

void PeriodicTransport::enable(bool enabled) {
    settle();
    if (enabled && stage_ == Stage::Off) {
        wait(queue_.now().ps());
    } else if (!enabled) {
        wait(queue_.now().ps());
        stage_ = Stage::Off;
        host_.watch(none, 0);
    }
}

void PeriodicTransport::charge(std::size_t words) {
    work_ += words;
    budget_.charge(words);
}

}  // namespace npunet::packet
