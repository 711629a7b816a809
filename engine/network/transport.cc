#include "engine/network/transport.h"

#include <algorithm>

namespace npunet::engine {

Transport::Transport(Network& network, const topology::NetworkDescription& description,
                     EventQueue& queue)
    : network_(network),
      description_(description),
      queue_(queue),
      sent_by_(description.graph.nodes(), 0) {
    network_.set_listener(*this);
}

void Transport::make_room() {
    free_ = static_cast<std::uint32_t>(in_flight_.size());
    in_flight_.emplace_back();
    in_flight_.back().note[0] = none;
}

void Transport::send_in_turn(NodeId from, NodeId to, Bytes bytes, MessageOwner& owner,
                             const MessageNote& note, bool wants_sent, Communication kind,
                             MessageOrder order, std::int32_t line) {
    const Given given{from, to, bytes, &owner, note, wants_sent, kind, order};
    if (network_.sends_in_order(from, to)) {
        hand_over(given, nullptr);
        return;
    }
    Line& own = *lines_.try_emplace({from, to, line}).first;
    own.second.push_back(given);
    if (own.second.size() == 1) {
        hand_over(given, &own);
    }
}

void Transport::on_sent(std::uint32_t handle) {
    InFlight& message = in_flight_[handle];
    MessageOwner* const owner = message.owner;
    Line* const line = message.line;
    const MessageNote note = message.note;
    message.sent_is_due = false;
    if (message.delivered) {
        forget(handle);
    }
    if (line == nullptr) {
        owner->on_sent(note);
        return;
    }
    std::deque<Given>& waiting = line->second;
    const bool owner_wants_it = waiting.front().wants_sent;
    waiting.pop_front();
    if (waiting.empty()) {
        lines_.erase(std::tuple(line->first));
    } else {
        hand_over(Given(waiting.front()), line);
    }
    if (owner_wants_it) {
        owner->on_sent(note);
    }
}

void Transport::on_delivered(std::uint32_t handle, Time first_byte_left) {
    const InFlight message = in_flight_[handle];
    in_flight_[handle].delivered = true;
    if (!message.sent_is_due) {
        forget(handle);
    }
    ++messages_delivered_;
    bytes_delivered_ += message.bytes;
    message.owner->on_delivered(message.note, message.bytes, first_byte_left);
}

void Transport::scan(StateScan& scan, PendingEvents& events, Rank reference) {
    const std::uint64_t sent = sent_by_[description_.npu_of_rank[reference.index()].index()];
    ids_.base = sent;
    ids_.step = scan.progress(sent);
    for (std::uint64_t& count : sent_by_) {
        scan.count(count);
    }
    // None of them depends on when it is looked at.
    std::int64_t sent_bytes = bytes_sent_.value();
    std::int64_t delivered_bytes = bytes_delivered_.value();
    scan.count(messages_sent_);
    scan.count(messages_delivered_);
    scan.count(sent_bytes);
    scan.count(delivered_bytes);
    bytes_sent_ = Bytes(sent_bytes);
    bytes_delivered_ = Bytes(delivered_bytes);
    scan.same(static_cast<std::int64_t>(messages_sent_ - messages_delivered_));
    network_.scan(scan, *this, events);
}

void Transport::scan(StateScan& scan, std::uint32_t handle) {
    InFlight& message = in_flight_[handle];
    scan.same(message.bytes.value());
    if (message.sent_is_due) {
        scan.refuse();
    }
    message.owner->scan(scan, message.note);
}

MessageLabel Transport::label_of(std::uint32_t handle) {
    const InFlight& message = in_flight_[handle];
    MessageLabel label = message.owner->label_of(message.note);
    const auto place = std::find(owners_.begin(), owners_.end(), message.owner);
    label.words.back() = static_cast<std::uint32_t>(place - owners_.begin());
    return label;
}

void Transport::on_left(std::uint32_t handle) {
    forget(handle);
}

void Transport::on_delivered_from_afar(const MessageLabel& label, Bytes bytes,
                                       Time first_byte_left) {
    ++messages_delivered_;
    bytes_delivered_ += bytes;
    MessageOwner& owner = *owners_[label.words.back()];
    owner.on_delivered(owner.note_of(label), bytes, first_byte_left);
}

}  // namespace npunet::engine
