// When the ports of an EthernetNetwork decide next (EthernetPort::wake), and its links deliver
// (EthernetPort::due): by an event for each; or, in lookahead windows (EthernetLookahead), by one
// event for all of an instant.
//
//     schedule.arm(7, 5000);
//     schedule.await_arrival(7);  // of the first packet on the link
//
// Times in picoseconds.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/constants.h"
#include "packet/base/lookahead_windows.h"
#include "packet/base/port_schedule.h"
#include "packet/ethernet/node_events.h"
#include "packet/routing/ethernet_port.h"

#include "engine/clock/event_queue.h"
#include "engine/network/network.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace npunet::packet {

/// Handlers of an EthernetNetwork's events.
struct EthernetEvents {
    engine::EventHandler& wake;       ///< a port decides; its number is the payload
    engine::EventHandler& arrive;     ///< a link delivers; its number is the payload
    engine::EventHandler& arrivals;   ///< windows: links deliver
    engine::EventHandler& decisions;  ///< windows: ports decide
};

class EthernetSchedule {
public:
    /// `ports` is by link. All must outlive this.
    EthernetSchedule(std::vector<EthernetPort>& ports, PacketClock& clock,
                     const EthernetEvents& handlers)
        : ports_(ports), clock_(clock), handlers_(handlers), events_(clock, handlers.wake) {}

    EthernetSchedule(const EthernetSchedule&) = delete;
    EthernetSchedule& operator=(const EthernetSchedule&) = delete;

    /// Lets the port decide at `at`, unless an earlier decision is pending.
    void arm(std::uint32_t number, std::int64_t at) {
        if (!PortSchedule<EthernetPort>::bring_forward(ports_[number], at)) {
            return;
        }
        if (isolated_ && at == clock_.now()) {
            node_events_.add_now(windows_->place_in_node(slot_of_port(number)));
        } else if (isolated_) {
            add_own(slot_of_port(number), at);
        } else if (windows_ == nullptr) {
            events_.schedule(number, at);
        } else {
            wake_in_windows(number, at);
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

    /// A packet has come to a link that had none: it delivers when that has arrived.
    void await_arrival(std::uint32_t link) {
        EthernetPort& port = ports_[link];
        port.due = port.flight.first_ready;
        if (windows_ == nullptr) {
            schedule_arrival(link, port.due);
            return;
        }
        windows_->wake(link, port.due, none);
        if (!is_driven_) {
            schedule_arrivals(port.due);
        }
    }

    /// A link has delivered and has packets left: it delivers when the first has arrived.
    void await_next_arrival(std::uint32_t link) {
        if (!isolated_) {
            await_arrival(link);
            return;
        }
        EthernetPort& port = ports_[link];
        port.due = port.flight.first_ready;
        add_own(link, port.due);
    }

    /// The clock has switched to another event queue: schedules all pending events there.
    void reschedule();

    // Lookahead windows. The slot of a link that delivers is its number, at the node at its end;
    // that of a port that decides follows those of all links (slot_of_port()).

    /// Null where ports and links have their own events.
    LookaheadWindows* windows() const { return windows_.get(); }

    /// While nothing is pending.
    void set_windows(std::unique_ptr<LookaheadWindows> windows) { windows_ = std::move(windows); }

    /// From now on ports and links have their own events.
    void leave_windows();

    std::uint32_t slot_of_port(std::uint32_t number) const {
        return static_cast<std::uint32_t>(ports_.size()) + number;
    }

    /// Schedules the event of all links and ports, of whose times `at` is the earliest. never:
    /// nothing is pending.
    void schedule_arrivals(std::int64_t at) {
        if (at < arrivals_at_) {
            arrivals_at_ = at;
            schedule_arrivals_now(at, 0);
        }
    }

    /// Links from this one on deliver in an event of their own in the instant being handled.
    void go_on_with(std::uint32_t link) {
        arrivals_at_ = clock_.now();
        schedule_arrivals_now(arrivals_at_, link);
    }

    /// An event of schedule_arrivals() is due: whether it is the last one scheduled; others are
    /// obsolete.
    bool take_arrivals() { return take(arrivals_at_); }

    /// Ports decide in the instant being handled.
    void schedule_decisions();

    /// As take_arrivals().
    bool take_decisions() { return take(decisions_at_); }

    /// Whether EthernetLookahead does what is due, and schedules the next event afterwards.
    void set_driven(bool is_driven) { is_driven_ = is_driven; }

    /// No window reaches `at`, when a message may end.
    void end_windows_at(std::int64_t at) {
        ends_.push_back(at);
        std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
    }

    /// The first time of end_windows_at() that is not past, or never.
    std::int64_t end_of_windows();

    /// What has not arrived arrives later, by this time.
    void put_off(std::int64_t by);

    /// Whether a node is advanced by itself; what is due there is then added to its events.
    void isolate(bool isolated) { isolated_ = isolated; }
    NodeEvents& node_events() { return node_events_; }

    /// Whether a deciding port has woken another for the same instant since the last call.
    bool take_woken() { return std::exchange(woken_, false); }

private:
    void add_own(std::uint32_t slot, std::int64_t at) {
        node_events_.add(at, windows_->wake_own(slot, at));
    }

    void schedule_arrival(std::uint32_t link, std::int64_t at) {
        clock_.schedule(
            at, engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::packet_in, link),
            handlers_.arrive, link);
    }

    void wake_in_windows(std::uint32_t number, std::int64_t at);
    void schedule_arrivals_now(std::int64_t at, std::uint32_t link);

    bool take(std::int64_t& at) const {
        if (clock_.now() != at || windows_ == nullptr) {
            return false;
        }
        at = never;
        return true;
    }

    std::vector<EthernetPort>& ports_;
    PacketClock& clock_;
    EthernetEvents handlers_;
    PortSchedule<EthernetPort> events_;
    std::uint32_t deciding_ = none;
    std::unique_ptr<LookaheadWindows> windows_;
    std::int64_t arrivals_at_ = never;   ///< time of the pending event of all links and ports
    std::int64_t decisions_at_ = never;  ///< of the pending one of ports
    bool is_driven_ = false;
    bool woken_ = false;
    bool isolated_ = false;
    NodeEvents node_events_;
    std::vector<std::int64_t> ends_;  ///< end_windows_at(): a min-heap
};

}  // namespace npunet::packet
