#include "packet/ethernet/lookahead.h"

#include "packet/base/lookahead_windows.h"

#include "base/quantities.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace npunet::packet {

using engine::EventKey;
using engine::EventQueue;
using engine::Phase;

namespace {

/// Links to and from a node, those included that carry nothing.
constexpr std::size_t most_slots = NodeEvents::most_places;
/// Nodes, which are scanned in blocks for every window.
constexpr std::size_t most_nodes = 16384;
/// Deliveries and decisions after which a window ends early: with those of the node in progress and
/// of the interval of the queue's watch, they stay below most_between_questions.
constexpr std::uint64_t most_at_once = EventQueue::most_between_questions / 4;

constexpr EventKey delivery = EventKey::of(Phase::Arrival, engine::event_kind::packet_in, 0);
constexpr EventKey decision = EventKey::of(Phase::Arbitration, engine::event_kind::port, 0);

/// Nodes are advanced, for the lifetime of this, which an exception may end.
class Driven {
public:
    Driven(EthernetNetworkState& state, EthernetFastForward& fast_forward)
        : state_(state), fast_forward_(fast_forward) {
        state_.schedule.set_driven(true);
    }

    ~Driven() {
        fast_forward_.set_samples(true);
        state_.clock.back();
        state_.schedule.isolate(false);
        state_.schedule.set_driven(false);
    }

    Driven(const Driven&) = delete;
    Driven& operator=(const Driven&) = delete;

private:
    EthernetNetworkState& state_;
    EthernetFastForward& fast_forward_;
};

}  // namespace

std::int64_t EthernetLookahead::longest_window(bool wanted, const EthernetLinks& links) const {
    const topology::Graph& graph = description_.graph;
    const topology::TransportParameters& transport = description_.packet.transport;
    // Packets of a queue pair keep their order, and none ends a message unless it is acknowledged;
    // receivers that give credit do so at times of their own.
    const bool possible = transport.kind != topology::TransportKind::None &&
                          description_.multipath == nullptr && links.are_regular() &&
                          description_.packet.congestion_control.algorithm !=
                              topology::CongestionAlgorithm::ReceiverCredit &&
                          queue_.order() == EventQueue::Order::Content;
    if (!wanted || !possible || graph.nodes() > most_nodes) {
        return 0;
    }
    // Far from overflows (NodeEvents).
    std::int64_t longest = std::int64_t{1} << 50;
    if (transport.rto > Time()) {
        longest = std::min(longest, transport.rto.ps());
    }
    for (const LinkId link : graph.shown_links()) {
        longest = std::min(longest, graph.link(link).latency.ps());
    }
    std::vector<std::size_t> slots(graph.nodes());
    for (std::size_t link = 0; link < graph.links(); ++link) {
        ++slots[graph.link(LinkId(link)).to.index()];
        ++slots[graph.link(LinkId(link)).from.index()];
    }
    const std::size_t most_of_a_node = *std::max_element(slots.begin(), slots.end());
    if (most_of_a_node > most_slots) {
        return 0;
    }
    // A node completes a window that it has begun, so the length limits what it does.
    std::int64_t shortest = never;
    for (const EthernetPort& port : state_.ports) {
        shortest = std::min(shortest, port.full_time);
    }
    const auto most =
        static_cast<std::int64_t>(most_at_once / (4 * std::max<std::size_t>(most_of_a_node, 1)));
    return std::min(longest, capped_product(shortest, most));
}

void EthernetLookahead::choose_mode(bool wanted, const EthernetLinks& links) {
    lookahead_ = longest_window(wanted, links);
    if (lookahead_ <= 0) {
        return;
    }
    const topology::Graph& graph = description_.graph;
    std::vector<std::uint32_t> nodes;
    for (std::size_t link = 0; link < graph.links(); ++link) {
        nodes.push_back(static_cast<std::uint32_t>(graph.link(LinkId(link)).to.index()));
    }
    for (const EthernetPort& port : state_.ports) {
        nodes.push_back(port.node);
    }
    state_.schedule.set_windows(std::make_unique<LookaheadWindows>(nodes, graph.nodes(), 1));
}

bool EthernetLookahead::may_run_ahead() const {
    return &state_.clock.queue() == &queue_ && queue_.instant_is_done() &&
           state_.schedule.end_of_windows() > state_.clock.now();
}

void EthernetLookahead::deliver(std::uint32_t) {
    EthernetSchedule& schedule = state_.schedule;
    if (!schedule.take_arrivals() || state_.clock.is_suspended()) {
        return;
    }
    const std::int64_t now = state_.clock.now();
    if (!queue_.may_run_ahead()) {
        // Something else follows every instant, for which events of their own cost less.
        schedule.leave_windows();
    } else if (may_run_ahead()) {
        run_windows(now);
    } else if (deliver_now()) {
        const std::int64_t next = schedule.windows()->earliest_wake();
        if (next == now) {
            schedule.schedule_decisions();
        } else {
            schedule.schedule_arrivals(next);
        }
    }
}

bool EthernetLookahead::deliver_now() {
    const Driven driven(state_, fast_forward_);
    EventQueue& queue = state_.clock.queue();
    const std::int64_t now = state_.clock.now();
    if (due_at_ != now || next_due_ == due_.size()) {
        collect_due(0, state_.schedule.slot_of_port(0));
        count_others(due_.size());
    }
    while (next_due_ < due_.size()) {
        const std::uint32_t link = due_[next_due_++];
        state_.schedule.windows()->forget(link);
        ingress_.arrive(link);
        // What has arrived may lead to events that precede the next arrival.
        if (next_due_ < due_.size() &&
            queue.instant_has_before(
                EventKey::of(Phase::Arrival, engine::event_kind::packet_in, due_[next_due_]))) {
            state_.schedule.go_on_with(due_[next_due_]);
            return false;
        }
    }
    leave_due();
    return true;
}

void EthernetLookahead::decide(std::uint32_t) {
    if (state_.schedule.take_decisions() && !state_.clock.is_suspended()) {
        decide_now();
        state_.schedule.schedule_arrivals(state_.schedule.windows()->earliest_wake());
    }
}

void EthernetLookahead::decide_now() {
    const Driven driven(state_, fast_forward_);
    const std::uint32_t first = state_.schedule.slot_of_port(0);
    collect_due(first, 2 * first);
    std::size_t decisions = 0;
    while (next_due_ < due_.size()) {
        const std::uint32_t slot = due_[next_due_++];
        state_.schedule.windows()->forget(slot);
        egress_.wake(slot - first);
        ++decisions;
        if (state_.schedule.take_woken()) {
            collect_due(first, 2 * first);
        }
    }
    count_others(decisions);
    leave_due();
}

void EthernetLookahead::count_others(std::size_t events) {
    state_.clock.queue().count_handled(events > 0 ? events - 1 : 0);
}

void EthernetLookahead::collect_due(std::uint32_t first, std::uint32_t end) {
    LookaheadWindows& windows = *state_.schedule.windows();
    const std::int64_t limit = state_.clock.now() + 1;
    due_.clear();
    windows.for_each_due(limit, [&](std::uint32_t node) {
        windows.for_each_slot_before(node, limit, [&](std::uint32_t slot) {
            if (first <= slot && slot < end) {
                due_.push_back(slot);
            }
        });
        return true;
    });
    std::sort(due_.begin(), due_.end());
    next_due_ = 0;
    due_at_ = state_.clock.now();
}

void EthernetLookahead::leave_due() {
    LookaheadWindows& windows = *state_.schedule.windows();
    windows.for_each_due(state_.clock.now() + 1, [&](std::uint32_t node) {
        windows.leave(node, windows.earliest_of(node));
        return true;
    });
}

void EthernetLookahead::run_windows(std::int64_t from) {
    EthernetSchedule& schedule = state_.schedule;
    std::int64_t next = from;
    bool stops = false;
    {
        const Driven driven(state_, fast_forward_);
        for (bool goes_on = true; goes_on;
             goes_on = !stops && next != never && next < end_of_window(next)) {
            run_window(next);
            queue_.count_handled(std::exchange(events_, 0));
            next = schedule.windows()->earliest_wake();
            stops = !queue_.goes_on();  // the run ends at the time of the packets
        }
    }
    // Nothing else brings the clock to where the nodes are.
    if (next == never || stops) {
        const std::int64_t present = std::min({next, latest_, queue_.next_time().ps()});
        queue_.advance(std::max(queue_.now(), Time::ps(present)));
    }
    schedule.schedule_arrivals(next);
}

std::int64_t EthernetLookahead::end_of_window(std::int64_t from) const {
    return std::min({from + lookahead_, queue_.next_time().ps(), state_.schedule.end_of_windows()});
}

void EthernetLookahead::run_window(std::int64_t from) {
    LookaheadWindows& windows = *state_.schedule.windows();
    std::int64_t limit = end_of_window(from);
    from_ = from;
    const std::uint32_t anchor = fast_forward_.anchor();
    if (anchor != none) {
        fast_forward_.set_samples(true);
        limit = advance_node(state_.ports[anchor].node, limit);
    }
    fast_forward_.set_samples(false);
    windows.for_each_due(limit, [&](std::uint32_t node) {
        advance_node(node, limit);
        return events_ < most_at_once;
    });
    fast_forward_.set_samples(true);
    state_.clock.back();
}

std::int64_t EthernetLookahead::advance_node(std::uint32_t node, std::int64_t limit) {
    EthernetSchedule& schedule = state_.schedule;
    LookaheadWindows& windows = *schedule.windows();
    NodeEvents& events = schedule.node_events();
    const std::uint32_t first_port = schedule.slot_of_port(0);
    events.begin(from_, limit);
    windows.for_each_slot_before(node, limit, [&](std::uint32_t slot) {
        events.add(windows.wake_of(slot), windows.place_in_node(slot));
        if (slot < first_port) {
            state_.packets.prefetch(state_.ports[slot].flight.head);
        }
    });
    schedule.isolate(true);
    for (std::int64_t at = events.first_time(); at < limit; at = events.first_time()) {
        advance_instant(node, at);
        limit = fast_forward_.samples() ? std::min(limit, queue_.next_time().ps()) : limit;
        latest_ = std::max(latest_, at);
    }
    schedule.isolate(false);
    windows.leave(node, windows.earliest_of(node));
    return limit;
}

void EthernetLookahead::advance_instant(std::uint32_t node, std::int64_t at) {
    LookaheadWindows& windows = *state_.schedule.windows();
    NodeEvents& events = state_.schedule.node_events();
    const std::uint32_t first_port = state_.schedule.slot_of_port(0);
    state_.clock.run_ahead(at, delivery);
    while (events.first_time() == at) {
        const std::uint32_t place = events.take();
        const std::uint32_t slot = windows.take_due(node, place, at);
        if (slot == none) {
            continue;
        }
        if (slot < first_port) {
            ingress_.arrive(slot);
            ++events_;
        } else {
            events.add_now(place);
        }
    }
    state_.clock.run_ahead(at, decision);
    for (std::uint32_t place = events.take_now(); place != none; place = events.take_now()) {
        egress_.wake(windows.slot_at(node, place) - first_port);
        ++events_;
    }
}

}  // namespace npunet::packet
