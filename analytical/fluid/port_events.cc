// What happens at links by itself: arrivals that end, packets that end, messages that leave.

#include <algorithm>
#include <utility>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"
#include "engine/network/link_load.h"

namespace npunet::analytical {

using engine::later;

void FluidNetwork::advance(Port& port, std::uint32_t link) {
    const Time now = queue_.now();
    const Time span = now - port.updated;
    if (span == Time()) {
        return;
    }
    add_busy(port, link, port.updated, now, port.given);
    port.updated = now;
    for (std::size_t r = 0; r < port.rings.size(); ++r) {
        port.rings[r].advance(work_in(port.ring_shares[r], span));
    }
    if (port.live) {
        for (const std::uint32_t q : port.active) {
            port.queues[q].advance(span);
        }
        if (port.marks_begin > 0) {
            measure_marks(port, span);
        }
    }
}

Work FluidNetwork::backlog(const Port& port) {
    Work sum = 0;
    for (const std::uint32_t q : port.active) {
        sum += port.queues[q].backlog();
    }
    return sum;
}

void FluidNetwork::measure_marks(Port& port, Time span) {
    const Work before = std::exchange(port.backlog, backlog(port)) - port.marks_begin;
    const Work after = port.backlog - port.marks_begin;
    if (before > 0 && after > 0) {
        port.marking = later(port.marking, span);
    } else if (before > 0 || after > 0) {
        const Work part = std::max(before, after);
        const Work all = before > after ? before - after : after - before;
        // Shifted, so that the product fits.
        const auto share = static_cast<std::int64_t>((part << 20) / all);
        port.marking = later(port.marking,
                             Time::ps(static_cast<std::int64_t>((Work{span.ps()} * share) >> 20)));
    }
}

void FluidNetwork::touch(std::uint32_t link) {
    Port& port = ports_[link];
    advance(port, link);
    (void)keep_speed(port, link);
    if (!port.due) {
        port.due = true;
        if (touched_.empty()) {
            schedule(queue_.now(), Happening::sharing, 0, 0);
        }
        touched_.push_back(link);
    }
}

std::uint32_t FluidNetwork::queue_of(const Stage& stage) {
    Port& port = ports_[stage.hop->link];
    const std::uint32_t key = stage.hop->queue;
    const auto place = std::find(port.keys.begin(), port.keys.end(), key);
    const auto number = static_cast<std::uint32_t>(place - port.keys.begin());
    if (place == port.keys.end()) {
        port.keys.push_back(key);
        port.queues.emplace_back();
        port.ahead.emplace_back();
        port.last_begins.push_back(Time::max());
        port.classes.push_back(class_of_buffer(stage.hop->behind));
        port.first_feed.push_back(none);
    }
    std::uint32_t feed = port.first_feed[number];
    while (feed != none && port.feeds[feed].buffer != stage.input) {
        feed = port.feeds[feed].next;
    }
    if (feed == none) {
        feed = static_cast<std::uint32_t>(port.feeds.size());
        buffers_[stage.input].places.push_back({stage.hop->link, feed});
        Feed& added = port.feeds.emplace_back();
        added.queue = number;
        added.buffer = stage.input;
        added.next = std::exchange(port.first_feed[number], feed);
    }
    return number;
}

InputQueue& FluidNetwork::active_queue_of(const Stage& stage) {
    const std::uint32_t number = queue_of(stage);
    Port& port = ports_[stage.hop->link];
    const auto place = std::lower_bound(port.active.begin(), port.active.end(), number);
    if (place == port.active.end() || *place != number) {
        port.active.insert(place, number);
    }
    return port.queues[number];
}

void FluidNetwork::receive(const Forecast::Change& change) {
    Stage& stage = stages_[change.stage];
    if (stage.use != change.use || stage.gone || stage.ended) {
        return;
    }
    Port& port = ports_[stage.hop->link];
    InputQueue& queue = active_queue_of(stage);
    if (!change.tail) {
        queue.set_in(change.stage, change.rate);
        return;
    }
    stage.ended = queue.waiting() && queue.end_in(change.stage, work_of(stage.hop->total));
    if (!stage.ended) {
        port.closing.push_back(change.stage);
    }
}

void FluidNetwork::handle_due(std::uint32_t link) {
    if (ports_[link].next != queue_.now()) {
        return;
    }
    ports_[link].next = Time::max();
    touch(link);
    end_arrivals(link);
    end_queued(link);
    take_turns(link);
}

void FluidNetwork::end_arrivals(std::uint32_t link) {
    const Time now = queue_.now();
    std::vector<std::uint32_t> ended;
    for (const std::uint32_t number : ports_[link].closing) {
        if (stages_[number].ends.last <= now) {
            ended.push_back(number);
        }
    }
    for (const std::uint32_t number : ended) {
        Port& port = ports_[link];
        port.closing.erase(std::find(port.closing.begin(), port.closing.end(), number));
        const bool waited = stages_[number].ended;
        stages_[number].ended = true;
        if (waited || !port.queues[queue_of(stages_[number])].end_in(
                          number, work_of(stages_[number].hop->total))) {
            leave(number, shared_hops(number));
            retire(number);
            if (!waited) {
                ports_[link].queues[queue_of(stages_[number])].end_message();
            }
        }
    }
}

void FluidNetwork::end_queued(std::uint32_t link) {
    const Time now = queue_.now();
    std::vector<std::uint32_t> ending;
    const std::vector<std::uint32_t> active(ports_[link].active);
    for (const std::uint32_t q : active) {
        share_last_hops(ports_[link], q);  // before anything leaves, in whatever order
    }
    for (const std::uint32_t q : active) {
        while (true) {
            InputQueue& queue = ports_[link].queues[q];
            const Time next = queue.next(now);
            if (next == Time::max()) {
                break;
            }
            queue.ending(ending);
            const bool through = queue.pop(now);
            if (through && !ending.empty()) {
                queue.end_message();
            }
            for (const std::uint32_t number : ending) {
                if (!stages_[number].ended) {
                    continue;
                }
                const bool early = now < stages_[number].ends.last;
                const Time lead = lead_of(ports_[link], q, number);
                if (!stages_[number].gone && !early &&
                    (through || next - std::min(next, lead) <= now)) {
                    leave(number, stages_[number].shared);
                }
                if (through && early) {
                    ports_[link].closing.push_back(number);
                } else if (through) {
                    retire(number);
                }
            }
            if (!through) {
                break;
            }
            ports_[link].ahead[q] = Time();
            ports_[link].last_begins[q] = Time::max();
        }
    }
}

void FluidNetwork::take_turns(std::uint32_t link) {
    const Time now = queue_.now();
    for (std::size_t r = 0; r < ports_[link].rings.size(); ++r) {
        const Port& port = ports_[link];
        if (!port.rings[r].serving()) {
            continue;
        }
        const std::uint32_t served = port.rings[r].served();
        const Time due = done_at(now, port.rings[r].to_next(), port.ring_shares[r]);
        if (port.rings[r].ends() && !stages_[served].gone &&
            due - std::min(due, port.ring_ahead[r]) <= now) {
            leave(served, 0);
        }
        if (due <= now && ports_[link].rings[r].finish() != none) {
            retire(served);
        }
    }
}

void FluidNetwork::begin(std::uint32_t number) {
    Flow& flow = flows_[stages_[number].flow];
    flow.started = std::min(flow.started, queue_.now());
}

Tail FluidNetwork::tail_at_next(const Stage& from, const Stage& to, Tail left) {
    const PathHop& here = *from.hop;
    const PathHop& there = *to.hop;
    const bool cut_through = description_.packet.switching == topology::Switching::CutThrough;
    const auto ready = [&](Time end, Time on_link, Time on_next) {
        const Time latency = latency_at(here, end);
        if (!cut_through) {
            return later(end, latency);
        }
        const Time before = std::min(at_speed(here.link, on_link), end);
        const Time after = at_speed(there.link, on_next);
        const Time header = at_speed(here.link, here.header);
        const Time slower = before > after ? before - after : Time();
        return later(end - before, later(latency, std::max(std::min(header, before), slower)));
    };
    Tail next;
    if (paths_[flows_[from.flow].path].packets > 1) {
        next.full = speeds_.end(there.link, ready(left.full, here.full, there.full), there.full);
    }
    next.last = speeds_.end(
        there.link, std::max(next.full, ready(left.last, here.last, there.last)), there.last);
    return next;
}

void FluidNetwork::retire(std::uint32_t number) {
    Stage& stage = stages_[number];
    if (stage.input != none) {
        --ports_[stage.hop->link].stages;
    }
    stage.live = false;
    const std::uint32_t flow = stage.flow;
    if (--flows_[flow].users == 0) {
        give_back(flow);
    }
}

void FluidNetwork::leave(std::uint32_t number, std::size_t shared) {
    const Stage& stage = stages_[number];
    const bool at_source = stage.input == none;
    const std::uint32_t flow = stage.flow;
    tell_end(number, left_at(stage, at_source ? no_limit : stage.out, queue_.now()), shared);
    if (at_source) {
        leave_source(flows_[flow]);
    }
}

}  // namespace npunet::analytical
