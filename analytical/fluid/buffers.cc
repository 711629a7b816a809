#include "analytical/fluid/buffers.h"

#include <algorithm>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

using engine::later;

namespace {

/// Changes up to this part of a budget, 2^-4, are not told.
constexpr int untold_budget_bits = 4;

}  // namespace

void FluidNetwork::check_buffer(std::uint32_t number) {
    Buffer& buffer = buffers_[number];
    const Time now = queue_.now();
    buffer.advance(now);
    const bool waits =
        std::any_of(buffer.queues.begin(), buffer.queues.end(), [&](const Buffer::Place& place) {
            return ports_[place.link].queues[place.queue].waiting();
        });
    const Work limit = work_of(buffer.limit);
    const Work open =
        limit / 4 * 3;  // not at once, so that it does not open and close all the time
    if (!waits) {
        buffer.filled = 0;
        buffer.closed = false;
    } else if (!buffer.closed && buffer.growth > 0 && buffer.filled >= limit) {
        buffer.closed = true;
    } else if (buffer.closed && buffer.filled <= open) {
        buffer.closed = false;
    }
    set_budget(number);
    Time next = Time::max();
    if (!buffer.closed && buffer.growth > 0) {
        next = std::max(done_at(now, limit - buffer.filled, capped_share(buffer.growth)),
                        later(now, Time::ps(1)));
    } else if (buffer.closed && buffer.growth < 0) {
        next = std::max(done_at(now, buffer.filled - open, capped_share(-buffer.growth)),
                        later(now, Time::ps(1)));
    }
    if (next != buffer.next) {
        buffer.next = next;
        if (next != Time::max()) {
            schedule(next, level, number, number);
        }
    }
}

void FluidNetwork::set_budget(std::uint32_t number) {
    Buffer& buffer = buffers_[number];
    Share share = no_limit;
    if (buffer.closed) {
        share = 0;
        const Time full = ports_[number / channels_].full;
        for (const Buffer::Place& place : buffer.queues) {
            const InputQueue& queue = ports_[place.link].queues[place.queue];
            if (queue.waiting()) {
                share += converted(queue.rate(), ports_[place.link].full, full);
            }
        }
    }
    if (share == buffer.budget) {
        return;
    }
    if (share != no_limit && buffer.budget != no_limit &&
        !differs(share, buffer.budget, untold_budget_bits)) {
        return;
    }
    buffer.budget = share;
    const std::uint32_t change = budget_changes_.take();
    budget_changes_[change].buffer = number;
    budget_changes_[change].budget = share;
    schedule(later(queue_.now(), ports_[number / channels_].latency), budget, number, change,
             ++buffer.changes);
}

}  // namespace npunet::analytical
