// Port schedule of an EthernetNetwork: when ports decide, and when packets on links arrive. One
// pending event for each port that sends and one for each link with packets on it.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/constants.h"
#include "packet/base/ethernet_packet.h"
#include "packet/routing/ethernet_port.h"

#include "engine/clock/event_queue.h"
#include "engine/network/network.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class EthernetPortSchedule {
public:
    /// The references must outlive this. `wake` handles port decisions, `arrive` arrivals.
    EthernetPortSchedule(std::vector<EthernetPort>& ports, EthernetPackets& packets,
                         EthernetClock& clock, engine::EventHandler& wake,
                         engine::EventHandler& arrive)
        : ports_(ports), packets_(packets), clock_(clock), wake_(wake), arrive_(arrive) {}

    EthernetPortSchedule(const EthernetPortSchedule&) = delete;
    EthernetPortSchedule& operator=(const EthernetPortSchedule&) = delete;

    /// The port may have something to send from `at` on, in ps.
    void wake_port(std::uint32_t number, std::int64_t at) {
        // The deciding port reschedules itself.
        if (number != deciding_) {
            arm(number, std::max(ports_[number].busy_until, at));
        }
    }

    /// Lets the port decide at `at`, in ps, unless an earlier decision is pending.
    void arm(std::uint32_t number, std::int64_t at) {
        EthernetPort& port = ports_[number];
        if (at < port.wake) {
            port.wake = at;
            schedule_wake(number, at);
        }
    }

    /// The port that is deciding; none: none is.
    void set_deciding(std::uint32_t number) { deciding_ = number; }

    /// The port starts a packet so late that the end may be beyond the clock's range: lets the
    /// queue report it.
    void schedule_at_end(std::uint32_t number) {
        clock_.schedule(never, engine::EventKey(), wake_, number);
    }

    /// A packet is on the link, behind those already there.
    void fly(std::uint32_t link, std::uint32_t place) {
        PacketQueue& flight = ports_[link].flight;
        const bool alone = flight.head == none;
        flight.append(packets_, place);
        if (alone) {
            await_arrival(link);
        }
    }

    /// Schedules the arrival of the first packet on the link, which has at least one.
    void await_arrival(std::uint32_t link) {
        EthernetPort& port = ports_[link];
        port.due = packets_[port.flight.head].ready;
        clock_.schedule(
            port.due,
            engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::packet_in, link),
            arrive_, link);
    }

    /// The clock has switched to another event queue: schedules all pending events there.
    void reschedule() {
        for (std::uint32_t number = 0; number < ports_.size(); ++number) {
            const EthernetPort& port = ports_[number];
            if (port.wake != never) {
                schedule_wake(number, port.wake);
            }
            if (port.due != never) {
                await_arrival(number);
            }
        }
    }

private:
    void schedule_wake(std::uint32_t number, std::int64_t at) {
        clock_.schedule(
            at, engine::EventKey::of(engine::Phase::Arbitration, engine::event_kind::port, number),
            wake_, number);
    }

    std::vector<EthernetPort>& ports_;  ///< by link
    EthernetPackets& packets_;
    EthernetClock& clock_;
    engine::EventHandler& wake_;
    engine::EventHandler& arrive_;
    std::uint32_t deciding_ = none;  ///< the port that is deciding
};

}  // namespace npunet::packet
