#include "engine/results/message_recorder.h"

#include <algorithm>
#include <utility>

namespace npunet::engine {

MessageRecorder::MessageRecorder(Network& network, const EventQueue& queue,
                                 topology::TrafficClasses classes, Sink sink)
    : network_(network), queue_(queue), classes_(std::move(classes)), sink_(std::move(sink)) {
    network.set_listener(*this);
}

void MessageRecorder::send(const Message& message) {
    if (message.handle >= in_progress_.size()) {
        in_progress_.resize(message.handle + std::size_t{1});
    }
    RecordedMessage& record = in_progress_[message.handle];
    record.id = message.id;
    record.flow = {message.source, message.destination,
                   message.traffic_class == Message::by_kind ? classes_.of(message.kind)
                                                             : message.traffic_class};
    record.kind = message.kind;
    record.bytes = message.bytes;
    record.start = queue_.now();
    record.order = message.order_minor;
    network_.send(message);
}

void MessageRecorder::on_delivered(std::uint32_t handle, Time first_byte_left) {
    if (!arrived_.empty() && arrived_.front().end < queue_.now()) {
        finish();
    }
    RecordedMessage message = in_progress_[handle];
    message.first_byte_left = first_byte_left;
    message.end = queue_.now();
    arrived_.push_back(message);
    listener_->on_delivered(handle, first_byte_left);
}

void MessageRecorder::finish() {
    std::sort(arrived_.begin(), arrived_.end(),
              [](const RecordedMessage& a, const RecordedMessage& b) {
                  return a.id.value() < b.id.value();
              });
    for (const RecordedMessage& message : arrived_) {
        sink_(message);
    }
    arrived_.clear();
}

}  // namespace npunet::engine
