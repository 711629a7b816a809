// When the output ports of a network decide next (Port::wake), with one pending event for each port
// that has something to send.
//
//     schedule.arm(7, 5000);
//
//     if (schedule.take_due(ports[7], now)) {  // in the handler of the events
//         decide(7);
//     }
//
// Times in picoseconds.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/constants.h"

#include "engine/clock/event_queue.h"
#include "engine/network/network.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet {

template <class Port>
class PortSchedule {
public:
    /// `ports` is by link; `wake` handles the event of a port, whose number is the payload. All
    /// must outlive this.
    PortSchedule(std::vector<Port>& ports, PacketClock& clock, engine::EventHandler& wake)
        : ports_(ports), clock_(clock), wake_(wake) {}

    PortSchedule(const PortSchedule&) = delete;
    PortSchedule& operator=(const PortSchedule&) = delete;

    /// Lets the port decide at `at`, unless an earlier decision is pending.
    void arm(std::uint32_t number, std::int64_t at) {
        if (bring_forward(ports_[number], at)) {
            schedule(number, at);
        }
    }

    /// The port may have something to send from `at` on.
    void wake_port(std::uint32_t number, std::int64_t at) {
        // The deciding port reschedules itself.
        if (number != deciding_) {
            arm(number, std::max(ports_[number].busy_until, at));
        }
    }

    /// The port that is deciding; none: none is.
    void set_deciding(std::uint32_t number) { deciding_ = number; }

    /// Whether the port is to decide at `now`, which is then no longer pending; otherwise the event
    /// is stale.
    static bool take_due(Port& port, std::int64_t now) {
        if (port.wake != now) {
            return false;
        }
        port.wake = never;
        return true;
    }

    /// arm() in two steps: sets the time of the port's decision, unless an earlier one is pending;
    /// and what triggers it.
    static bool bring_forward(Port& port, std::int64_t at) {
        if (at >= port.wake) {
            return false;
        }
        port.wake = at;
        return true;
    }

    void schedule(std::uint32_t number, std::int64_t at) {
        clock_.schedule(
            at, engine::EventKey::of(engine::Phase::Arbitration, engine::event_kind::port, number),
            wake_, number);
    }

    /// The clock has switched to another event queue: schedules all pending events there.
    void reschedule() {
        for (std::uint32_t number = 0; number < ports_.size(); ++number) {
            if (ports_[number].wake != never) {
                schedule(number, ports_[number].wake);
            }
        }
    }

private:
    std::vector<Port>& ports_;
    PacketClock& clock_;
    engine::EventHandler& wake_;
    std::uint32_t deciding_ = none;
};

}  // namespace npunet::packet
