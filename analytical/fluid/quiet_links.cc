// Links that pass on what comes in, without being simulated, and how they become live.

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"
#include "engine/network/link_load.h"

namespace npunet::analytical {

using engine::later;
using Change = Forecast::Change;

namespace {

/// A forecast with fewer changes is not looked through for those that are of no use any more.
constexpr std::size_t few_changes = 32;

}  // namespace

void FluidNetwork::tell(std::uint32_t number, Share rate) {
    Time at = queue_.now();
    const Time total = stages_[number].hop->total;
    for (std::uint32_t n = number; !stages_[n].is_last; ++n) {
        at = later(at, shift_at(*stages_[n].hop, at));
        Stage& next = stages_[n + 1];
        if (speeds_.varied(stages_[n].hop->link)) {
            // Nothing arrives before what left before it.
            at = std::max(at, ports_[next.hop->link].forecast.latest(n + 1));
        }
        const Share there = converted(rate, total, next.hop->total);
        const Share before = std::exchange(next.told, there);
        expect(n + 1, {at, n + 1, next.use, there, next.times(there - before), false});
        if (stages_[n + 1].live) {
            return;
        }
        if (next.is_last) {
            tell_answers(stages_[n + 1], there, at);
        }
    }
}

void FluidNetwork::tell_end(std::uint32_t number, Tail left, std::size_t shared) {
    stages_[number].ends.last = left.last;
    // The packet of another message before the last one, on the hops that they share.
    Time other = left.last - std::min(left.last, at_speed(stages_[number].hop->link,
                                                          stages_[number].hop->last));
    for (std::uint32_t n = number;; ++n) {
        stages_[n].gone = true;
        const Time arrival = later(left.last, latency_at(*stages_[n].hop, left.last));
        if (stages_[n].is_last) {
            tell_answers(stages_[n], 0, left.last - std::min(left.last, stages_[n].hop->full));
            const std::uint32_t flow = stages_[n].flow;
            flows_[flow].delivery = ++deliveries_ & delivery_mask;
            schedule(arrival, Happening::delivery, flows_[flow].message.id.value(),
                     (flows_[flow].delivery << index_bits) | flow,
                     flows_[flow].whole == none ? 0 : stages_[n].hop->link);
            return;
        }
        Stage& next = stages_[n + 1];
        next.ends = tail_at_next(stages_[n], next, left);
        if (shared > 0) {
            const Tail behind = tail_at_next(stages_[n], next, {other, left.last});
            next.ends.last = std::max(next.ends.last, behind.last);
            other = behind.full;
            --shared;
        }
        const bool live = ports_[next.hop->link].live;
        const Time at = live ? arrival : next.ends.last;
        // Rates that would come after it do not come.
        next.told -= ports_[next.hop->link].forecast.take_back(n + 1, at) / next.times(1);
        const Share rate = std::exchange(next.told, 0);
        left = left_at(next, rate, next.ends.last);
        expect(n + 1, {at, n + 1, next.use, 0, next.times(-rate), true});
        if (stages_[n + 1].live) {
            return;
        }
    }
}

void FluidNetwork::expect(std::uint32_t number, Change change) {
    Stage& stage = stages_[number];
    const std::uint32_t link = stage.hop->link;
    Port& port = ports_[link];
    if (port.live) {
        if (!stage.live) {
            keep_fold(stage);
            stage.live = true;
            ++port.stages;
            ++flows_[stage.flow].users;
        }
        port.forecast.add(change);
        if (change.at < port.news) {
            port.news = change.at;
            schedule(change.at, Happening::news, link, link);
        }
        return;
    }
    pass(port, link);
    if (port.forecast.changes().size() >= few_changes &&
        port.forecast.changes().size() == port.forecast.changes().capacity()) {
        const Time now = queue_.now();
        port.forecast.forget([&](const Change& past) {
            const Stage& its = stages_[past.stage];
            return its.use != past.use || (its.gone && its.ends.last <= now);
        });
    }
    port.forecast.add(change);
    if (change.difference > 0) {
        watch(link, change.at);
    }
}

void FluidNetwork::keep_fold(const Stage& stage) const {
    if (fold_ != nullptr && (stage.hop->copies > 1 || stage.hop->queue == LinkFold::cannot_queue)) {
        throw FoldBroken();
    }
}

void FluidNetwork::pass(Port& port, std::uint32_t link) {
    const Time now = queue_.now();
    Forecast& forecast = port.forecast;
    while (forecast.next() <= now) {
        const Time at = std::max(forecast.next(), port.passed);
        add_busy(port, link, port.passed, at, capped_share(forecast.present()));
        port.passed = at;
        (void)forecast.pass();
    }
}

Work FluidNetwork::room(const Port& port) const {
    return port.budgets > 0 || port.starting() ? 0 : port.speed + (port.speed >> told_rate_bits);
}

void FluidNetwork::watch(std::uint32_t link, Time from) {
    Port& port = ports_[link];
    Time when = port.forecast.exceeds(room(port), keep_speed(port, link) ? Time() : from);
    if (!port.forecast.idle()) {
        when = std::min(when, port.varies);
    }
    if (when < port.news) {
        port.news = std::max(when, queue_.now());
        schedule(port.news, Happening::news, link, link);
    }
}

void FluidNetwork::look_at_forecast(std::uint32_t link) {
    Port& port = ports_[link];
    const Time now = queue_.now();
    if (port.news != now) {
        return;
    }
    port.news = Time::max();
    (void)keep_speed(port, link);
    if (port.answers.next() <= now && (port.live || port.starting())) {
        touch(link);
    }
    if (!port.live) {
        pass(port, link);
        if (port.forecast.present() > room(port)) {
            wake(link);
        } else {
            watch(link);
        }
        return;
    }
    std::vector<Change> changes;
    if (port.forecast.next() <= now) {
        touch(link);
    }
    while (ports_[link].forecast.next() <= now) {
        changes.push_back(ports_[link].forecast.pass());
    }
    ports_[link].forecast.forget_past();
    // What comes at one time, in an order that its content gives.
    std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
        return a.tail != b.tail ? b.tail : comes_before(a.stage, b.stage);
    });
    std::vector<std::uint32_t> ends;
    for (const Change& change : changes) {
        const Stage& stage = stages_[change.stage];
        if (change.tail && stage.use == change.use && !stage.gone && !stage.ended) {
            ends.push_back(change.stage);
        }
    }
    for (const std::uint32_t number : ends) {
        measure_lead(number, active_queue_of(stages_[number]), ends);
    }
    for (const Change& change : changes) {
        receive(change);
    }
    const Time next = ports_[link].forecast.next();
    if (next != Time::max()) {
        ports_[link].news = next;
        schedule(next, Happening::news, link, link);
    }
}

bool FluidNetwork::comes_before(std::uint32_t a, std::uint32_t b) const {
    const auto content = [&](std::uint32_t number) {
        const Stage& stage = stages_[number];
        const Flow& flow = flows_[stage.flow];
        const engine::Message& message = flow.message;
        return std::make_tuple(message.order_major, message.order_minor, message.id.value(),
                               stage.input, flow.packet, number);
    };
    return content(a) < content(b);
}

void FluidNetwork::wake(std::uint32_t link) {
    Port& port = ports_[link];
    pass(port, link);
    advance(port, link);
    port.live = true;
    std::vector<Change> changes = port.forecast.take();
    port.news = Time::max();
    std::erase_if(changes,
                  [&](const Change& change) { return stages_[change.stage].use != change.use; });
    std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
        return comes_before(a.stage, b.stage);
    });
    for (std::size_t begin = 0; begin < changes.size();) {
        std::size_t end = begin + 1;
        while (end < changes.size() && changes[end].stage == changes[begin].stage) {
            ++end;
        }
        wake_stage(changes[begin].stage, changes, begin, end);
        begin = end;
    }
    touch(link);
}

void FluidNetwork::wake_stage(std::uint32_t number, const std::vector<Change>& changes,
                              std::size_t begin, std::size_t end) {
    const Time now = queue_.now();
    const std::uint32_t link = stages_[number].hop->link;
    if (changes[end - 1].tail && changes[end - 1].at <= now) {
        return;
    }
    Stage& stage = stages_[number];
    keep_fold(stage);
    stage.live = true;
    ++ports_[link].stages;
    ++flows_[stage.flow].users;
    Share rate = 0;
    Work before = 0;
    std::size_t i = begin;
    for (; i < end && changes[i].at <= now; ++i) {
        rate = changes[i].rate;
        const Time until = i + 1 < end ? std::min(changes[i + 1].at, now) : now;
        before += work_in(rate, until - changes[i].at);
    }
    stage.out = stage.announced = rate;
    take_back_beyond(number);
    if (i > begin) {
        active_queue_of(stages_[number]).join(number, rate, before);
    }
    for (; i < end; ++i) {
        Change change = changes[i];
        if (change.tail) {
            const Stage& previous = stages_[number - 1];
            const Time left = previous.ends.last;
            change.at = std::max(later(left, latency_at(*previous.hop, left)), now);
        }
        expect(number, change);
    }
}

void FluidNetwork::take_back_beyond(std::uint32_t number) {
    Stage& stage = stages_[number];
    Time after = queue_.now();
    bool gone = std::exchange(stage.gone, false);
    for (std::uint32_t n = number; !stages_[n].is_last; ++n) {
        after = later(after, shift_at(*stages_[n].hop, after));
        Stage& next = stages_[n + 1];
        Forecast& forecast = ports_[next.hop->link].forecast;
        next.told -= forecast.take_back(n + 1, after) / next.times(1);
        if (next.live) {
            return;
        }
        gone = std::exchange(next.gone, false) || gone;
    }
    if (gone) {
        flows_[stage.flow].delivery = 0;
    }
}

Tail FluidNetwork::left_at(const Stage& stage, Share share, Time last) {
    Tail left{Time(), last};
    if (paths_[flows_[stage.flow].path].packets > 1) {
        const Time alone = at_speed(stage.hop->link, stage.hop->last);
        const Time needs = share > 0 && share < ports_[stage.hop->link].speed
                               ? done_at(Time(), work_of(stage.hop->last), share)
                               : alone;
        left.full = std::min(last - std::min(last, needs), stage.last_begins);
        if (stage.ends.full > left.full && stage.ends.full <= last) {
            left.full = stage.ends.full;
        }
    }
    return left;
}

}  // namespace npunet::analytical
