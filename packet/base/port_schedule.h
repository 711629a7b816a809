// When the output ports of a network decide next (Port::wake), with one pending event for each port
// that has something to send.
//
//     if (schedule.bring_forward(ports[7], 5000)) {
//         schedule.schedule(7, 5000);
//     }
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

#include <cstdint>

namespace npunet::packet {

template <class Port>
class PortSchedule {
public:
    /// `wake` handles the event of a port, whose number is the payload. Both must outlive this.
    PortSchedule(PacketClock& clock, engine::EventHandler& wake) : clock_(clock), wake_(wake) {}

    PortSchedule(const PortSchedule&) = delete;
    PortSchedule& operator=(const PortSchedule&) = delete;

    /// Whether the port is to decide at `now`, which is then no longer pending; otherwise the event
    /// is stale.
    static bool take_due(Port& port, std::int64_t now) {
        if (port.wake != now) {
            return false;
        }
        port.wake = never;
        return true;
    }

    /// Lets the port decide at `at`, unless an earlier decision is pending, in two steps: sets the
    /// time, if it returns true; and what triggers it.
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

private:
    PacketClock& clock_;
    engine::EventHandler& wake_;
};

}  // namespace npunet::packet
