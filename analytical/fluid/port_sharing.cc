// How links share their time between messages, and what they tell the next ones.

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

using engine::later;

namespace {

/// Changes up to this part of a rate, 2^-7, are not told: what they amount to is made good when the
/// end of the message arrives.
constexpr int untold_rate_bits = 7;

}  // namespace

bool FluidNetwork::waits_behind(std::uint32_t number) const {
    const Stage& stage = stages_[number];
    if (stage.is_last) {
        return false;
    }
    const Stage& next = stages_[number + 1];
    const Port& port = ports_[next.hop->link];
    return port.live && std::any_of(port.active.begin(), port.active.end(), [&](std::uint32_t q) {
               return port.keys[q] == next.hop->queue && port.queues[q].waiting();
           });
}

bool FluidNetwork::keep_budget(std::uint32_t link, std::uint32_t buffer) {
    const Port& port = ports_[link];
    const Share budget = budgets_[buffer];
    std::vector<Claim> some;
    std::vector<std::size_t> places;
    std::vector<Share> behind;  // of a claim: how much of it waits behind the link, times 2^20
    constexpr int bits = 20;
    const std::size_t queues = claims_.size() - port.rings.size();
    for (std::size_t q = 0; q < queues; ++q) {
        port.queues[port.active[q]].leaving(parts_);
        Share sum = 0;
        Share waits = 0;
        for (const InputQueue::Part& part : parts_) {
            if (stages_[part.stage].hop->behind == buffer) {
                const Share share = std::max<Share>(part.share, 1);
                sum += share;
                waits += waits_behind(part.stage) ? share : 0;
            }
        }
        if (sum > 0) {
            some.push_back(claims_[q]);
            places.push_back(q);
            behind.push_back(static_cast<Share>((static_cast<Work>(waits) << bits) / sum));
        }
    }
    for (std::size_t r = 0; r < port.rings.size(); ++r) {
        const SourceRing& ring = port.rings[r];
        if (ring.buffer() == buffer && ring.busy()) {
            Share waits = 0;
            for (std::size_t i = 0; i < ring.size(); ++i) {
                waits += waits_behind(ring.stage(i)) ? 1 : 0;
            }
            some.push_back(claims_[queues + r]);
            places.push_back(queues + r);
            behind.push_back((waits << bits) / std::max<Share>(static_cast<Share>(ring.size()), 1));
        }
    }
    const auto sums = [&] {
        std::pair<Share, Share> result{0, 0};
        for (std::size_t i = 0; i < some.size(); ++i) {
            result.first += some[i].share;
            result.second +=
                static_cast<Share>((static_cast<Work>(some[i].share) * behind[i]) >> bits);
        }
        return result;
    };
    auto [all, waits] = sums();
    if (waits <= budget) {
        return false;
    }
    for (int round = 0; round < 8 && waits > budget; ++round) {
        sharer_.share(some, static_cast<Share>(static_cast<Work>(all) * budget / waits));
        std::tie(all, waits) = sums();
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
        claims_[places[i]].demand = claims_[places[i]].share = some[i].share;
    }
    return true;
}

void FluidNetwork::share_out() {
    std::swap(sharing_, touched_);
    std::sort(sharing_.begin(), sharing_.end());
    claims_of_.resize(std::max(claims_of_.size(), sharing_.size()));
    for (const std::uint32_t link : sharing_) {
        prepare(link);
    }
    for (std::size_t i = 0; i < sharing_.size(); ++i) {
        claim(sharing_[i]);
        std::swap(claims_, claims_of_[i]);
    }
    for (std::size_t i = 0; i < sharing_.size(); ++i) {
        std::swap(claims_, claims_of_[i]);
        give(sharing_[i]);
        std::swap(claims_, claims_of_[i]);
    }
    for (const std::uint32_t link : sharing_) {
        fall_quiet(link);
    }
    sharing_.clear();
    std::sort(changed_buffers_.begin(), changed_buffers_.end());
    changed_buffers_.erase(std::unique(changed_buffers_.begin(), changed_buffers_.end()),
                           changed_buffers_.end());
    for (const std::uint32_t buffer : changed_buffers_) {
        check_buffer(buffer);
    }
    changed_buffers_.clear();
}

void FluidNetwork::prepare(std::uint32_t link) {
    start_all(link);
    if (!ports_[link].live && ports_[link].starting()) {
        pass(ports_[link], link);
        if (ports_[link].forecast.present() > 0) {
            wake(link);
        } else if (!ports_[link].forecast.idle()) {
            watch(link);
        }
    }
    Port& port = ports_[link];
    advance(port, link);
    port.due = false;
    if (port.live) {
        for (const std::uint32_t q : port.active) {
            port.queues[q].settle();
        }
    }
    for (SourceRing& ring : port.rings) {
        if (ring.busy() && !ring.serving()) {
            const std::uint32_t begun = ring.start();
            if (begun != none) {
                begin(begun);
            }
        }
    }
}

void FluidNetwork::claim(std::uint32_t link) {
    Port& port = ports_[link];
    claims_.clear();
    if (port.live) {
        for (const std::uint32_t q : port.active) {
            claims_.push_back({q, port.queues[q].demand(), 0, port.classes[q]});
        }
    }
    for (std::size_t r = 0; r < port.rings.size(); ++r) {
        const SourceRing& ring = port.rings[r];
        claims_.push_back({static_cast<std::uint32_t>(port.queues.size() + r),
                           ring.busy() ? no_limit : 0, 0, class_of_buffer(ring.buffer())});
    }
    if (claims_.empty()) {
        (void)capacity(port);  // what acknowledgements take is up to date
        return;
    }
    const Share most = capacity(port);
    class_sharer_.share(claims_, most);
    bool limited = false;
    bool held = false;
    for (std::uint32_t c = 0; c < channels_; ++c) {
        if (budgets_[link * channels_ + c] != no_limit) {
            held = keep_budget(link, link * channels_ + c) || held;
            limited = true;
        }
    }
    held_.set(port.held, held, queue_.now());
    if (limited && channels_ > 1) {
        class_sharer_.share(claims_, most);
    }
}

void FluidNetwork::give(std::uint32_t link) {
    Port& port = ports_[link];
    port.given = 0;
    if (port.live) {
        share_queues(port);
    }
    share_rings(port);
    if (port.live) {
        measure_turns(port);
    }
    plan_next(link);
    if ((port.live || port.starting()) && port.answers.next() < port.news) {
        port.news = port.answers.next();
        schedule(port.news, Happening::news, link, link);
    }
}

void FluidNetwork::fall_quiet(std::uint32_t link) {
    Port& port = ports_[link];
    if (port.live && port.stages == 0 &&
        std::none_of(port.active.begin(), port.active.end(),
                     [&](std::uint32_t q) { return port.queues[q].waiting(); })) {
        port.live = false;
        port.passed = queue_.now();
        (void)port.forecast.take();
    }
}

void FluidNetwork::share_queues(Port& port) {
    const Time now = queue_.now();
    const bool tells = port.tells <= now;
    bool told = false;
    port.untold = false;
    for (std::size_t i = 0; i < port.active.size(); ++i) {
        const std::uint32_t q = port.active[i];
        InputQueue& queue = port.queues[q];
        const Share share = claims_[i].share;
        port.given += share;
        queue.serve(share);
        if (queue.waiting()) {
            queue_closing(port, queue);
        }
        queue.leaving(parts_);
        for (const InputQueue::Part& part : parts_) {
            Stage& stage = stages_[part.stage];
            if (tells || stage.announced == 0) {
                told = announce(part.stage, part.share) || told;
            } else {
                stage.out = part.share;
                port.untold = port.untold || is_news(stage);
            }
        }
    }
    measure_feeds(port);
    std::erase_if(port.active, [&](std::uint32_t q) { return port.queues[q].idle(); });
    if (port.leads_to_npu) {
        crowded_.set(port.crowded, is_incast(port), now);
    }
    if (port.marks_begin > 0) {
        port.backlog = backlog(port);
    }
    if (told) {
        port.tells = later(now, port.full);
    }
}

bool FluidNetwork::is_incast(const Port& port) const {
    Work in = 0;
    bool waits = false;
    for (const std::uint32_t q : port.active) {
        in += port.queues[q].in();
        waits = waits || port.queues[q].waiting();
    }
    if (port.crowded && waits) {
        return true;
    }
    if (in <= port.speed + (port.speed >> told_rate_bits)) {
        return false;
    }
    // All end at one NPU; where a link stands for several, at as many, from one that does so.
    std::pair<NodeId, NodeId> first;
    for (const std::uint32_t q : port.active) {
        for (const InputQueue::Part& part : port.queues[q].arriving()) {
            const Stage& stage = stages_[part.stage];
            if (stage.is_last) {
                const engine::Message& message = flows_[stage.flow].message;
                const std::pair pair(message.source, message.destination);
                if (first.first.valid() && first != pair) {
                    return true;
                }
                first = pair;
            }
        }
    }
    return false;
}

void FluidNetwork::queue_closing(Port& port, InputQueue& queue) {
    std::vector<std::uint32_t> wholes;
    std::erase_if(port.closing, [&](std::uint32_t number) {
        Stage& stage = stages_[number];
        if (stage.ended || &port.queues[queue_of(stage)] != &queue ||
            paths_[flows_[stage.flow].path].packets > 1) {
            return false;
        }
        stage.ended = queue.end_in(number, work_of(stage.hop->total));
        if (stage.ended) {
            wholes.push_back(number);
        }
        return stage.ended;
    });
    order_wholes(wholes);
}

void FluidNetwork::measure_feeds(Port& port) {
    for (const std::uint32_t q : port.active) {
        for (std::uint32_t f = port.first_feed[q]; f != none; f = port.feeds[f].next) {
            port.feeds[f].in = port.feeds[f].out = 0;
        }
        const InputQueue& queue = port.queues[q];
        const auto add = [&](const std::vector<InputQueue::Part>& parts, Share Feed::*sum) {
            for (const InputQueue::Part& part : parts) {
                std::uint32_t feed = port.first_feed[q];
                while (port.feeds[feed].buffer != stages_[part.stage].input) {
                    feed = port.feeds[feed].next;
                }
                Share& total = port.feeds[feed].*sum;
                total = capped_share(static_cast<Work>(total) + part.share);
            }
        };
        if (queue.waiting()) {
            queue.leaving(parts_);
            add(queue.arriving(), &Feed::in);
            add(parts_, &Feed::out);
        }
        for (std::uint32_t f = port.first_feed[q]; f != none; f = port.feeds[f].next) {
            tell_buffer(port, port.feeds[f], queue.waiting());
        }
    }
}

void FluidNetwork::tell_buffer(const Port& port, Feed& feed, bool waiting) {
    const Time full = ports_[feed.buffer / channels_].full;
    const Share growth =
        converted(capped_share(static_cast<Work>(feed.in) - feed.out), port.full, full);
    const Share leaving = converted(feed.out, port.full, full);
    if (waiting || feed.waiting) {
        changed_buffers_.push_back(feed.buffer);
    }
    if (growth == feed.growth && leaving == feed.leaving && waiting == feed.waiting) {
        return;
    }
    Buffer& buffer = buffers_[feed.buffer];
    buffer.advance(queue_.now());
    buffer.growth += growth - feed.growth;
    buffer.leaving += leaving - feed.leaving;
    buffer.waiting += waiting ? 1 : 0;
    buffer.waiting -= feed.waiting ? 1 : 0;
    feed.growth = growth;
    feed.leaving = leaving;
    feed.waiting = waiting;
}

void FluidNetwork::share_rings(Port& port) {
    const std::size_t queues = claims_.size() - port.rings.size();
    for (std::size_t r = 0; r < port.rings.size(); ++r) {
        const Share share = port.ring_shares[r] = claims_[queues + r].share;
        port.given += share;
        const SourceRing& ring = port.rings[r];
        if (!ring.busy()) {
            continue;
        }
        // A message has its part of the turns until its last packet has left.
        const Share even = share / static_cast<Share>(ring.size() + (ring.ends() ? 1 : 0));
        for (std::size_t i = 0; i < ring.size(); ++i) {
            // The end of what is in its last round comes before another rate would matter.
            if (ring.begun(i) && (ring.packets(i) > 1 || stages_[ring.stage(i)].announced == 0)) {
                announce(ring.stage(i), even);
            }
        }
        if (ring.ends() && stages_[ring.served()].announced == 0) {
            // One packet is there as a whole.
            const bool whole = paths_[flows_[stages_[ring.served()].flow].path].packets == 1;
            announce(ring.served(), whole ? share : even);
        }
    }
}

void FluidNetwork::plan_next(std::uint32_t link) {
    Port& port = ports_[link];
    const Time now = queue_.now();
    Time next = port.live && port.untold ? port.tells : Time::max();
    if (port.live || port.starting()) {
        next = std::min(next, port.varies);
    }
    for (const std::uint32_t number : port.closing) {
        next = std::min(next, std::max(stages_[number].ends.last, now));
    }
    std::vector<std::uint32_t> ending;
    for (const std::uint32_t q : port.active) {
        const Time due = port.queues[q].next(now);
        if (due == Time::max()) {
            continue;
        }
        next = std::min({next, due, port.last_begins[q]});
        const std::vector<InputQueue::Part>& first = port.queues[q].first();
        if (std::none_of(first.begin(), first.end(), [&](const InputQueue::Part& part) {
                const Stage& stage = stages_[part.stage];
                return stage.ended && !stage.gone && (stage.lead > 0 || port.ahead[q] > Time());
            })) {
            continue;
        }
        port.queues[q].ending(ending);
        for (const std::uint32_t number : ending) {
            if (stages_[number].ended && !stages_[number].gone) {
                const Time early = std::max(now, due - std::min(due, lead_of(port, q, number)));
                next = std::min(next, std::min(due, std::max(early, stages_[number].ends.last)));
            }
        }
    }
    for (std::size_t r = 0; r < port.rings.size(); ++r) {
        if (port.rings[r].serving()) {
            const Time end = done_at(now, port.rings[r].to_next(), port.ring_shares[r]);
            next = std::min(next, end);
            if (port.rings[r].ends() && !stages_[port.rings[r].served()].gone) {
                next = std::min(next, std::max(now, end - std::min(end, port.ring_ahead[r])));
            }
        }
    }
    if (next != port.next) {
        port.next = next;
        if (next != Time::max()) {
            schedule(next, Happening::due, link, link);
        }
    }
}

bool FluidNetwork::is_news(const Stage& stage) {
    return !stage.is_last && !stage.gone && differs(stage.out, stage.announced, untold_rate_bits);
}

bool FluidNetwork::announce(std::uint32_t number, Share out) {
    Stage& stage = stages_[number];
    stage.out = out;
    if (stage.is_last && !stage.gone) {
        tell_answers(stage, out, queue_.now());
    }
    if (!is_news(stage)) {
        return false;
    }
    stage.announced = out;
    tell(number, out);
    return true;
}

}  // namespace npunet::analytical
