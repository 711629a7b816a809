#pragma once

#include "engine/period_search.h"
#include "packet/credit/fast_forward/period_detection.h"
#include "packet/credit/fast_forward/periodic_group.h"
#include "packet/credit/network_state.h"

#include "engine/event_queue.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Moves packets one by one, where CreditFastForward cannot move them by periods.
class CreditFastForwardHost {
public:
    /// Lets ports that stood still go on.
    /// @param ports in ascending order; nothing is planned for them
    /// @param from the time of their state, in picoseconds
    /// @param until all their choices before this time are made at once, in picoseconds
    virtual void resume(const std::vector<std::uint32_t>& ports, std::int64_t from,
                        std::int64_t until) = 0;

protected:
    ~CreditFastForwardHost() = default;
};

/// Packet trains: long messages settle into patterns that repeat themselves, a message alone packet
/// by packet, several that share links after a few packets of each. Of such a pattern one period is
/// simulated and the others are counted.
///
/// A group (PeriodicGroup) is a set of ports and of the long messages that cross them, closed in
/// both directions: all ports of their routes, all messages that have a packet or their turn at one
/// of these ports. It depends on nothing else while no message begins or ends there, and its rules
/// know no absolute times. So when its state (TrafficSample) at t equals that at t - P, it does
/// from t on what it has done since t - P, over and over, until
/// - a message of the group has no full period of packets left, or
/// - something comes from outside: a message that starts at one of its ports, a packet that joins a
///   queue of theirs, credit for one of them.
/// Until then the group stands still: its state is that of t, and no events are pending. Then its
/// state is moved on by as many whole periods as have passed, with all times in it, and what they
/// have carried is added to the counts; the rest of the period that has begun is made up for packet
/// by packet. The result is that of all packets one by one, in every figure.
///
/// Whoever looks at counts or queues calls settle() before. Looking for patterns takes time, in
/// proportion to that of the packets that are moved meanwhile: attempts that fail are repeated
/// after ever longer breaks.
class CreditFastForward final : private engine::EventHandler {
public:
    /// @param state of the machine; must outlive this
    /// @param host moves packets one by one; must outlive this
    CreditFastForward(CreditNetworkState& state, CreditFastForwardHost& host);

    /// A message is about to start.
    /// @param port first one on its way
    void before_start(std::uint32_t port);

    /// A message has started.
    /// @param port first one on its way
    /// @param bytes of the message
    void after_start(std::uint32_t port, std::int64_t bytes);

    /// A packet is about to join the queues of a port that is watched or stands still.
    /// @param port the port
    /// @param message the packet's
    void packet_comes(std::uint32_t port, std::uint32_t message);

    /// Credit is about to come back to a port that stands still.
    /// @param port the port
    void credit_comes(std::uint32_t port);

    /// The last packet of a message has started at a port that is watched.
    /// @param port the port
    void message_ends(std::uint32_t port);

    /// A port has started a packet by which its group's time is measured, or after which to look
    /// for a group. No event is planned for later than when that packet is in, so that none
    /// outlives the messages.
    /// @param port the port
    /// @param now in picoseconds
    /// @param end when the packet has left, in picoseconds
    void packet_starts(std::uint32_t port, std::int64_t now, std::int64_t end);

    /// @return when the state of a group may be looked at next, in picoseconds: at the end of the
    /// next packet of its anchor, which is full
    std::int64_t next_look();

    /// Drops what is known of patterns: the state is moved to another time.
    void forget();

    /// @return whose events those are that look for patterns
    const engine::EventHandler& looker() const { return *this; }

    /// @return whether no ports are watched or stand still
    bool is_quiet() const { return free_.size() == groups_.size(); }

    /// @param port that has its `look` bit
    /// @return the packet that it starts then or later is the one to look after, in picoseconds
    std::int64_t look_from(std::uint32_t port) const { return notes_[port].look_from; }

    /// Brings all ports that stand still up to the present.
    void settle();

    /// @param enabled whether ports may stand still from now on
    void enable(bool enabled);

private:
    /// What an event is about.
    enum class Kind : std::uint8_t {
        Look,     ///< for a pattern, beginning with a port
        Compare,  ///< the state of a group with an earlier one
        Resume    ///< a group that stands still
    };

    /// A state is compared with an earlier one at least so often before an attempt fails.
    static constexpr std::uint32_t least_looks = 24;

    /// Ports and messages that depend on each other.
    struct Group {
        PeriodicGroup traffic;        ///< what they are
        std::uint32_t anchor = none;  ///< its state is looked at when this port is free
        std::uint32_t serial = 0;     ///< of its present use
        bool still = false;           ///< no events are pending for its ports
        engine::PeriodSearch search{least_looks};  ///< among its states
        std::uint64_t work = 0;                    ///< words of it that were looked at
        std::int64_t periods = 0;                  ///< that it can go on for
    };

    /// What is known of a port.
    struct PortNote {
        std::uint32_t break_for = 0;  ///< packets until the next attempt
        std::int64_t look_from = 0;   ///< when the next attempt may be made
    };

    void handle(std::uint64_t payload) override;

    /// @param at in picoseconds
    /// @param kind of the event
    /// @param index of the group or port
    /// @param serial of the group; 0 for a port
    void plan(std::int64_t at, Kind kind, std::uint32_t index, std::uint32_t serial);

    /// Sees to it that there will be an attempt after a break.
    /// @param port with which it begins
    void plan_look(std::uint32_t port);

    /// Tries to find a group.
    /// @param port with which to begin
    void look(std::uint32_t port);

    /// Collects the ports and messages of a group.
    /// @param index of the group, with its anchor
    /// @return whether they can be looked at
    bool collect(std::uint32_t index);

    /// Looks whether the state of a group repeats itself.
    /// @param index of the group
    void compare(std::uint32_t index);

    /// The state of a group repeats itself.
    /// @param index of the group; its present sample equals the kept one
    /// @return whether it is worth while to stand still
    bool stand_still(std::uint32_t index);

    /// Lets a group that stands still go on.
    /// @param index of the group
    void resume(std::uint32_t index);

    /// Forgets a group, and plans further attempts.
    /// @param index of the group
    void dissolve(std::uint32_t index);

    /// @param group of which something is looked at
    /// @param words how much
    void charge(Group& group, std::uint64_t words) {
        group.work += words;
        budget_.charge(words);
    }

    /// Forgets a group.
    /// @param index of the group
    void release(std::uint32_t index);

    CreditNetworkState& state_;           ///< of the machine
    CreditFastForwardHost& host_;         ///< moves packets one by one
    PeriodDetection finder_;              ///< which ports and messages depend on each other
    std::vector<Group> groups_;           ///< in use and free
    std::vector<std::uint32_t> free_;     ///< groups that are not in use
    std::vector<PortNote> notes_;         ///< by port
    std::vector<std::uint32_t> looking_;  ///< groups whose states are compared
    std::int64_t last_compare_ = -1;      ///< when states were compared last, in picoseconds
    engine::LookBudget budget_;           ///< what may be looked at
    bool enabled_ = true;                 ///< ports may stand still
};

}  // namespace npunet::packet
