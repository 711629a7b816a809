#include "plain_receiver.h"

namespace npunet::packet_test::plain {

std::optional<Kind> Receiver::receive_data(const Packet& data) {
    if (data.number != expected_) {
        return receive_out_of_order(data);
    }
    asked_back_ = false;
    ++expected_;
    const bool fills = early_.count(expected_) > 0;
    while (early_.erase(expected_) > 0) {
        ++expected_;
    }
    ++unanswered_;
    bool completes = false;
    while (complete_ < ends_.size() && ends_[complete_] < expected_) {
        ++complete_;
        completes = true;
    }
    if (completes || fills || data.asks || unanswered_ >= transport_.ack_every) {
        return answer(Kind::Answer);
    }
    return std::nullopt;
}

std::optional<Kind> Receiver::receive_out_of_order(const Packet& data) {
    const bool later = data.number > expected_;
    if (later && transport_.kind != topology::TransportKind::SelectiveRepeat) {
        if (asked_back_) {
            return std::nullopt;
        }
        asked_back_ = true;
        return answer(Kind::GoBack);
    }
    if (later) {
        early_.insert(data.number);
    }
    return answer(Kind::Answer);
}

Kind Receiver::answer(Kind kind) {
    unanswered_ = 0;
    return kind;
}

}  // namespace npunet::packet_test::plain
