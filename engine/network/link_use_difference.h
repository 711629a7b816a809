// What links have carried in between, and sums of it.
//
// C++17-clean.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/clock/clock_limit.h"
#include "engine/network/network.h"

namespace npunet::engine {

/// `now` and `before` of one link; the longest queue is that of `now`.
inline LinkUse difference(const LinkUse& now, const LinkUse& before) {
    LinkUse use = now;
    use.payload -= before.payload;
    use.wire -= before.wire;
    use.busy -= before.busy;
    use.packets -= before.packets;
    use.retransmissions -= before.retransmissions;
    use.credit_stall -= before.credit_stall;
    use.pauses -= before.pauses;
    use.marked -= before.marked;
    use.drops -= before.drops;
    use.notifications -= before.notifications;
    for (std::size_t i = 0; i < before.queue_times.size(); ++i) {
        use.queue_times[i] -= before.queue_times[i];
    }
    for (std::size_t i = 0; i < before.classes_wire.size(); ++i) {
        use.classes_wire[i] -= before.classes_wire[i];
    }
    return use;
}

/// Adds what difference() has returned.
inline void add(LinkUse& sum, const LinkUse& use) {
    sum.payload += use.payload;
    sum.wire += use.wire;
    sum.busy = later(sum.busy, use.busy);
    sum.max_queue = std::max(sum.max_queue, use.max_queue);
    sum.packets += use.packets;
    sum.retransmissions += use.retransmissions;
    sum.credit_stall = later(sum.credit_stall, use.credit_stall);
    sum.pauses += use.pauses;
    sum.marked += use.marked;
    sum.drops += use.drops;
    sum.notifications += use.notifications;
    sum.queue_times.resize(std::max(sum.queue_times.size(), use.queue_times.size()));
    for (std::size_t i = 0; i < use.queue_times.size(); ++i) {
        sum.queue_times[i] = later(sum.queue_times[i], use.queue_times[i]);
    }
    sum.classes_wire.resize(std::max(sum.classes_wire.size(), use.classes_wire.size()));
    for (std::size_t i = 0; i < use.classes_wire.size(); ++i) {
        sum.classes_wire[i] += use.classes_wire[i];
    }
}

}  // namespace npunet::engine
