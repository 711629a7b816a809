#include "engine/transport.h"

namespace npunet::engine {

Transport::Transport(Network& network, const topology::NetworkDescription& description)
    : network_(network), description_(description), sent_by_(description.graph.npus(), 0) {
    network_.set_listener(*this);
}

void Transport::make_room() {
    free_ = static_cast<std::uint32_t>(in_flight_.size());
    in_flight_.emplace_back();
    in_flight_.back().note[0] = none;
}

void Transport::on_sent(std::uint32_t handle) {
    const InFlight& message = in_flight_[handle];
    message.owner->on_sent(message.note);
}

void Transport::on_delivered(std::uint32_t handle, Time first_byte_left) {
    // The last byte leaves before it arrives, so nobody asks for this handle again.
    const InFlight message = in_flight_[handle];
    in_flight_[handle].note[0] = free_;
    free_ = handle;
    ++messages_delivered_;
    bytes_delivered_ += message.bytes;
    message.owner->on_delivered(message.note, message.bytes, first_byte_left);
}

}  // namespace npunet::engine
