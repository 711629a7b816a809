#include "packet/credit/arbiter.h"

#include <array>

namespace npunet::packet {

std::uint32_t CreditArbiter::choose_oldest(std::uint32_t port_number, std::int64_t now) {
    std::uint32_t chosen = none;
    std::int64_t born = never;
    std::uint64_t order = 0;
    state_.filled.for_each(state_.ports[port_number], 0, [&](std::uint32_t number) {
        if (can_go(port_number, number, now)) {
            const VirtualOutputQueue& queue = state_.queues[number];
            const std::int64_t own = queue.upstream == none ? now : state_.packets.born(queue.head);
            const std::uint64_t rank = engine::MessageId::rank(state_.message_of_head(queue).id);
            if (own < born || (own == born && rank < order)) {
                chosen = number;
                born = own;
                order = rank;
            }
        }
        return false;
    });
    return chosen;
}

std::uint32_t CreditArbiter::choose_by_class(std::uint32_t port_number, std::int64_t now) {
    /// A queue and its rank within the class: the least (first, then) is selected.
    struct Best {
        std::uint32_t queue = none;
        std::int64_t first = 0;
        std::uint64_t then = 0;
    };

    const CreditPort& port = state_.ports[port_number];
    const ClassOfPort* classes = state_.classes.of_port(port_number);
    std::array<Best, topology::TrafficClasses::most> best;
    std::uint32_t open = 0;
    state_.filled.for_each(port, 0, [&](std::uint32_t number) {
        const VirtualOutputQueue& queue = state_.queues[number];
        if (!can_go(port_number, number, now)) {
            return false;
        }
        const std::uint32_t own = queue.channel / state_.classes.channels;
        Best candidate;
        candidate.queue = number;
        if (state_.oldest) {
            candidate.first = queue.upstream == none ? now : state_.packets.born(queue.head);
            candidate.then = engine::MessageId::rank(state_.message_of_head(queue).id);
        } else {
            candidate.then = number - port.first_queue;
            candidate.first = candidate.then < classes[own].next_queue ? 1 : 0;
        }
        Best& other = best[own];
        if (other.queue == none || candidate.first < other.first ||
            (candidate.first == other.first && candidate.then < other.then)) {
            other = candidate;
        }
        open |= 1U << own;
        return false;
    });
    return open == 0 ? none : best[state_.classes.first(port_number, open)].queue;
}

void CreditArbiter::serve_class(std::uint32_t port_number, std::uint32_t queue_number,
                                std::int64_t attempts) {
    const CreditPort& port = state_.ports[port_number];
    const VirtualOutputQueue& queue = state_.queues[queue_number];
    const std::uint32_t number = queue.channel / state_.classes.channels;
    const std::uint32_t slot = queue_number - port.first_queue;
    ClassOfPort& own = state_.classes.of_port(port_number)[number];
    own.next_queue = slot + 1 == port.queues ? 0 : slot + 1;
    own.wire += attempts * queue.wire;
    state_.classes.charge(port_number, number, queue.wire);
}

bool CreditArbiter::input_refuses(std::uint32_t port_number, std::uint32_t queue_number,
                                  std::int64_t now) {
    const std::uint32_t input = state_.queues[queue_number].upstream;
    if (input == none) {
        return false;
    }
    if (state_.reads.free_at(input, now) > now) {
        return true;
    }
    ThreadPartition& partition = state_.partition_of(state_.ports[port_number]);
    if (partition.deferred || !others_come_first(port_number, queue_number, now)) {
        return false;
    }
    partition.yielded = true;
    return true;
}

bool CreditArbiter::others_come_first(std::uint32_t port_number, std::uint32_t queue_number,
                                      std::int64_t now) const {
    const std::uint32_t first = state_.ports[port_number].first_queue;
    const std::uint32_t of_input = (queue_number - first) / state_.channels * state_.channels;
    const std::uint32_t last = state_.reads.last_output(state_.queues[queue_number].upstream);
    const topology::Graph& graph = state_.plan.graph();
    // Between the last output and this one, in the cyclic order of the node's links.
    const auto before = [&](std::uint32_t other) {
        const bool wraps = port_number <= last;
        return wraps ? other > last || other < port_number : other > last && other < port_number;
    };
    for (const LinkId link : graph.links_from(graph.link(LinkId(std::size_t{port_number})).from)) {
        const auto other = static_cast<std::uint32_t>(link.index());
        const CreditPort& port = state_.ports[other];
        if (!before(other) || port.busy_until > now) {
            continue;
        }
        for (std::uint32_t channel = 0; channel < state_.channels; ++channel) {
            const VirtualOutputQueue& queue = state_.queues[port.first_queue + of_input + channel];
            if (queue.head != none && queue.ready <= now) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace npunet::packet
