#include "packet/credit/rerouting.h"

#include <algorithm>
#include <utility>

namespace npunet::packet {

void CreditRerouting::choose_again() {
    for (const std::uint32_t place : leaving_) {
        next_hop_.choose_again(place);
        step_.push(place);
    }
    leaving_.clear();
    choose_starts_again();
}

void CreditRerouting::leave_dead_link(std::uint32_t link) {
    CreditPort& port = state_.ports[link];
    const std::int64_t now = state_.clock.now();
    std::vector<std::pair<std::int64_t, std::uint32_t>> ends;
    for (std::uint32_t slot = 0; slot < port.queues; ++slot) {
        VirtualOutputQueue& queue = state_.queues[port.first_queue + slot];
        if (queue.upstream == none || queue.head == none) {
            continue;
        }
        bool arrived = true;
        for (std::uint32_t place = queue.head; place != none; place = state_.packets[place].next) {
            const QueuedPacket& packet = state_.packets[place];
            const std::uint32_t wire = state_.wire_bytes(packet.payload);
            arrived = arrived && place != queue.unarrived;
            port.queued -= wire;
            port.arrived -= arrived ? wire : 0;
            ends.emplace_back(std::max(now, packet.ready), wire);
            leaving_.push_back(place);
        }
        queue.head = none;
        queue.unarrived = none;
        state_.filled.clear(port, port.first_queue + slot);
    }
    std::sort(ends.begin(), ends.end());
    for (const auto& [at, wire] : ends) {
        step_.counts().give_up(link, wire, at);
    }
}

void CreditRerouting::choose_starts_again() {
    std::vector<std::uint32_t> waiting;
    for (const RoundRobinList& send_queue : state_.send_queues) {
        for (std::uint32_t message = send_queue.first; message != none;
             message = state_.messages[message].next) {
            waiting.push_back(message);
        }
    }
    for (const std::uint32_t message : waiting) {
        const PlannedHop before = state_.plan[state_.messages[message].hop];
        next_hop_.choose_start_again(message);
        if (state_.plan[state_.messages[message].hop].queue != before.queue) {
            state_.messages.withdraw(state_.send_queue(before.port, before.channel), message);
            state_.show_next_message(before.queue);
            // The next message may need less credit than the one for which the port waited.
            step_.schedule().wake_port(before.port, state_.clock.now());
            step_.join_send_queue(message, state_.clock.now());
        }
    }
}

}  // namespace npunet::packet
