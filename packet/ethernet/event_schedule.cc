#include "packet/ethernet/event_schedule.h"

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

void EthernetSchedule::wake_in_windows(std::uint32_t number, std::int64_t at) {
    windows_->wake(slot_of_port(number), at, none);
    if (is_driven_) {
        woken_ = woken_ || (deciding_ != none && at == clock_.now());
    } else if (at > clock_.now()) {
        schedule_arrivals(at);
    } else {
        schedule_decisions();
    }
}

void EthernetSchedule::schedule_arrivals_now(std::int64_t at, std::uint32_t link) {
    clock_.schedule(at, EventKey::of(Phase::Arrival, engine::event_kind::packet_in, link),
                    handlers_.arrivals, 0);
}

void EthernetSchedule::schedule_decisions() {
    if (decisions_at_ != clock_.now()) {
        decisions_at_ = clock_.now();
        clock_.schedule(decisions_at_,
                        EventKey::of(Phase::Arbitration, engine::event_kind::port, 0),
                        handlers_.decisions, 0);
    }
}

void EthernetSchedule::reschedule() {
    if (windows_ != nullptr) {
        windows_->clear();
        arrivals_at_ = never;
        decisions_at_ = never;
    }
    for (std::uint32_t number = 0; number < ports_.size(); ++number) {
        const std::int64_t wake = std::exchange(ports_[number].wake, never);
        if (wake != never) {
            arm(number, wake);
        }
        if (ports_[number].due != never) {
            await_arrival(number);
        }
    }
}

std::int64_t EthernetSchedule::end_of_windows() {
    while (!ends_.empty() && ends_.front() < clock_.queue().now().ps()) {
        std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
        ends_.pop_back();
    }
    return ends_.empty() ? never : ends_.front();
}

void EthernetSchedule::put_off(std::int64_t by) {
    for (std::int64_t& end : ends_) {
        end += by;
    }
}

void EthernetSchedule::leave_windows() {
    if (windows_ != nullptr) {
        windows_.reset();
        reschedule();
    }
}

}  // namespace npunet::packet
