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
    if (port.given > 0 && load_ != nullptr) {
        load_->add(link, port.updated.ps(), now.ps(),
                   static_cast<std::int64_t>(work_in(port.given, span) >> share_bits));
    }
    port.updated = now;
    for (std::size_t r = 0; r < port.rings.size(); ++r) {
        port.rings[r].advance(work_in(port.ring_shares[r], span));
    }
    for (InputQueue& queue : port.queues) {
        queue.advance(span);
    }
}

void FluidNetwork::touch(std::uint32_t link) {
    Port& port = ports_[link];
    advance(port, link);
    if (!port.due) {
        port.due = true;
        schedule(queue_.now(), sharing, link, link);
    }
}

std::uint32_t FluidNetwork::queue_of(const Stage& stage) {
    Port& port = ports_[stage.link];
    const auto place =
        std::find_if(port.queues.begin(), port.queues.end(),
                     [&](const InputQueue& queue) { return queue.buffer() == stage.input; });
    const auto number = static_cast<std::uint32_t>(place - port.queues.begin());
    if (place == port.queues.end()) {
        port.queues.emplace_back(stage.input);
        port.ahead.emplace_back();
        port.growths.push_back(0);
        buffers_[stage.input].queues.push_back({stage.link, number});
    }
    return number;
}

void FluidNetwork::receive(const News& entry) {
    Stage& stage = stages_[entry.stage];
    if (stage.use != entry.use || stage.gone || stage.ended) {
        return;
    }
    touch(stage.link);
    Port& port = ports_[stage.link];
    if (entry.tail) {
        stage.ends = entry.ends;
        InputQueue& queue = port.queues[queue_of(stage)];
        stage.ended = queue.waiting() && queue.end_in(entry.stage, work_of(stage.total));
        if (!stage.ended) {
            port.closing.push_back(entry.stage);
        }
        return;
    }
    port.queues[queue_of(stage)].set_in(entry.stage, entry.rate);
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
                          number, work_of(stages_[number].total))) {
            leave(number);
            retire(number);
        }
    }
}

void FluidNetwork::end_queued(std::uint32_t link) {
    const Time now = queue_.now();
    std::vector<std::uint32_t> ending;
    for (std::size_t q = 0; q < ports_[link].queues.size(); ++q) {
        while (true) {
            InputQueue& queue = ports_[link].queues[q];
            const Time next = queue.next(now);
            if (next == Time::max() || next - std::min(next, ports_[link].ahead[q]) > now) {
                break;
            }
            queue.ending(ending);
            const bool through = ports_[link].queues[q].pop(now);
            for (const std::uint32_t number : ending) {
                if (!stages_[number].ended) {
                    continue;
                }
                const bool early = now < stages_[number].ends.last;
                if (!stages_[number].gone && !early) {
                    leave(number);
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
        }
    }
}

void FluidNetwork::take_turns(std::uint32_t link) {
    const Time now = queue_.now();
    for (std::size_t r = 0; r < ports_[link].rings.size(); ++r) {
        SourceRing& ring = ports_[link].rings[r];
        if (!ring.serving() || done_at(now, ring.to_next(), ports_[link].ring_shares[r]) > now) {
            continue;
        }
        const std::uint32_t ended = ring.finish();
        if (ended != none) {
            leave(ended);
            retire(ended);
        }
    }
}

void FluidNetwork::begin(std::uint32_t number) {
    Flow& flow = flows_[stages_[number].flow];
    flow.started = std::min(flow.started, queue_.now());
}

Tail FluidNetwork::tail_at_next(const Stage& from, const Stage& to, Tail left) const {
    const bool cut_through = description_.packet.switching == topology::Switching::CutThrough;
    const auto ready = [&](Time end, Time here, Time there) {
        if (!cut_through) {
            return later(end, from.latency);
        }
        const Time header = from.shift - from.latency;
        const Time slower = here > there ? here - there : Time();
        return later(end - here, later(from.latency, std::max(std::min(header, here), slower)));
    };
    Tail next;
    next.full = flows_[from.flow].packets > 1 ? later(ready(left.full, from.full, to.full), to.full)
                                              : Time();
    next.last = later(std::max(next.full, ready(left.last, from.last, to.last)), to.last);
    return next;
}

void FluidNetwork::retire(std::uint32_t number) {
    const std::uint32_t flow = stages_[number].flow;
    if (--flows_[flow].users == 0) {
        give_back(flow);
    }
}

void FluidNetwork::leave(std::uint32_t number) {
    const Time now = queue_.now();
    stages_[number].gone = true;
    const Stage stage = stages_[number];
    Flow& flow = flows_[stage.flow];
    add_use(flow, stage);
    if (stage.is_last) {
        schedule(later(now, stage.latency), delivery, flow.message.id.value(), stage.flow,
                 flow.whole == none ? 0 : stage.link);
    } else {
        Tail left{Time(), now};
        if (flow.packets > 1) {
            const Share share = stage.input == none ? whole_link : stage.out;
            const Time last = share > 0 ? done_at(Time(), work_of(stage.last), share) : stage.last;
            left.full = now - std::min(now, std::max(last, stage.last));
            if (stage.ends.full > left.full && stage.ends.full <= now) {
                left.full = stage.ends.full;
            }
        }
        News entry;
        entry.stage = number + 1;
        entry.use = stages_[number + 1].use;
        entry.tail = true;
        entry.ends = tail_at_next(stage, stages_[number + 1], left);
        post(stage.link, later(now, stage.latency), {entry}, true);
    }
    if (stage.input == none) {
        leave_source(flow);
    }
}

void FluidNetwork::add_use(const Flow& flow, const Stage& stage) {
    engine::LinkUse& use = use_[stage.link];
    const PacketCount count(flow.bytes, description_.packet);
    use.payload += flow.bytes;
    use.wire += (count.packets - 1) * count.full + count.last;
    use.packets += static_cast<std::uint64_t>(count.packets);
    use.busy = later(use.busy, stage.total);
}

}  // namespace npunet::analytical
