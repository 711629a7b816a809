#include "engine/transport.h"

namespace npunet::engine {

Transport::Transport(Network& network, const topology::NetworkDescription& description)
    : network_(network), description_(description), sent_by_(description.graph.npus(), 0) {
    network_.set_listener(*this);
}

void Transport::send(Rank from, Rank to, Bytes bytes, MessageOwner& owner, const MessageNote& note,
                     bool wants_sent, MessageOrder order) {
    std::uint32_t handle = 0;
    if (free_.empty()) {
        handle = static_cast<std::uint32_t>(in_flight_.size());
        in_flight_.emplace_back();
    } else {
        handle = free_.back();
        free_.pop_back();
    }
    in_flight_[handle] = {&owner, note, bytes};
    ++messages_sent_;
    bytes_sent_ += bytes;
    Message message;
    message.source = description_.npu_of_rank[from.index()];
    message.destination = description_.npu_of_rank[to.index()];
    message.id = MessageId(message.source, sent_by_[message.source.index()]++);
    message.bytes = bytes;
    message.order_major = order.major;
    message.order_minor = order.minor;
    message.handle = handle;
    message.wants_sent = wants_sent;
    network_.send(message);
}

void Transport::on_sent(std::uint32_t handle) {
    const InFlight& message = in_flight_[handle];
    message.owner->on_sent(message.note);
}

void Transport::on_delivered(std::uint32_t handle, Time first_byte_left) {
    // The last byte leaves before it arrives, so nobody asks for this handle again.
    const InFlight message = in_flight_[handle];
    free_.push_back(handle);
    ++messages_delivered_;
    bytes_delivered_ += message.bytes;
    message.owner->on_delivered(message.note, message.bytes, first_byte_left);
}

}  // namespace npunet::engine
