// Arbitration of a CreditNetwork: selects the head that an idle port sends, among those that have
// arrived, have their credit and may leave their input: round robin or oldest first, after the
// traffic class where there are several. The rules are those of CreditNetwork.
//
//     const std::uint32_t queue = arbiter.choose(port, now);
//
// Times in picoseconds.
#pragma once

#include "packet/base/constants.h"
#include "packet/credit/network_state.h"

#include <cstdint>

namespace npunet::packet {

class CreditArbiter {
public:
    /// `state` must outlive this.
    explicit CreditArbiter(CreditNetworkState& state) : state_(state) {}

    /// The queue whose head an idle port that is up may send, or none. With a limited speed-up it
    /// may yield an input to another port that comes first there, and then sets
    /// ThreadPartition::yielded.
    std::uint32_t choose(std::uint32_t port_number, std::int64_t now) {
        if (state_.several) {
            return choose_by_class(port_number, now);
        }
        return state_.oldest ? choose_oldest(port_number, now) : choose_next(port_number, now);
    }

    /// With several traffic classes: the head of a queue starts, and is sent `attempts` times.
    void serve_class(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t attempts);

private:
    /// Whether the head of a queue that is not empty has arrived, has its credit, and its input
    /// allows it to leave.
    bool can_go(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t now) {
        const VirtualOutputQueue& queue = state_.queues[queue_number];
        return queue.ready <= now &&
               state_.credit(port_number, queue.channel).has(queue.wire, now) &&
               !(state_.reads.are_limited() && input_refuses(port_number, queue_number, now));
    }

    std::uint32_t choose_next(std::uint32_t port_number, std::int64_t now) {
        const CreditPort& port = state_.ports[port_number];
        std::uint32_t chosen = none;
        state_.filled.for_each(port, port.next_queue, [&](std::uint32_t number) {
            if (!can_go(port_number, number, now)) {
                return false;
            }
            chosen = number;
            return true;
        });
        return chosen;
    }

    std::uint32_t choose_oldest(std::uint32_t port_number, std::int64_t now);

    /// First the class, then by one of the two rules.
    std::uint32_t choose_by_class(std::uint32_t port_number, std::int64_t now);

    /// Limited speed-up: whether an eligible head must stay in its input, because enough packets
    /// are leaving it or another port has precedence.
    bool input_refuses(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t now);

    /// Whether another idle port, nearer behind the one that the queue's input served last, has a
    /// packet of that input too.
    bool others_come_first(std::uint32_t port_number, std::uint32_t queue_number,
                           std::int64_t now) const;

    CreditNetworkState& state_;
};

}  // namespace npunet::packet
