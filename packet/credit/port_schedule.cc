#include "packet/credit/port_schedule.h"

#include <algorithm>
#include <functional>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

void CreditPortSchedule::arm_elsewhere(std::uint32_t port_number, std::int64_t at) {
    if (replaying_) {
        waiting_.emplace_back(at, port_number);
        std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
        return;
    }
    events_.schedule(port_number, at);
}

std::uint32_t CreditPortSchedule::take_waiting() {
    const std::uint32_t port = waiting_.front().second;
    std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
    waiting_.pop_back();
    return port;
}

void CreditPortSchedule::leave_windows() {
    windows_.reset();
    for (std::uint32_t port = 0; port < state_.ports.size(); ++port) {
        const std::int64_t wake = std::exchange(state_.ports[port].wake, never);
        if (wake != never) {
            arm(port, wake);
        }
    }
}

void CreditPortSchedule::schedule_windows(std::int64_t at) {
    if (at < windows_at_) {
        windows_at_ = at;
        state_.clock.schedule(at, EventKey::of(Phase::Arbitration, engine::event_kind::port, 0),
                              windows_event_, 0);
    }
}

bool CreditPortSchedule::take_windows_event() {
    if (state_.clock.now() != windows_at_ || !windows_) {
        return false;
    }
    windows_at_ = never;
    return true;
}

void CreditPortSchedule::accompany(const engine::StateScan& scan, engine::PendingEvents& events) {
    events.accompany(scan, wake_);
    events.accompany(scan, windows_event_);
    if (!scan.moves()) {
        return;
    }
    windows_at_ += windows_at_ == never ? 0 : scan.by();
    if (windows_) {
        windows_->clear();
    }
    for (std::uint32_t number = 0; number < state_.ports.size(); ++number) {
        CreditPort& port = state_.ports[number];
        if (port.wake == never) {
            continue;
        }
        port.wake += scan.by();
        if (windows_) {
            windows_->wake(number, port.wake, none);
        }
    }
}

}  // namespace npunet::packet
