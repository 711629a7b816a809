#include "packet/credit/reroute_epochs.h"

#include <algorithm>
#include <utility>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

RerouteEpochs::RerouteEpochs(SwitchStep& step)
    : state_(step.state()), finder_(step.finder()), step_(step) {}

void RerouteEpochs::await() {
    topology::Reroutes* reroutes = finder_.reroutes();
    if (reroutes == nullptr || is_awaited_) {
        return;
    }
    const std::vector<Time>& begins = reroutes->epochs();
    const Time now = state_.events.now();
    // No message is under way, so skipped epochs had no effect.
    std::size_t epoch = epoch_;
    while (epoch + 1 < begins.size() && begins[epoch + 1] <= now) {
        ++epoch;
    }
    if (epoch != epoch_) {
        epoch_ = epoch;
        reroutes->set_epoch(epoch);
    }
    if (epoch + 1 < begins.size()) {
        is_awaited_ = true;
        state_.events.schedule(begins[epoch + 1],
                               EventKey::of(Phase::Arrival, engine::event_kind::routes, 0),
                               begin_event_, static_cast<std::uint32_t>(epoch + 1));
    }
}

void RerouteEpochs::begin(std::uint32_t epoch) {
    is_awaited_ = false;
    epoch_ = epoch;
    finder_.reroutes()->set_epoch(epoch);
    if (state_.messages.in_flight() == 0) {
        return;
    }
    leave_dead_links();
    choose_starts_again();
    await();
}

void RerouteEpochs::leave_dead_links() {
    std::vector<std::uint32_t> leaving;
    for (std::uint32_t number = 0; number < state_.ports.size(); ++number) {
        if (state_.ports[number].irregular == 1 &&
            finder_.reroutes()->is_dead(LinkId(std::size_t{number}))) {
            empty_queues(number, leaving);
        }
    }
    for (const std::uint32_t place : leaving) {
        finder_.choose_again(place);
        step_.push(place);
    }
}

void RerouteEpochs::empty_queues(std::uint32_t number, std::vector<std::uint32_t>& packets) {
    CreditPort& port = state_.ports[number];
    const std::int64_t now = state_.events.now().ps();
    std::vector<std::pair<std::int64_t, std::uint32_t>> leaving;
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
            leaving.emplace_back(std::max(now, packet.ready), wire);
            packets.push_back(place);
        }
        queue.head = none;
        queue.unarrived = none;
        state_.filled.clear(port, port.first_queue + slot);
    }
    std::sort(leaving.begin(), leaving.end());
    for (const auto& [at, wire] : leaving) {
        step_.counts().give_up(number, wire, at);
    }
}

void RerouteEpochs::choose_starts_again() {
    std::vector<std::uint32_t> waiting;
    for (const RoundRobinList& turns : state_.turns) {
        for (std::uint32_t message = turns.first; message != none;
             message = state_.messages[message].next) {
            waiting.push_back(message);
        }
    }
    for (const std::uint32_t message : waiting) {
        const PlannedHop before = state_.plan[state_.messages[message].hop];
        finder_.choose_start_again(message);
        if (state_.plan[state_.messages[message].hop].queue != before.queue) {
            state_.messages.withdraw(state_.turns_of(before.port, before.channel), message);
            state_.show_turn(before.queue);
            // The next message may need less credit than the one for which the port waited.
            step_.schedule().arm(before.port, std::max(state_.ports[before.port].busy_until,
                                                       state_.events.now().ps()));
            step_.await_turn(message);
        }
    }
}

}  // namespace npunet::packet
