// When the ports have to decide next, and what triggers that: an event for each port, as in
// PortSchedule; or one event for all ports, from which the nodes advance in lookahead windows; or,
// during a replay of skipped ports, a heap.
//
//     schedule.arm(port, 5000);
//
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"
#include "packet/base/lookahead_windows.h"
#include "packet/base/port_schedule.h"
#include "packet/credit/network_state.h"

#include "engine/clock/event_queue.h"
#include "engine/clock/pending_events.h"
#include "engine/clock/state_scan.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace npunet::packet {

class CreditPortSchedule {
public:
    /// `wake` handles the event of a port, whose number is its payload; `windows_event` handles
    /// that of all ports. All must outlive this.
    CreditPortSchedule(CreditNetworkState& state, engine::EventHandler& wake,
                       engine::EventHandler& windows_event)
        : state_(state), events_(state.clock, wake), wake_(wake), windows_event_(windows_event) {}

    /// Sets the wake of a port, unless an earlier one is pending.
    void arm(std::uint32_t port_number, std::int64_t at) {
        CreditPort& port = state_.ports[port_number];
        if (!PortSchedule<CreditPort>::bring_forward(port, at)) {
            return;
        }
        if (windows_ == nullptr || replaying_) {
            arm_elsewhere(port_number, at);
            return;
        }
        windows_->wake(port_number, at, state_.partition_of(port).isolated);
        if (!state_.in_window) {
            schedule_windows(at);
        }
    }

    /// The port may have something to send from `at` on.
    void wake_port(std::uint32_t port_number, std::int64_t at) {
        arm(port_number, std::max(state_.ports[port_number].busy_until, at));
    }

    /// Before the first port is armed. Null: every port has its own events.
    void set_windows(std::unique_ptr<LookaheadWindows> windows) { windows_ = std::move(windows); }

    /// From now on every port has its own events.
    void leave_windows();

    /// Null where every port has its own events.
    LookaheadWindows* windows() const { return windows_.get(); }

    /// Windows: schedules the event of all ports.
    void schedule_windows(std::int64_t at);

    /// Windows: an event of all ports is due. Whether it is the one that was scheduled last; others
    /// are obsolete.
    bool take_windows_event();

    /// Until end_replay() ports that are armed wait in a heap.
    void begin_replay() { replaying_ = true; }

    /// Drops the ports left in the heap; their `wake` says when they are to decide.
    void end_replay() {
        waiting_.clear();
        replaying_ = false;
    }

    bool is_replaying() const { return replaying_; }

    /// When the first port of the heap is to decide, or never.
    std::int64_t first_waiting() const { return waiting_.empty() ? never : waiting_.front().first; }

    /// Removes the first port from the heap; its `wake` may have changed since it was armed.
    std::uint32_t take_waiting();

    /// Fast-forward of collective steps: what is scheduled follows from the ports, and is moved
    /// along with them.
    void accompany(const engine::StateScan& scan, engine::PendingEvents& events);

private:
    /// arm() by an event of the port, or by the heap.
    void arm_elsewhere(std::uint32_t port_number, std::int64_t at);

    CreditNetworkState& state_;
    PortSchedule<CreditPort> events_;
    engine::EventHandler& wake_;
    engine::EventHandler& windows_event_;
    std::unique_ptr<LookaheadWindows> windows_;  ///< or null
    std::int64_t windows_at_ = never;            ///< time of the pending event of all ports
    bool replaying_ = false;                     ///< a replay is running
    /// (wake, port), earliest first; obsolete where the port's `wake` differs.
    std::vector<std::pair<std::int64_t, std::uint32_t>> waiting_;
};

}  // namespace npunet::packet
