#pragma once

#include "packet/credit/lookahead_windows.h"
#include "packet/credit/network_state.h"

#include "engine/event_queue.h"
#include "engine/pending_events.h"
#include "engine/state_scan.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace npunet::packet {

/// When the ports have to decide next (CreditPort::wake), and how they get to: each by an event of
/// its own; or all of them by one event, from which on the nodes go on in windows of time; or,
/// while some make up for lost time, by a heap.
///
///     agenda.arm(port, 5000);
///
/// Times in picoseconds.
class CreditPortSchedule {
public:
    /// @param state with the ports and the simulation's events; must outlive this
    /// @param wake handles the event of a port, whose number it is given; must outlive this
    /// @param turn handles that of all ports; must outlive this
    CreditPortSchedule(CreditNetworkState& state, engine::EventHandler& wake,
                       engine::EventHandler& turn)
        : state_(state), wake_(wake), turn_(turn) {}

    CreditPortSchedule(const CreditPortSchedule&) = delete;
    CreditPortSchedule& operator=(const CreditPortSchedule&) = delete;

    /// Sets the wake of a port, unless there is an earlier one.
    /// @param port_number the port
    /// @param at in picoseconds
    void arm(std::uint32_t port_number, std::int64_t at) {
        CreditPort& port = state_.ports[port_number];
        if (at >= port.wake) {
            return;
        }
        port.wake = at;
        if (windows_ == nullptr || catching_up_) {
            arm_elsewhere(port_number, at);
            return;
        }
        windows_->wake(port_number, at, state_.part_of(port).alone);
        if (!state_.in_window) {
            plan_turn(at);
        }
    }

    /// Before the first port is armed.
    /// @param windows of all nodes; null: every port has events of its own
    void set_windows(std::unique_ptr<LookaheadWindows> windows) { windows_ = std::move(windows); }

    /// From now on every port has events of its own.
    void leave_windows();

    /// @return of all nodes; null where every port has events of its own
    LookaheadWindows* windows() const { return windows_.get(); }

    /// Windows: sees to it that the ports have their turn.
    /// @param at in picoseconds
    void plan_turn(std::int64_t at);

    /// Windows: an event of all ports is due.
    /// @return whether it is the one that was planned last, so that the ports have their turn
    bool take_turn();

    /// Until end_catch_up() ports that are armed wait in a heap.
    void begin_replay() { catching_up_ = true; }

    /// Ports that still wait in the heap are forgotten; their `wake` says when they were to decide.
    void end_replay() {
        waiting_.clear();
        catching_up_ = false;
    }

    /// @return whether ports that are armed wait in a heap
    bool is_replaying() const { return catching_up_; }

    /// @return when the first port of the heap is to decide; never where there is none
    std::int64_t first_waiting() const { return waiting_.empty() ? never : waiting_.front().first; }

    /// @return the first port of the heap, which leaves it; its `wake` may be another one by now
    std::uint32_t take_waiting();

    /// The steady state of collective steps: what is planned follows from the ports, and moves
    /// along with them.
    /// @param scan describes, compares or moves
    /// @param events of the queue
    void accompany(const engine::StateScan& scan, engine::PendingEvents& events);

private:
    /// arm() by an event of the port, or by the heap.
    void arm_elsewhere(std::uint32_t port_number, std::int64_t at);

    CreditNetworkState& state_;                  ///< with the ports
    engine::EventHandler& wake_;                 ///< handles the event of a port
    engine::EventHandler& turn_;                 ///< handles that of all ports
    std::unique_ptr<LookaheadWindows> windows_;  ///< nodes go on alone, or null
    std::int64_t turn_at_ = never;               ///< time of the event pending for it
    bool catching_up_ = false;                   ///< ports make up for lost time
    /// When they decide next: a heap, the earliest first; obsolete where the port says otherwise.
    std::vector<std::pair<std::int64_t, std::uint32_t>> waiting_;
};

}  // namespace npunet::packet
