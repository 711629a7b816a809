#include "study/idle_path_network.h"

#include "engine/clock/clock_limit.h"

namespace npunet::study {

IdlePathNetwork::IdlePathNetwork(const topology::NetworkDescription& description,
                                 engine::EventQueue& queue, const engine::Dialect& dialect,
                                 std::optional<IdlePath> path)
    : description_(description),
      queue_(queue),
      path_(path),
      estimate_(description, queue, dialect) {
    estimate_.set_listener(*this);
}

void IdlePathNetwork::send(const engine::Message& message) {
    if (message.handle >= late_.size()) {
        late_.resize(message.handle + std::size_t{1});
    }
    engine::Message sent = message;
    if (path_ && *path_ != IdlePath::WholeMessages) {
        sent.bytes = topology::bytes_with_headers(message.bytes, description_.packet);
    }
    Late& late = late_[message.handle];
    late.by = Time();
    if (path_ && *path_ != IdlePath::Headers) {
        const NodeId from = message.source;
        const NodeId to = message.destination;
        late.by = topology::idle_time(description_, from, to, message.bytes, *path_) -
                  topology::idle_time(description_, from, to, sent.bytes, IdlePath::Headers);
    }
    estimate_.send(sent);
}

void IdlePathNetwork::on_delivered(std::uint32_t handle, Time first_byte_left) {
    Late& late = late_[handle];
    if (late.by <= Time()) {
        listener_->on_delivered(handle, first_byte_left);
        return;
    }
    late.first_byte_left = first_byte_left;
    // What arrives at one instant commutes: the engine puts it in order.
    queue_.schedule(
        engine::later(queue_.now(), late.by),
        engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::message_delivered, 0),
        *this, handle);
}

void IdlePathNetwork::handle(std::uint64_t payload) {
    const auto handle = static_cast<std::uint32_t>(payload);
    listener_->on_delivered(handle, late_[handle].first_byte_left);
}

}  // namespace npunet::study
