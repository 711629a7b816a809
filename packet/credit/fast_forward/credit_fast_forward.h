// Fast-forward of periodic traffic in a CreditNetwork. Long messages settle into periodic patterns:
// a message alone packet by packet, several that share links after a few packets of each. One
// period is simulated and the others are counted, with the same results in every figure.
//
// A group (PeriodicGroup) is a set of ports and of the long messages that cross them, closed in
// both directions: all ports of their routes, all messages with a packet or a send-queue entry at
// one of these ports. It depends on nothing else while no message begins or ends there, and its
// rules depend on differences of times only. So when its state (TrafficSample) at t equals that at
// t - P, it repeats from t on what it has done since t - P, until
// - a message of the group has no full period of packets left, or
// - there is an event from outside: a message that starts at one of its ports, a packet that joins
//   one of their queues, credit for one of them.
// Until then the group is suspended: its state is that of t, and no events are pending. Then its
// state is advanced by the whole periods that have passed, with all times in it, and their traffic
// is added to the counts; the rest of the period is replayed packet by packet.
//
// Call settle() before looking at counts or queues. The search for patterns takes time at most in
// proportion to that of the packets moved or skipped meanwhile; every failed attempt makes
// the next pause longer.
//
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"
#include "packet/credit/fast_forward/period_detection.h"
#include "packet/credit/fast_forward/periodic_group.h"
#include "packet/credit/network_state.h"

#include "engine/clock/event_queue.h"
#include "engine/clock/period_search.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class Replay;

class CreditFastForward final : private engine::EventHandler {
public:
    /// Both must outlive this.
    CreditFastForward(CreditNetworkState& state, Replay& replay);

    /// A message is about to start; `port`: the first one of its route, which is watched or
    /// suspended.
    void before_start(std::uint32_t port);

    /// A message has started.
    void after_start(std::uint32_t port, std::int64_t bytes);

    /// A packet of the message is about to join a queue of a port that is watched or suspended.
    void packet_comes(std::uint32_t port, std::uint32_t message);

    /// Credit is about to return to a port that is suspended.
    void credit_comes(std::uint32_t port);

    /// The last packet of a message has started at a port that is watched.
    void message_ends(std::uint32_t port);

    /// An anchor, or a port with its `look` bit, has started a packet, which has left at `end`. No
    /// event is scheduled for later than the arrival of that packet, so that none outlives the
    /// messages.
    void packet_starts(std::uint32_t port, std::int64_t now, std::int64_t end);

    /// When the state of a group may be compared next: at the end of the next packet of its anchor,
    /// which is full.
    std::int64_t next_look();

    /// Resumes and dissolves all groups, before the state is moved to another time.
    void forget();

    /// The handler of the events that look for patterns.
    const engine::EventHandler& handler() const { return *this; }

    /// No ports are watched or suspended.
    bool is_quiet() const { return free_.size() == groups_.size(); }

    /// For a port with its `look` bit: the first packet that starts then or later is the one to
    /// look after.
    std::int64_t look_from(std::uint32_t port) const { return notes_[port].look_from; }

    /// Brings all suspended ports up to the present.
    void settle();

    /// Whether ports may be suspended from now on.
    void enable(bool enabled);

private:
    /// What an event does.
    enum class Kind : std::uint8_t {
        Look,     ///< looks for a group, beginning with a port
        Compare,  ///< compares the state of a group with an earlier one
        Resume    ///< resumes a suspended group
    };

    /// An attempt fails after this many comparisons at the earliest.
    static constexpr std::uint32_t least_looks = 24;

    /// Ports and messages that depend on each other.
    struct Group {
        PeriodicGroup traffic;
        std::uint32_t anchor = none;  ///< the state is compared when this port becomes free
        std::uint32_t serial = 0;     ///< of its present use; events with another one are obsolete
        bool suspended = false;       ///< suspended: no events are pending for its ports
        engine::PeriodSearch search{least_looks};
        std::uint64_t work = 0;    ///< words looked at for it
        std::int64_t periods = 0;  ///< how many it may be suspended for
    };

    struct PortNote {
        std::uint32_t break_for = 0;  ///< packets until the next attempt
        std::int64_t look_from = 0;   ///< time of the next attempt, at the earliest
    };

    void handle(std::uint64_t payload) override;

    /// Schedules an event. `index`: of the group, or the port; `serial`: of the group, or 0.
    void plan(std::int64_t at, Kind kind, std::uint32_t index, std::uint32_t serial);

    /// Schedules the next attempt to find a group from this port, after its break.
    void plan_look(std::uint32_t port);

    /// Tries to find a group, beginning with this port.
    void look(std::uint32_t port);

    /// Collects the ports and messages of a group that has its anchor. Whether they may be watched.
    bool collect(std::uint32_t index);

    /// Compares the state of a group with the kept one.
    void compare(std::uint32_t index);

    /// Suspends a group whose present sample equals the kept one, unless it is not worth it.
    bool suspend(std::uint32_t index);

    /// Resumes a suspended group.
    void resume(std::uint32_t index);

    /// Releases a group, and schedules further attempts.
    void dissolve(std::uint32_t index);

    /// Accounts for words looked at.
    void charge(Group& group, std::uint64_t words) {
        group.work += words;
        budget_.charge(words);
    }

    /// Accounts for a lookahead window that ends early for it, for all nodes.
    void charge_window(Group& group);

    /// Frees a group.
    void release(std::uint32_t index);

    CreditNetworkState& state_;
    Replay& replay_;
    PeriodDetection detection_;
    std::vector<Group> groups_;           ///< used and free
    std::vector<std::uint32_t> free_;     ///< groups that are not used
    std::vector<PortNote> notes_;         ///< by port
    std::vector<std::uint32_t> looking_;  ///< groups whose states are compared
    std::int64_t last_window_ = -1;       ///< end of the last window that was charged
    std::uint64_t last_handled_ = 0;      ///< events handled by then
    engine::LookBudget budget_;           ///< words that may be looked at
    bool enabled_ = true;
};

}  // namespace npunet::packet
