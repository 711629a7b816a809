// What happens when links go down or come back: messages choose their routes again, as packets do.
//
// What waits for a link that will recover stays there. What waits for one that never does, or for
// any with a transport, which does not wait, and what has not come there yet, goes back to the
// source: it takes a new route together with what has not left the source. Packets would take one
// from where they are.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

void FluidNetwork::await_epoch() {
    if (epoch_awaited_) {
        return;
    }
    const std::vector<Time>& begins = epochs_->epochs();
    std::size_t current = epoch_;
    while (current + 1 < begins.size() && begins[current + 1] <= queue_.now()) {
        ++current;
    }
    if (current != epoch_) {
        epoch_ = current;
        epochs_->set_epoch(current);
    }
    if (current + 1 < begins.size()) {
        epoch_awaited_ = true;
        schedule(begins[current + 1], Happening::epoch, 0, 0);
    }
}

void FluidNetwork::begin_epoch() {
    epoch_awaited_ = false;
    epochs_->set_epoch(++epoch_);
    for (const LinkId down : epochs_->down()) {
        const auto link = static_cast<std::uint32_t>(down.value());
        (void)keep_speed(ports_[link], link);
        if (!ports_[link].live && !ports_[link].forecast.idle()) {
            wake(link);
        }
    }
    std::vector<std::uint32_t> flows;
    for (std::uint32_t number = 0; number < most_flows_; ++number) {
        if (flows_[number].users > 0 && !flows_[number].delivered) {
            flows.push_back(number);
        }
    }
    const auto id = [&](std::uint32_t number) { return flows_[number].message.id.value(); };
    std::sort(flows.begin(), flows.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::make_pair(id(a), paths_[flows_[a].path].plane) <
               std::make_pair(id(b), paths_[flows_[b].path].plane);
    });
    for (std::size_t begin = 0; begin < flows.size();) {
        std::size_t end = begin + 1;
        while (end < flows.size() && id(flows[end]) == id(flows[begin])) {
            ++end;
        }
        reroute({flows.begin() + static_cast<std::ptrdiff_t>(begin),
                 flows.begin() + static_cast<std::ptrdiff_t>(end)});
        begin = end;
    }
    if (in_flight_ > 0) {
        await_epoch();
    }
}

void FluidNetwork::reroute(const std::vector<std::uint32_t>& flows) {
    engine::Message message = flows_[flows.front()].message;
    const std::uint32_t route = epochs_->number(message.source, message.destination);
    std::vector<std::uint32_t> changing;
    for (const std::uint32_t number : flows) {
        if (flows_[number].route != route) {
            changing.push_back(number);
        } else {
            refuse_dead_links(flows_[number]);
        }
    }
    if (changing.empty()) {
        return;
    }
    std::uint32_t whole = flows_[changing.front()].whole;
    if (whole == none) {
        Flow& flow = flows_[changing.front()];
        flow.whole = whole = wholes_.take();
        wholes_[whole] = {flow.started, stages_[flow.first_stage].live ? 1U : 0U, 1U, none};
    }
    const bool sent = wholes_[whole].unsent == 0;
    if (sent && !queue_pairs_) {
        message.wants_sent = false;
        for (const std::uint32_t number : flows) {
            flows_[number].message.wants_sent = false;
        }
    }
    // What leaves now is not the last that does.
    ++wholes_[whole].unsent;
    Cut rest;
    const Path path = paths_[flows_[changing.front()].path];
    for (const std::uint32_t number : changing) {
        const std::uint32_t hop = lost_at(flows_[number]);
        const bool at_source = stages_[flows_[number].first_stage].live;
        const Cut cut = hop == none ? withdraw(number) : take_away(number, hop);
        rest.bytes += cut.bytes;
        rest.packets += cut.packets;
        rest.lost += cut.lost;
        rest.unsent += cut.unsent;
        if (cut.packets > 0 && !cut.kept) {
            wholes_[whole].unsent -= at_source ? 1 : 0;
            --wholes_[whole].expected;
            release(number);
        }
    }
    if (rest.packets > 0) {
        send_again(message, rest, path, route, whole);
    }
    --wholes_[whole].unsent;
}

void FluidNetwork::send_again(const engine::Message& message, const Cut& rest, const Path& path,
                              std::uint32_t route, std::uint32_t whole) {
    if (!queue_pairs_ || rest.lost == 0) {
        send_parts(message, rest.bytes, route, whole);
        return;
    }
    const topology::TransportParameters& transport = description_.packet.transport;
    const std::int64_t mtu = description_.packet.mtu.value();
    if (rest.unsent == 0 && !pair_sends_more(message)) {
        // The receiver hears nothing that comes out of order.
        const std::uint32_t number = resent_.take();
        resent_[number] = {message, rest.bytes, whole, none};
        ++wholes_[whole].unsent;
        ++wholes_[whole].expected;
        ++in_flight_;
        schedule(engine::later(queue_.now(), timeout_of(path)), Happening::timeout,
                 message.id.value(), number);
        return;
    }
    // Before it goes back, the source has sent the rest of a window.
    const std::int64_t window = path.window.value() / (mtu + description_.packet.header.value());
    const std::int64_t twice = transport.kind == topology::TransportKind::GoBackN
                                   ? std::clamp<std::int64_t>(window - rest.lost, 0, rest.unsent)
                                   : 0;
    send_parts(message, rest.bytes + Bytes(twice * mtu), route, whole);
}

bool FluidNetwork::pair_sends_more(const engine::Message& message) const {
    for (std::uint32_t number = 0; number < most_flows_; ++number) {
        const Flow& flow = flows_[number];
        if (flow.users > 0 && !flow.delivered && flow.message.source == message.source &&
            flow.message.destination == message.destination &&
            flow.message.id.value() > message.id.value()) {
            return true;
        }
    }
    return false;
}

void FluidNetwork::time_out(std::uint32_t number) {
    const Resent resent = resent_[number];
    resent_.free(number);
    --in_flight_;
    send_parts(resent.message, resent.bytes, route_number(resent.message), resent.whole);
    --wholes_[resent.whole].unsent;
    --wholes_[resent.whole].expected;
}

std::uint32_t FluidNetwork::lost_at(const Flow& flow) const {
    const auto hops = static_cast<std::uint32_t>(paths_[flow.path].hops.size());
    for (std::uint32_t h = 0; h < hops; ++h) {
        const Stage& stage = stages_[flow.first_stage + h];
        const LinkId link(static_cast<std::int32_t>(stage.hop->link));
        if (stage.gone || !epochs_->is_down(link)) {
            continue;
        }
        const bool goes = queue_pairs_ ? !waits_for(flow, stage.hop->link) : h > 0 && !stage.ended;
        if (goes || epochs_->is_dead(link)) {
            return h;
        }
    }
    return none;
}

bool FluidNetwork::waits_for(const Flow& flow, std::uint32_t link) const {
    // With nothing more to send the sender waits for its timeout.
    const Time up = speeds_.at(link, queue_.now()).until;
    return !stages_[flow.first_stage].live && !pair_sends_more(flow.message) &&
           up - queue_.now() < timeout_of(paths_[flow.path]);
}

Time FluidNetwork::timeout_of(const Path& path) const {
    const Time given = description_.packet.transport.rto;
    return given > Time() ? given : std::max(Time::ns(500'000), 8 * path.round_trip);
}

void FluidNetwork::refuse_dead_links(const Flow& flow) const {
    const Path& path = paths_[flow.path];
    for (std::uint32_t h = 0; h < path.hops.size(); ++h) {
        const LinkId link(static_cast<std::int32_t>(path.hops[h].link));
        if (!stages_[flow.first_stage + h].gone && epochs_->is_dead(link)) {
            const Time start = flow.started == Time::max() ? queue_.now() : flow.started;
            epochs_->refuse(link, queue_.now(), flow.message.bytes, start);
        }
    }
}

SourceRing& FluidNetwork::ring_of(const Stage& stage) {
    std::vector<SourceRing>& rings = ports_[stage.hop->link].rings;
    return *std::find_if(rings.begin(), rings.end(), [&](const SourceRing& ring) {
        return ring.buffer() == stage.hop->behind;
    });
}

FluidNetwork::Cut FluidNetwork::withdraw(std::uint32_t number) {
    const std::uint32_t first = flows_[number].first_stage;
    if (!stages_[first].live) {
        return {Bytes(), 0, true};
    }
    touch(stages_[first].hop->link);
    Port& port = ports_[stages_[first].hop->link];
    SourceRing& ring = ring_of(stages_[first]);
    const auto place = static_cast<std::size_t>(&ring - port.rings.data());
    const SourceRing::Withdrawn rest = ring.withdraw(first, port.ring_shares[place] / 2);
    if (rest.packets == 0) {
        return {Bytes(), 0, true};
    }
    const Cut cut = shorten(number, paths_[flows_[number].path].paced - rest.packets);
    if (!cut.kept) {
        retire(first);
    } else if (!rest.on_link) {
        leave(first, 0);
        retire(first);
    }
    return cut;
}

FluidNetwork::Cut FluidNetwork::take_away(std::uint32_t number, std::uint32_t hop) {
    const std::uint32_t first = flows_[number].first_stage;
    const std::uint32_t stage = first + hop;
    const bool at_source = stages_[first].live;
    const bool dead = epochs_->is_dead(LinkId(static_cast<std::int32_t>(stages_[stage].hop->link)));
    std::int64_t sent = paths_[flows_[number].path].paced;  // packets
    Cut rest;
    if (at_source) {
        touch(stages_[first].hop->link);
        Port& port = ports_[stages_[first].hop->link];
        SourceRing& ring = ring_of(stages_[first]);
        const auto place = static_cast<std::size_t>(&ring - port.rings.data());
        const SourceRing::Withdrawn left = ring.withdraw(first, port.ring_shares[place] / 2);
        rest.unsent = left.packets;
        sent -= left.packets + (left.on_link ? 1 : 0);
        rest.lost = hop == 0 && left.on_link && !dead ? 1 : 0;
        if (left.on_link) {
            ring.cancel_packet();
        }
    }
    Passed passed{sent, false};
    if (hop > 0) {
        passed = passed_by(stage, sent, !dead && !queue_pairs_);
        for (std::uint32_t h = 1; h < hop; ++h) {
            (void)cancel(first + h);
        }
    }
    const Cut cut = shorten(number, passed.packets);
    rest.bytes = cut.bytes;
    rest.packets = cut.packets;
    rest.kept = cut.kept;
    if (!cut.kept) {
        const auto hops = static_cast<std::uint32_t>(paths_[flows_[number].path].hops.size());
        for (std::uint32_t h = std::max(hop, 1U); h < hops; ++h) {
            rest.lost += cancel(first + h);
        }
        tell_answers(stages_[first + hops - 1], 0, queue_.now());
    } else if (!passed.waits || !stand(stage)) {
        rest.lost += hop > 0 ? cancel(stage) : 0;
        const Share share = hop == 0 ? no_limit : stages_[stage].out;
        tell_end(stage, left_at(stages_[stage], share, queue_.now()));
    }
    if (at_source) {
        if (cut.kept) {
            leave_source(flows_[number]);
        }
        retire(first);
    }
    return rest;
}

FluidNetwork::Passed FluidNetwork::passed_by(std::uint32_t number, std::int64_t most, bool waits) {
    const Stage& stage = stages_[number];
    if (!stage.live) {
        return {0, false};
    }
    touch(stage.hop->link);
    const InputQueue& queue = ports_[stage.hop->link].queues[queue_of(stage)];
    const InputQueue::Progress progress =
        queue.progress(number, stage.ended, work_of(stage.hop->total));
    const Work full = work_of(stage.hop->full);
    const Work part = progress.left % full;
    Passed passed;
    passed.packets = static_cast<std::int64_t>(progress.left / full);
    if (waits) {
        // A packet that has begun is on the link for as much of the time between two packets as the
        // message has of the link.
        passed.packets += (part > 0 ? 1 : 0) + static_cast<std::int64_t>(progress.waits / full);
        passed.waits =
            progress.waits >= full || (part > 0 && part / stage.hop->full.ps() < stage.out);
    }
    passed.packets = std::min(passed.packets, most);
    return passed;
}

bool FluidNetwork::stand(std::uint32_t number) {
    Stage& stage = stages_[number];
    Port& port = ports_[stage.hop->link];
    stage.told -= port.forecast.take_back(number, Time::ps(-1)) / stage.times(1);
    InputQueue& queue = port.queues[queue_of(stage)];
    queue.serve(0);
    std::erase(port.closing, number);
    stage.ended = queue.end_in(number, work_of(stage.hop->total));
    stage.ends.last = queue_.now();
    return stage.ended;
}

FluidNetwork::Cut FluidNetwork::shorten(std::uint32_t number, std::int64_t paced) {
    const Path path = paths_[flows_[number].path];
    const std::int64_t packets =
        std::clamp<std::int64_t>(capped_product(paced, path.packets) / path.paced, 0, path.packets);
    const Bytes bytes = std::min(packets * description_.packet.mtu, path.bytes);
    const Cut cut{path.bytes - bytes, path.packets - packets, packets > 0};
    if (cut.kept && cut.packets > 0) {
        Flow& flow = flows_[number];
        const std::uint32_t shorter =
            paths_.take(routes_[flow.route], path.plane, bytes, path.traffic_class);
        paths_.let_go(flow.path);
        flow.path = shorter;
        for (std::uint32_t h = 0; h < path.hops.size(); ++h) {
            stages_[flow.first_stage + h].hop = &paths_[shorter].hops[h];
        }
    }
    return cut;
}

std::int64_t FluidNetwork::cancel(std::uint32_t number) {
    const std::uint32_t link = stages_[number].hop->link;
    if (!ports_[link].live) {
        pass(ports_[link], link);
    }
    Stage& stage = stages_[number];
    Port& port = ports_[link];
    stage.told -= port.forecast.take_back(number, Time::ps(-1)) / stage.times(1);
    Work waits = 0;
    if (stage.live) {
        touch(link);
        InputQueue& queue = port.queues[queue_of(stage)];
        waits = queue.progress(number, stage.ended, work_of(stage.hop->total)).waits;
        queue.remove(number);
        Buffer& buffer = buffers_[stage.input];
        buffer.advance(queue_.now());
        const Time before = ports_[stage.input / channels_].full;
        buffer.filled -= std::min(buffer.filled, waits / port.full.ps() * before.ps());
        std::erase(port.closing, number);
        retire(number);
    } else if (stage.told != 0) {
        port.forecast.add({queue_.now(), number, stage.use, 0, stage.times(-stage.told), true});
        pass(port, link);
    }
    stage.told = 0;
    stage.gone = stage.ended = true;
    return static_cast<std::int64_t>(waits / work_of(stage.hop->full));
}

void FluidNetwork::release(std::uint32_t number) {
    const Flow& flow = flows_[number];
    const std::size_t hops = paths_[flow.path].hops.size();
    if (free_stages_.size() <= hops) {
        free_stages_.resize(hops + 1);
    }
    free_stages_[hops].push_back(flow.first_stage);
    paths_.let_go(flow.path);
    --in_flight_;
    flows_[number].users = 0;
    flows_.free(number);
}

}  // namespace npunet::analytical
