#include "packet/credit/replay.h"

#include <algorithm>
#include <utility>

namespace npunet::packet {

Replay::Replay(SwitchStep& mover) : state_(mover.state()), agenda_(mover.agenda()), mover_(mover) {}

void Replay::resume(const std::vector<std::uint32_t>& ports, std::int64_t from,
                    std::int64_t until) {
    // The port that has broken the pattern may be in the middle of its choice.
    ThreadPartition& part = state_.parts.front();
    std::vector<std::uint32_t> again;
    part.again.swap(again);
    const bool second_chance = std::exchange(part.second_chance, false);
    agenda_.begin_catch_up();
    for (const std::uint32_t port : ports) {
        state_.ports[port].wake = never;
        mover_.plan_wake(port, std::max(state_.ports[port].busy_until, from));
    }
    // After the run has stopped only the counts are made up for, once.
    while (agenda_.first_waiting() < until &&
           (state_.events.stopped() || state_.events.goes_on())) {
        decide_at(agenda_.first_waiting());
        state_.events.count_handled(std::exchange(part.handled, 0));
    }
    agenda_.end_catch_up();
    part.second_chance = second_chance;
    part.again.swap(again);
    const std::uint32_t alone = std::exchange(part.alone, none);
    for (const std::uint32_t port : ports) {
        const std::int64_t wake = std::exchange(state_.ports[port].wake, never);
        if (wake != never) {
            agenda_.arm(port, std::max(wake, until));  // earlier: the run has been broken off
        }
    }
    part.alone = alone;
    if (!state_.in_window) {
        mover_.news().gather();
    }
}

void Replay::decide_at(std::int64_t now) {
    while (agenda_.first_waiting() == now) {
        mover_.decide_if_due(agenda_.take_waiting(), now);
    }
    mover_.decide_again(state_.parts.front(), now);
}

}  // namespace npunet::packet
