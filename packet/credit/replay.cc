#include "packet/credit/replay.h"

#include <algorithm>
#include <utility>

namespace npunet::packet {

void Replay::resume(const std::vector<std::uint32_t>& ports, std::int64_t from,
                    std::int64_t until) {
    // The port that broke the pattern may be in the middle of its decision.
    ThreadPartition& partition = state_.partitions.front();
    std::vector<std::uint32_t> again;
    partition.again.swap(again);
    const bool deferred = std::exchange(partition.deferred, false);
    schedule_.begin_replay();
    for (const std::uint32_t port : ports) {
        state_.ports[port].wake = never;
        step_.plan_wake(port, std::max(state_.ports[port].busy_until, from));
    }
    // After the run has stopped, this only completes the counts, once.
    while (schedule_.first_waiting() < until &&
           (state_.events.stopped() || state_.events.goes_on())) {
        decide_at(schedule_.first_waiting());
        state_.events.count_handled(std::exchange(partition.handled, 0));
    }
    schedule_.end_replay();
    partition.deferred = deferred;
    partition.again.swap(again);
    const std::uint32_t isolated = std::exchange(partition.isolated, none);
    for (const std::uint32_t port : ports) {
        const std::int64_t wake = std::exchange(state_.ports[port].wake, never);
        if (wake != never) {
            schedule_.arm(port, std::max(wake, until));  // earlier: the run was stopped
        }
    }
    partition.isolated = isolated;
    if (!state_.in_window) {
        step_.notifications().gather();
    }
}

void Replay::decide_at(std::int64_t now) {
    while (schedule_.first_waiting() == now) {
        step_.decide_if_due(schedule_.take_waiting(), now);
    }
    step_.decide_again(state_.partitions.front(), now);
}

}  // namespace npunet::packet
