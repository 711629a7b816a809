#include "packet/credit/fast_forward/period_detection.h"

#include <algorithm>
#include <cstddef>

namespace npunet::packet {

namespace {

/// In full packets; messages with less to send are about to end.
constexpr std::int64_t least_left = 6;

}  // namespace

bool PeriodDetection::collect(std::uint32_t port, std::uint32_t index, PeriodicGroup& group) {
    index_ = index;
    looks_ = 0;
    of_ports_[port] = index;
    group.ports.push_back(port);
    // The list grows during the loop.
    for (std::size_t i = 0; i < group.ports.size(); ++i) {
        const std::uint32_t member = group.ports[i];
        if (state_.ports[member].irregular == 1 || !add_messages_of(group, member) ||
            (state_.reads.are_limited() && !add_messages_from(group, member))) {
            return false;
        }
    }
    std::sort(group.ports.begin(), group.ports.end());
    return true;
}

bool PeriodDetection::add_messages_from(PeriodicGroup& group, std::uint32_t input) {
    const topology::Graph& graph = state_.plan.graph();
    bool possible = true;
    for (const LinkId output : graph.links_from(graph.link(LinkId(std::size_t{input})).to)) {
        state_.filled.for_each(state_.ports[output.index()], 0, [&](std::uint32_t number) {
            const VirtualOutputQueue& queue = state_.queues[number];
            possible = possible && (queue.upstream != input || add_packets(group, queue));
            return !possible;
        });
    }
    return possible;
}

bool PeriodDetection::add_packets(PeriodicGroup& group, const VirtualOutputQueue& queue) {
    bool possible = true;
    for (std::uint32_t place = queue.head; possible && place != none;
         place = state_.packets[place].next) {
        possible = add_message(group, state_.packets[place].message);
    }
    return possible;
}

bool PeriodDetection::add_messages_of(PeriodicGroup& group, std::uint32_t port) {
    bool possible = true;
    state_.filled.for_each(state_.ports[port], 0, [&](std::uint32_t number) {
        const VirtualOutputQueue& queue = state_.queues[number];
        if (queue.upstream != none) {
            possible = add_packets(group, queue);
            return !possible;
        }
        const RoundRobinList& send_queue = state_.send_queue(port, queue.channel);
        for (std::uint32_t message = send_queue.first; possible && message != none;
             message = state_.messages[message].next) {
            possible = add_message(group, message);
        }
        return !possible;
    });
    return possible;
}

bool PeriodDetection::add_message(PeriodicGroup& group, std::uint32_t message) {
    ++looks_;
    if (is_in(message, index_)) {
        return true;
    }
    const MessageRecord& record = state_.messages[message];
    if (record.remaining < least_left * state_.mtu) {
        return false;
    }
    if (message >= of_messages_.size()) {
        of_messages_.resize(message + std::size_t{1}, none);
    }
    of_messages_[message] = index_;
    group.messages.push_back(message);
    for (std::uint32_t hop = record.hop;; ++hop) {
        const PlannedHop& planned = state_.plan[hop];
        if (state_.ports[planned.port].booked != 0) {
            return false;
        }
        std::uint32_t& group_of_port = of_ports_[planned.port];
        if (group_of_port == none) {
            group_of_port = index_;
            group.ports.push_back(planned.port);
        } else if (group_of_port != index_) {
            return false;
        }
        if (planned.final) {
            return true;
        }
    }
}

void PeriodDetection::release(const PeriodicGroup& group) {
    for (const std::uint32_t port : group.ports) {
        of_ports_[port] = none;
    }
    for (const std::uint32_t message : group.messages) {
        of_messages_[message] = none;
    }
}

}  // namespace npunet::packet
