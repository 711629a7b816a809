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
    mover_.finder().use(description);
    choose_gait();
    set_trains(true);
}

CreditNetwork::CreditNetwork(const topology::NetworkDescription& description, RouteFunction route,
                             engine::EventQueue& queue)
    : mover_(checked_for_packets(description), std::move(route), queue,
             {sent_event_, delivered_event_}, turn_event_),
      counts_(mover_.counts()),
      state_(mover_.state()),
      runner_(mover_),
      catch_up_(mover_),
      epochs_(mover_) {
    choose_gait();
    set_trains(true);
}

void CreditNetwork::send(const engine::Message& message) {
    assert(message.bytes.value() >= 0);
    const std::uint32_t place = state_.messages.take();
    MessageRecord& record = state_.messages[place];
    record.id = message.id.value();
    record.start = state_.events.now().ps();
    record.bytes = message.bytes.value();
    record.remaining = message.bytes.value();
    record.handle = message.handle;
    record.wants_sent = message.wants_sent;
    state_.near_end += record.wants_sent && record.bytes <= state_.last_bytes ? 1 : 0;
    if (state_.ways.router == nullptr) {
        record.hop =
            state_.plan.first_hop(message.source, message.destination, state_.classes.of(message));
    } else {
        epochs_.await();
        mover_.finder().open(place, message);
    }
    if (border_) {
        border_->open_own(place, message);
    }
    mover_.start(place);
}

void CreditNetwork::message_sent(std::uint32_t message) {
    state_.near_end -= state_.near_end > 0 ? 1 : 0;
    listener_->on_sent(state_.messages[message].handle);
    if (border_) {
        border_->end_source(message);
    }
}

void CreditNetwork::message_delivered(std::uint32_t message) {
    const MessageRecord& record = state_.messages[message];
    const std::uint32_t handle = record.handle;
    const Time left = Time::ps(record.first_byte_left);
    if (!border_) {
        state_.messages.free(message);
    } else if (!border_->deliver(message)) {
        return;
    }
    listener_->on_delivered(handle, left);
}

std::vector<engine::LinkUse> CreditNetwork::link_use() const {
    return counts_.use();
}

std::uint64_t CreditNetwork::packet_hops() const {
    return counts_.hops();
}

void CreditNetwork::list_queued(LinkId link,
                                const std::function<void(LinkId, Bytes, Time)>& function) {
    settle();
    counts_.list_queued(link, function);
}

void CreditNetwork::settle() {
    if (steady_) {
        steady_->settle();
    }
}

bool CreditNetwork::looks_at_packets() const {
    return state_.ways.router != nullptr || border_ || counts_.has_histograms() ||
           state_.observer != nullptr;
}

void CreditNetwork::set_trains(bool wanted) {
    trains_ = wanted;
    const bool possible = wanted && !looks_at_packets();
    steady_ = possible ? std::make_unique<CreditFastForward>(state_, catch_up_) : nullptr;
    mover_.set_steady(steady_.get());
    runner_.set_steady(steady_.get());
}

void CreditNetwork::set_threads(std::size_t threads, std::uint64_t least_packets) {
    runner_.set_threads(threads, least_packets);
    choose_gait();
}

void CreditNetwork::choose_gait() {
    runner_.choose_gait(!looks_at_packets());
}

void CreditNetwork::observer_changes() {
    state_.observer = observer_;
    if (steady_) {
        steady_->enable(observer_ == nullptr);
    }
    if (mover_.agenda().windows() != nullptr && observer_ != nullptr) {
        mover_.agenda().leave_windows();
    }
}

void CreditNetwork::split(std::vector<bool> owned, PartitionLink& cut) {
    border_ = std::make_unique<CreditBoundary>(state_, std::move(owned), cut);
    entrance_ = std::make_unique<BoundaryEntry>(mover_, *border_, epochs_);
    mover_.set_border(border_.get());
    choose_gait();
    set_trains(trains_);
}

void CreditNetwork::enter(const std::uint8_t* data, std::size_t size) {
    entrance_->enter(data, size);
}

bool CreditNetwork::prepare_scan() {
    const bool possible = steady_ && observer_ == nullptr &&
                          std::none_of(state_.ports.begin(), state_.ports.end(),
                                       [](const CreditPort& port) { return port.irregular == 1; });
    if (possible) {
        steady_->settle();
    }
    return possible;
}

void CreditNetwork::scan(engine::StateScan& scan, engine::MessageScanner& messages,
                         engine::PendingEvents& events) {
    if (scan.moves()) {
        steady_->forget();
    }
    CreditStateScan(state_, scan, messages).scan(events, {sent_event_, delivered_event_});
    mover_.agenda().accompany(scan, events);
    events.accompany(scan, steady_->looker());
}

}  // namespace npunet::packet
