#include "packet/credit/fast_forward/traffic_sample.h"

#include <algorithm>

namespace npunet::packet {

void TrafficSample::take(CreditNetworkState& state, const std::vector<std::uint32_t>& ports,
                         const std::vector<std::uint32_t>& messages, std::int64_t now) {
    at_ = now;
    words_.clear();
    queued_.clear();
    waits_.clear();
    counts_.clear();
    class_wire_.clear();
    remaining_.clear();
    for (const std::uint32_t port : ports) {
        take_port(state, port);
    }
    for (const std::uint32_t message : messages) {
        remaining_.push_back(state.messages[message].remaining);
    }
}

void TrafficSample::take_port(CreditNetworkState& state, std::uint32_t port_number) {
    const CreditPort& port = state.ports[port_number];
    queued_.push_back(port.queued);
    waits_.push_back(waits_since(state, port_number));
    counts_.push_back({port.payload, port.wire, port.busy, port.packets, port.stall});
    words_.push_back(ahead(port.busy_until));
    words_.push_back(port.next_queue);
    for (std::uint32_t channel = 0; channel < state.channels; ++channel) {
        state.credit(port_number, channel).describe(at_, words_);
    }
    if (state.several) {
        const ClassOfPort* classes = state.classes.of_port(port_number);
        for (std::uint32_t number = 0; number < state.classes.given.count; ++number) {
            words_.push_back(classes[number].next_queue);
            words_.push_back(classes[number].lead);
            class_wire_.push_back(classes[number].wire);
        }
    }
    state.reads.describe(port_number, at_, words_);
    state.filled.for_each(port, 0, [&](std::uint32_t number) {
        const VirtualOutputQueue& queue = state.queues[number];
        words_.push_back(number);
        if (queue.upstream != none) {
            take_packets(state, queue);
            return false;
        }
        const RoundRobinList& send_queue = state.send_queue(port_number, queue.channel);
        words_.push_back(queue.head);
        words_.push_back(send_queue.served);
        return false;
    });
    words_.push_back(-1);
}

void TrafficSample::take_packets(CreditNetworkState& state, const VirtualOutputQueue& queue) {
    for (std::uint32_t place = queue.head; place != none; place = state.packets[place].next) {
        const QueuedPacket& packet = state.packets[place];
        words_.push_back(ahead(packet.ready));
        words_.push_back(static_cast<std::int64_t>(packet.message) << 32 | packet.hop);
        words_.push_back(static_cast<std::int64_t>(packet.payload) << 1 | packet.last);
        if (state.oldest) {
            words_.push_back(state.packets.born(place) - at_);
        }
    }
    words_.push_back(-1);
}

std::int64_t TrafficSample::waits_since(CreditNetworkState& state,
                                        std::uint32_t port_number) const {
    const CreditPort& port = state.ports[port_number];
    std::int64_t first = at_;
    state.filled.for_each(port, 0, [&](std::uint32_t number) {
        const VirtualOutputQueue& queue = state.queues[number];
        const RoundRobinList& send_queue = state.send_queue(port_number, queue.channel);
        const std::int64_t since =
            queue.upstream == none ? state.messages[send_queue.first].start : queue.ready;
        first = std::min(first, since);
        return false;
    });
    return std::min<std::int64_t>(std::max(first, port.busy_until) - at_, 0);
}

bool TrafficSample::may_repeat(const CreditNetworkState& state,
                               const std::vector<std::uint32_t>& ports) const {
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (state.ports[ports[i]].queued != queued_[i]) {
            return false;
        }
    }
    return true;
}

bool TrafficSample::repeats(const TrafficSample& earlier) const {
    if (words_ != earlier.words_) {
        return false;
    }
    for (std::size_t i = 0; i < waits_.size(); ++i) {
        const bool sends = counts_[i].packets != earlier.counts_[i].packets;
        if (sends && waits_[i] != earlier.waits_[i]) {
            return false;
        }
    }
    return true;
}

PortCounts TrafficSample::since(const TrafficSample& earlier, std::size_t port) const {
    const PortCounts& now = counts_[port];
    const PortCounts& before = earlier.counts_[port];
    return {now.payload - before.payload, now.wire - before.wire, now.busy - before.busy,
            now.packets - before.packets, now.stall - before.stall};
}

}  // namespace npunet::packet
