#include "packet/credit/credit_network.h"

#include "packet/credit/credit_state_scan.h"
#include "packet/credit/network_setup.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::packet {

CreditNetwork::CreditNetwork(const topology::NetworkDescription& description,
                             engine::EventQueue& queue)
    : CreditNetwork(
          checked_for_routes(description),
          [&description](NodeId from, NodeId to) { return description.route(from, to); }, queue) {
    step_.next_hop().use(description);
    route_changes_.use(step_.next_hop().reroutes());
    choose_mode();
    set_fast_forward(true);
}

CreditNetwork::CreditNetwork(const topology::NetworkDescription& description, RouteFunction route,
                             engine::EventQueue& queue)
    : description_(description),
      step_(checked_for_packets(description), std::move(route), queue,
            {sent_event_, delivered_event_}, arbitration_event_),
      counts_(step_.counts()),
      state_(step_.state()),
      turns_(description.graph, state_),
      runner_(step_),
      replay_(step_),
      rerouting_(step_),
      route_changes_(queue, description.graph.links(), rerouting_) {
    choose_mode();
    set_fast_forward(true);
}

void CreditNetwork::send(const engine::Message& message) {
    assert(message.bytes.value() >= 0);
    const std::uint32_t place = state_.messages.take();
    MessageRecord& record = state_.messages[place];
    record.id = message.id.value();
    record.start = state_.clock.now();
    record.continues = message.flow_start < Time::max();
    record.turn = record.continues ? message.flow_start.ps() : record.start;
    record.bytes = message.bytes.value();
    record.remaining = message.bytes.value();
    record.handle = message.handle;
    record.wants_sent = message.wants_sent;
    if (state_.paths.router == nullptr) {
        record.hop =
            state_.plan.first_hop(message.source, message.destination, state_.classes.of(message));
        if (lone_ && lone_->book(place)) {
            return;
        }
    } else {
        route_changes_.await();
        step_.next_hop().open(place, message);
    }
    if (boundary_) {
        boundary_->open_own(place, message);
    }
    state_.near_end += record.wants_sent && record.bytes <= state_.last_bytes ? 1 : 0;
    step_.start(place);
}

void CreditNetwork::message_sent(std::uint32_t message) {
    state_.near_end -= state_.near_end > 0 ? 1 : 0;
    listener_->on_sent(state_.messages[message].handle);
    if (boundary_) {
        boundary_->end_source(message);
    }
}

void CreditNetwork::message_delivered(std::uint32_t message) {
    const MessageRecord& record = state_.messages[message];
    const std::uint32_t handle = record.handle;
    const Time left = Time::ps(record.first_byte_left);
    if (!boundary_) {
        state_.messages.free(message);
    } else if (!boundary_->deliver(message)) {
        return;
    }
    listener_->on_delivered(handle, left);
}

void CreditNetwork::lone_sent(std::uint32_t number) {
    const std::uint32_t message = lone_->sent(number);
    if (message != none) {
        listener_->on_sent(state_.messages[message].handle);
    }
}

void CreditNetwork::lone_delivered(std::uint32_t number) {
    const std::uint32_t message = lone_->delivered(number);
    if (message != none) {
        message_delivered(message);
    }
}

void CreditNetwork::list_queued(LinkId link,
                                const std::function<void(LinkId, Bytes, Time)>& function) {
    settle();
    counts_.list_queued(link, function);
}

void CreditNetwork::settle() {
    if (fast_forward_) {
        fast_forward_->settle();
    }
    if (lone_) {
        lone_->settle();
    }
}

bool CreditNetwork::looks_at_packets() const {
    return boundary_ || counts_.has_histograms() || state_.observer != nullptr;
}

void CreditNetwork::set_fast_forward(bool wanted) {
    periodic_ = wanted;
    const bool possible = wanted && state_.paths.router == nullptr && !looks_at_packets();
    fast_forward_ = possible ? std::make_unique<CreditFastForward>(state_, replay_) : nullptr;
    state_.fast_forward = fast_forward_.get();
    lone_ = possible && LoneMessages::are_possible(state_)
                ? std::make_unique<LoneMessages>(
                      description_, step_, MessageHandlers{lone_sent_event_, lone_delivered_event_})
                : nullptr;
    state_.lone = lone_.get();
}

void CreditNetwork::set_threads(std::size_t threads, std::uint64_t least_packets) {
    runner_.set_threads(threads, least_packets);
    choose_mode();
}

void CreditNetwork::choose_mode() {
    const topology::MultipathRouter* router = state_.paths.router;
    runner_.choose_mode((router == nullptr || router->is_oblivious()) && !looks_at_packets());
}

void CreditNetwork::observer_changes() {
    state_.observer = observer_;
    if (fast_forward_) {
        fast_forward_->enable(observer_ == nullptr);
    }
    if (lone_) {
        lone_->enable(observer_ == nullptr);
    }
    if (step_.schedule().windows() != nullptr && observer_ != nullptr) {
        step_.schedule().leave_windows();
    }
}

void CreditNetwork::split(std::vector<bool> owned, PartitionLink& cut) {
    boundary_ = std::make_unique<CreditBoundary>(state_, std::move(owned), cut);
    entry_ = std::make_unique<BoundaryEntry>(step_, *boundary_, route_changes_);
    step_.set_boundary(boundary_.get());
    choose_mode();
    set_fast_forward(periodic_);
}

bool CreditNetwork::is_idle(std::uint32_t link) {
    if (lone_ && !lone_->is_over(link)) {
        return false;
    }
    const CreditPort& port = state_.ports[link];
    const std::int64_t now = state_.present();
    if (port.suspended == 1 || port.irregular == 1 || port.busy_until > now || port.queued > 0) {
        return false;
    }
    bool waits = false;
    state_.filled.for_each(port, 0, [&](std::uint32_t) { return waits = true; });
    const std::int64_t buffer = description_.buffer_of(LinkId(std::size_t{link})).value();
    for (std::uint32_t channel = 0; channel < state_.channels && !waits; ++channel) {
        waits = !state_.credit(link, channel).is_whole(buffer, now);
    }
    return !waits;
}

bool CreditNetwork::has_separate_links() const {
    // Oldest first counts the messages of all sources.
    return state_.paths.router == nullptr && !looks_at_packets() && !state_.oldest &&
           !state_.several && !state_.reads.are_limited() && state_.partitions.size() == 1;
}

bool CreditNetwork::is_quiet(NodeId /*from*/, NodeId /*to*/, const Links& links) {
    State state;
    return idle_state(links, state);
}

bool CreditNetwork::rest_state(const Links& links, State& state) {
    if (!has_separate_links()) {
        return false;
    }
    std::vector<std::int64_t> words;
    const std::int64_t now = state_.present();
    for (const std::uint32_t link : links) {
        const CreditPort& port = state_.ports[link];
        bool waits = port.suspended == 1 || port.irregular == 1 || port.queued > 0;
        state_.filled.for_each(port, 0, [&](std::uint32_t) { return waits = true; });
        if (waits) {
            return false;
        }
        words.push_back(std::int64_t{port.next_queue} << 1 | std::int64_t{port.starved});
        words.push_back(std::max<std::int64_t>(port.busy_until - now, 0));
        for (std::uint32_t channel = 0; channel < state_.channels; ++channel) {
            state_.credit(link, channel).describe(now, words);
        }
        if (lone_) {
            lone_->describe(link, words);
        }
    }
    for (const std::int64_t word : words) {
        state.push_back(static_cast<std::uint64_t>(word));
    }
    return true;
}

bool CreditNetwork::idle_state(const Links& links, State& state) {
    if (!has_separate_links()) {
        return false;
    }
    for (const std::uint32_t link : links) {
        if (!is_idle(link)) {
            return false;
        }
        state.push_back(std::uint64_t{turns_.turn_at(links, link)} << 1 |
                        state_.ports[link].starved);
    }
    return true;
}

std::vector<engine::LinkUse> CreditNetwork::use_of(const Links& links) const {
    std::vector<engine::LinkUse> use;
    for (const std::uint32_t link : links) {
        use.push_back(counts_.use_of(link));
    }
    return use;
}

void CreditNetwork::forget_longest_queues(const Links& links) {
    for (const std::uint32_t link : links) {
        state_.ports[link].max_queue = 0;
    }
}

void CreditNetwork::set_idle_state(const Links& links, const State& state,
                                   const std::vector<engine::LinkUse>* carried) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (carried == nullptr || (*carried)[i].packets > 0) {
            turns_.set(links, links[i], static_cast<std::uint32_t>(state[i] >> 1));
            state_.ports[links[i]].starved = static_cast<std::uint32_t>(state[i]) & 1U;
        }
    }
}

bool CreditNetwork::prepare_scan() {
    const bool possible = fast_forward_ && observer_ == nullptr &&
                          std::none_of(state_.ports.begin(), state_.ports.end(),
                                       [](const CreditPort& port) { return port.irregular == 1; });
    if (possible) {
        fast_forward_->settle();
    }
    if (possible && lone_) {
        lone_->prepare_scan();
    }
    return possible;
}

void CreditNetwork::scan(engine::StateScan& scan, engine::MessageScanner& messages,
                         engine::PendingEvents& events) {
    if (scan.moves()) {
        fast_forward_->forget();
    }
    CreditStateScan(state_, scan, messages).scan(events, {sent_event_, delivered_event_});
    step_.schedule().accompany(scan, events);
    events.accompany(scan, fast_forward_->handler());
}

}  // namespace npunet::packet
