#pragma once

#include "packet/credit/network_state.h"

#include <cstdint>

namespace npunet::packet {

/// Chooses which head an idle port sends: among those that are in, have their credit and may leave
/// their input, by round robin or the oldest first, after the class where there are several. The
/// rules are those of CreditNetwork.
///
///     const std::uint32_t queue = arbiter.choose(port, now);
class CreditArbiter {
public:
    /// @param state ports, queues, credits, turns; must outlive this
    explicit CreditArbiter(CreditNetworkState& state) : state_(state) {}

    /// With a limited speed-up it may leave an input to another port that comes first there, and
    /// says so in ThreadPartition::yielded.
    /// @param port_number an idle port that is up
    /// @param now in picoseconds
    /// @return the queue whose head may go, or none
    std::uint32_t choose(std::uint32_t port_number, std::int64_t now) {
        if (state_.several) {
            return choose_by_class(port_number, now);
        }
        return state_.oldest ? choose_oldest(port_number, now) : choose_next(port_number, now);
    }

    /// Several traffic classes: the head of a queue starts.
    /// @param port_number the port
    /// @param queue_number a queue of the port
    /// @param attempts how often the packet is sent
    void serve_class(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t attempts);

private:
    /// @param port_number an idle port that is up
    /// @param queue_number a queue of the port that is not empty
    /// @param now in picoseconds
    /// @return whether its head may go: it is in, has its credit, and its input lets it
    bool can_go(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t now) {
        const VirtualOutputQueue& queue = state_.queues[queue_number];
        return queue.ready <= now &&
               state_.credit(port_number, queue.channel).has(queue.wire, now) &&
               !(state_.reads.are_limited() && input_refuses(port_number, queue_number, now));
    }

    /// @copydoc choose
    /// Round robin.
    std::uint32_t choose_next(std::uint32_t port_number, std::int64_t now) {
        const CreditPort& port = state_.ports[port_number];
        std::uint32_t chosen = none;
        state_.filled.for_each(port, port.turn, [&](std::uint32_t number) {
            if (!can_go(port_number, number, now)) {
                return false;
            }
            chosen = number;
            return true;
        });
        return chosen;
    }

    /// @copydoc choose
    /// Oldest first.
    std::uint32_t choose_oldest(std::uint32_t port_number, std::int64_t now);

    /// @copydoc choose
    /// Several traffic classes: first the class, then one of the two rules.
    std::uint32_t choose_by_class(std::uint32_t port_number, std::int64_t now);

    /// Limited speed-up: whether a head must stay in its input for now.
    /// @param port_number an idle port
    /// @param queue_number a queue of the port, whose head could go but for its input
    /// @param now in picoseconds
    /// @return whether it must, because enough others are leaving the input or have the first right
    bool input_refuses(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t now);

    /// @param port_number an idle port
    /// @param queue_number a queue of the port
    /// @param now in picoseconds
    /// @return whether another idle port, nearer behind the one that the queue's input served last,
    ///         has a packet of the input too
    bool others_come_first(std::uint32_t port_number, std::uint32_t queue_number,
                           std::int64_t now) const;

    CreditNetworkState& state_;  ///< ports, queues, credits, turns
};

}  // namespace npunet::packet
