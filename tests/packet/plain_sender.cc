#include "plain_sender.h"

#include <algorithm>

namespace npunet::packet_test::plain {

std::size_t Sender::add_message(Bytes bytes, Time now) {
    if (next_part() == parts_.size()) {
        put_off(now);
    }
    Bytes left = bytes;
    do {
        Part part;
        part.payload = std::min(left, parameters_.mtu);
        part.wire = wire_of(part.payload, parameters_);
        left -= part.payload;
        part.ends = left == Bytes(0);
        parts_.push_back(part);
    } while (left > Bytes(0));
    return parts_.size() - 1;
}

Bytes Sender::in_flight() const {
    Bytes bytes;
    for (std::size_t i = acknowledged_; i < top_; ++i) {
        bytes += parts_[i].state == Part::State::Flying ? parts_[i].wire : Bytes(0);
    }
    return bytes;
}

/// The packet that is sent next; the number of packets: none.
std::size_t Sender::next_part() const {
    std::size_t i = acknowledged_;
    while (i < parts_.size() && parts_[i].state != Part::State::Waiting) {
        ++i;
    }
    return i;
}

bool Sender::is_open() const {
    return in_flight() + full_ <= settings_.window;
}

bool Sender::may_send() const {
    if (next_part() == parts_.size()) {
        return false;
    }
    const Bytes flying = in_flight();
    bool answer_will_come = flying >= parameters_.transport.ack_every * full_;
    for (std::size_t i = acknowledged_; i < top_; ++i) {
        answer_will_come = answer_will_come || parts_[i].urgent;
    }
    return flying == Bytes(0) || is_open() || !answer_will_come;
}

/// It begins to send, or goes back.
void Sender::put_off(Time now) {
    const std::int64_t most = parameters_.transport.start_jitter.ps();
    if (most == 0) {
        return;
    }
    const std::uint64_t drawn =
        mixed(mixed(mixed(parameters_.seed ^ 0x73746172U) + settings_.key) + starts_++);
    __extension__ using WideNumber = unsigned __int128;
    const WideNumber scaled = static_cast<WideNumber>(drawn) * static_cast<std::uint64_t>(most + 1);
    next_start_ = std::max(next_start_, now + Time::ps(static_cast<std::int64_t>(scaled >> 64)));
}

Packet Sender::take_packet(Time now) {
    Packet packet;
    packet.number = next_part();
    Part& part = parts_[packet.number];
    packet.payload = part.payload;
    packet.wire = part.wire;
    packet.repeated = part.sent_before;
    part.sent_before = true;
    part.state = Part::State::Flying;
    top_ = std::max(top_, packet.number + 1);
    ++use_.packets;
    use_.repeated += packet.repeated ? 1 : 0;
    if (deadline_ == Time::max()) {
        start_timer(now);
    }
    packet.asks = next_part() == parts_.size() || !is_open();
    part.urgent = part.urgent || packet.asks || part.ends;
    return packet;
}

void Sender::start_timer(Time now) {
    deadline_ = now + (std::int64_t{1} << std::min(timeouts_in_a_row_, 6)) * settings_.timeout;
}

bool Sender::time_out(Time now) {
    deadline_ = Time::max();
    ++timeouts_in_a_row_;
    ++use_.timeouts;
    const std::int32_t retries = parameters_.transport.retries;
    if (retries > 0 && timeouts_in_a_row_ > retries) {
        return false;
    }
    go_back(now);
    return true;
}

void Sender::go_back(Time now) {
    put_off(now);
    for (std::size_t i = acknowledged_; i < top_; ++i) {
        Part& part = parts_[i];
        part.urgent = false;
        part.state = part.state == Part::State::In ? part.state : Part::State::Waiting;
    }
}

void Sender::receive_answer(const Packet& answer, Time now) {
    bool news = false;
    const auto is_in = [&](std::size_t i) {
        news = news || parts_[i].state != Part::State::In;
        parts_[i].state = Part::State::In;
    };
    for (std::size_t i = acknowledged_; i < answer.number; ++i) {
        is_in(i);
    }
    acknowledged_ = std::max(acknowledged_, answer.number);
    if (parameters_.transport.kind == topology::TransportKind::SelectiveRepeat) {
        is_in(answer.cause);
        judge();
    }
    if (answer.kind == Kind::GoBack && answer.number == acknowledged_ && in_flight() > Bytes(0)) {
        go_back(now);
    }
    if (news) {
        timeouts_in_a_row_ = 0;
        deadline_ = Time::max();
        if (in_flight() > Bytes(0)) {
            start_timer(now);
        }
    }
}

/// A packet is lost when one that is more than `reordering` beyond it is in.
void Sender::judge() {
    const auto tolerated = static_cast<std::size_t>(std::max(parameters_.transport.reordering, 0));
    std::size_t highest = 0;
    for (std::size_t i = 0; i < top_; ++i) {
        highest = parts_[i].state == Part::State::In ? i : highest;
    }
    for (std::size_t i = acknowledged_; i + tolerated < highest; ++i) {
        Part& part = parts_[i];
        if (part.state == Part::State::Flying && !part.judged) {
            part.state = Part::State::Waiting;
        }
        part.judged = true;
    }
}

}  // namespace npunet::packet_test::plain
