#include "packet/credit/switch_step.h"

#include "packet/credit/network_setup.h"

#include "base/quantities.h"

#include <algorithm>
#include <utility>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

SwitchStep::SwitchStep(const topology::NetworkDescription& description, RouteFunction route,
                       engine::EventQueue& queue, const MessageHandlers& handlers,
                       engine::EventHandler& windows_event)
    : state_(description, std::move(route), queue),
      links_(description, state_),
      counts_(description, state_, links_),
      next_hop_(state_, links_),
      arbiter_(state_),
      schedule_(state_, wake_event_, windows_event),
      notifications_(state_, handlers) {
    open_ports(description, state_);
}

void SwitchStep::start(std::uint32_t message) {
    const std::int64_t bytes = state_.messages[message].bytes;
    const std::uint32_t port_number = state_.plan[state_.messages[message].hop].port;
    const CreditPort& port = state_.ports[port_number];
    if ((port.watched | port.suspended | port.booked) != 0) {
        prepare_port(port_number, none);
    }
    join_send_queue(message, state_.clock.now());
    if (state_.fast_forward != nullptr) {
        state_.fast_forward->after_start(port_number, bytes);
    }
}

void SwitchStep::prepare_port(std::uint32_t port_number, std::uint32_t message) {
    if (state_.ports[port_number].booked != 0) {
        state_.lone->make_room(port_number);
    } else if (message == none) {
        state_.fast_forward->before_start(port_number);
    } else {
        state_.fast_forward->packet_comes(port_number, message);
    }
}

void SwitchStep::join_send_queue(std::uint32_t message, std::int64_t now) {
    const PlannedHop hop = state_.plan[state_.messages[message].hop];
    state_.messages.append(state_.send_queue(hop.port, hop.channel), message);
    state_.show_next_message(hop.queue);
    schedule_.wake_port(hop.port, now);
}

void SwitchStep::wake(std::uint32_t port_number) {
    const std::int64_t now = state_.clock.now();
    if (PortSchedule<CreditPort>::take_due(state_.ports[port_number], now)) {
        decide(port_number, now);
    }
}

void SwitchStep::wake_again(std::uint32_t port_number) {
    decide_again(port_number, state_.clock.now());
}

void SwitchStep::decide_again(std::uint32_t port_number, std::int64_t now) {
    ThreadPartition& partition = state_.partition_of(state_.ports[port_number]);
    partition.deferred = true;
    decide(port_number, now);
    partition.deferred = false;
}

void SwitchStep::decide_first_again(ThreadPartition& partition, std::int64_t now) {
    const auto first = std::min_element(partition.again.begin(), partition.again.end());
    const std::uint32_t port = *first;
    partition.again.erase(first);
    decide_again(port, now);
}

void SwitchStep::defer_arbitration(std::uint32_t port_number) {
    if (schedule_.is_replaying() || state_.in_window) {
        state_.partition_of(state_.ports[port_number]).again.push_back(port_number);
        return;
    }
    state_.clock.schedule(
        state_.clock.now(),
        EventKey::of(Phase::Arbitration, engine::event_kind::port_again, port_number), again_event_,
        port_number);
}

void SwitchStep::decide(std::uint32_t port_number, std::int64_t now) {
    CreditPort& port = state_.ports[port_number];
    // Busy only for messages that other code sends after the decisions of this instant.
    if (port.busy_until <= now && (port.irregular == 0 || links_.is_up(port_number, now))) {
        ThreadPartition& partition = state_.partition_of(port);
        partition.yielded = false;
        const std::uint32_t queue = arbiter_.choose(port_number, now);
        if (queue != none && port.irregular == 1 &&
            !next_hop_.gets_through(port_number, state_.queues[queue].wire, now)) {
            plan_wake(port_number, next_hop_.dead_from(port_number));
            return;
        }
        if (queue != none) {
            counts_.count_arrived(port, now);
            transmit(port_number, queue, now);
        } else if (partition.yielded) {
            defer_arbitration(port_number);
            return;
        }
    }
    plan_wake(port_number, std::max(port.busy_until, now));
}

inline void SwitchStep::forward_by_route(const CreditPort& from, std::uint32_t place,
                                         const Crossing& crossing) {
    QueuedPacket& packet = state_.packets[place];
    ++packet.hop;
    const std::uint32_t next = state_.plan[packet.hop].port;
    packet.ready = links_.may_leave(crossing, next, state_.wire_bytes(packet.payload));
    const CreditPort& to = state_.ports[next];
    if (state_.partition_number(from) != state_.partition_number(to)) {
        state_.outgoing(from, to).packets.push_back(place);
        return;
    }
    push(place);
}

void SwitchStep::transmit(std::uint32_t port_number, std::uint32_t queue_number, std::int64_t now) {
    CreditPort& port = state_.ports[port_number];
    const VirtualOutputQueue& queue = state_.queues[queue_number];
    const std::uint32_t slot = queue_number - port.first_queue;
    port.next_queue = (slot + 1 == port.queues ? 0 : slot + 1) & CreditPort::most_queues;

    const std::uint32_t wire = queue.wire;
    const Crossing crossing = links_.cross(port_number, wire, now);
    if (port.starved != 0) {
        counts_.count_stall(port_number, now);
    }
    const bool starts = queue.upstream == none;
    if (!starts) {
        counts_.leave(port_number, wire, now);
    }
    if (state_.several) {
        arbiter_.serve_class(port_number, queue_number, crossing.attempts);
    }
    const std::uint8_t channel = queue.channel;
    state_.credit(port_number, channel).take(wire);
    port.busy_until = crossing.end;
    const std::uint32_t place = starts ? cut_packet(queue_number, now, crossing.end)
                                       : pop_packet(port, queue_number, crossing.end);
    port.busy += crossing.busy;
    if (state_.load != nullptr) {
        state_.load->add(port_number, now, crossing.end, crossing.busy);
    }
    port.wire += wire;
    ++port.packets;
    if ((port.anchor | port.look) != 0) {
        notifications_.announce_start(port_number, now, crossing.end);
    }

    QueuedPacket& packet = state_.packets[place];
    port.payload += packet.payload;
    if (state_.observer != nullptr) {
        state_.observer->packet_started(LinkId(std::size_t{port_number}), observed(place, wire),
                                        Time::ps(crossing.arrival), starts ? Bytes() : Bytes(wire));
    }
    const bool final = state_.plan[packet.hop].final;
    if (final) {
        state_.credit(port_number, channel)
            .give_back(links_.credit_back(port_number, crossing.arrival), wire);
    }
    if (port.cut == 1) {
        boundary_->leave(port_number, place, crossing);
        return;
    }
    if (!final && state_.paths.router == nullptr) {
        forward_by_route(port, place, crossing);
        return;
    }
    if (!final) {
        forward(port_number, place, crossing, port.packets);
        return;
    }
    arrive(port, packet.message, packet.last == 1, crossing.arrival);
    state_.packets.free(place, state_.partition_number(port));
}

ObservedPacket SwitchStep::observed(std::uint32_t place, std::uint32_t wire) {
    const QueuedPacket& packet = state_.packets[place];
    ObservedPacket seen;
    seen.wire = Bytes(wire);
    seen.source = engine::MessageId::source_of(state_.messages[packet.message].id);
    seen.traffic_class =
        static_cast<std::uint8_t>(state_.plan[packet.hop].channel / state_.classes.channels);
    if (state_.paths.router != nullptr) {
        const CreditPath& path = state_.paths.of_packet(place);
        seen.destination = path.place.destination;
        seen.sequence = static_cast<std::uint64_t>(path.number);
    } else {
        seen.destination = state_.plan.end_of(packet.hop);
    }
    return seen;
}

void SwitchStep::forward(std::uint32_t port_number, std::uint32_t place, const Crossing& crossing,
                         std::int64_t number) {
    if (state_.paths.router == nullptr) {
        forward_by_route(state_.ports[port_number], place, crossing);
        return;
    }
    next_hop_.cross(place, crossing);
    if (state_.paths.router->is_oblivious()) {
        packet_in(place);
        return;
    }
    // Two packets of a link arrive at the same instant only after a change of latency.
    state_.clock.schedule(state_.packets[place].ready,
                          EventKey::of(Phase::Arrival, engine::event_kind::packet_in, port_number,
                                       static_cast<std::uint64_t>(number)),
                          packet_in_event_, place);
}

void SwitchStep::packet_in(std::uint32_t place) {
    push(place, next_hop_.choose(place));
}

void SwitchStep::arrive(const CreditPort& port, std::uint32_t message, bool last,
                        std::int64_t arrival) {
    if (state_.paths.router != nullptr) {
        if (next_hop_.arrive(message, arrival)) {
            notifications_.announce(port,
                                    {state_.paths.of_message(message).last_arrival, message, true});
        }
    } else if (last) {
        notifications_.announce(port, {arrival, message, true});
    }
    if (boundary_ != nullptr) {
        boundary_->release(message);
    }
}

std::uint32_t SwitchStep::cut_packet(std::uint32_t queue_number, std::int64_t now,
                                     std::int64_t end) {
    const std::uint32_t number = state_.queues[queue_number].head;
    const std::uint32_t port_number = state_.queues[queue_number].tail;
    const CreditPort& port = state_.ports[port_number];
    MessageRecord& message = state_.messages[number];
    const std::int64_t payload = std::min(message.remaining, state_.mtu);
    state_.count_sent(message, payload, state_.partition_of(port));
    if (message.first_byte_left < 0) {
        message.first_byte_left = now;
    }
    const std::uint32_t place = state_.packets.take(state_.partition_number(port));
    QueuedPacket& packet = state_.packets[place];
    packet.message = number;
    packet.hop = message.hop;
    packet.payload = static_cast<std::uint32_t>(payload) & 0x7fffffff;
    packet.last = message.remaining == 0;
    if (state_.oldest) {
        state_.packets.born(place) = now;
    }
    if (boundary_ != nullptr) {
        boundary_->hold(number);
    }

    RoundRobinList& send_queue =
        state_.send_queue(port_number, state_.queues[queue_number].channel);
    if (state_.paths.router != nullptr && next_hop_.cut(number, place, now, end)) {
        state_.messages.remove(send_queue, number);
        join_send_queue(number, now);
    } else if (message.remaining > 0) {
        state_.messages.serve(send_queue, number);
        if (send_queue.first == send_queue.last && message.remaining >= state_.mtu) {
            return place;  // the head stays: a full packet of the same message
        }
    } else {
        if (port.watched != 0) {
            state_.fast_forward->message_ends(port_number);
        }
        state_.messages.remove(send_queue, number);
        end_source(port, number, end);
    }
    state_.show_next_message(queue_number);
    return place;
}

void SwitchStep::end_source(const CreditPort& port, std::uint32_t message, std::int64_t end) {
    if (state_.messages[message].wants_sent) {
        const bool several = state_.paths.router != nullptr;
        notifications_.announce(
            port, {several ? state_.paths.of_message(message).last_end : end, message, false});
    } else if (boundary_ != nullptr) {
        boundary_->end_source(message);
    }
}

std::uint32_t SwitchStep::pop_packet(CreditPort& port, std::uint32_t queue_number,
                                     std::int64_t end) {
    VirtualOutputQueue& queue = state_.queues[queue_number];
    const std::uint32_t wire = queue.wire;
    const std::uint32_t place = queue.head;
    const std::uint32_t next = state_.packets[place].next;
    if (state_.paths.router != nullptr) {
        next_hop_.leave(place);
    }
    port.queued -= wire;
    if (queue.unarrived == place) {
        queue.unarrived = next;
    } else {
        port.arrived -= wire;
    }
    queue.head = next;
    if (next != none) {
        state_.show_head(queue);
    } else {
        state_.filled.clear(port, queue_number);
    }

    const CreditPort& upstream = state_.ports[queue.upstream];
    const bool near = state_.partition_number(port) == state_.partition_number(upstream);
    if (near && upstream.suspended != 0) {
        state_.fast_forward->credit_comes(queue.upstream);
    }
    if (state_.reads.are_limited()) {
        const auto output = static_cast<std::uint32_t>(&port - state_.ports.data());
        state_.reads.start(queue.upstream, output, end);
    }
    const CrossPartitionCredit credit{links_.credit_back(queue.upstream, end), queue.upstream,
                                      queue.input_channel, wire};
    if (!near) {
        state_.outgoing(port, upstream).credits.push_back(credit);
        return place;
    }
    return_credit(credit);
    return place;
}

void SwitchStep::return_credit(const CrossPartitionCredit& credit) {
    if (state_.ports[credit.port].cut == 1) {
        boundary_->send_credit_back(credit);
        return;
    }
    take_credit(credit);
}

void SwitchStep::take_credit(const CrossPartitionCredit& credit) {
    const CreditPort& port = state_.ports[credit.port];
    state_.credit(credit.port, credit.channel).give_back(credit.stamp, credit.wire);
    if ((port.waiting >> credit.channel & 1U) != 0) {
        schedule_.wake_port(credit.port, credit.stamp);
    }
}

void SwitchStep::push(std::uint32_t place, PlannedHop hop) {
    CreditPort& port = state_.ports[hop.port];
    if ((port.watched | port.suspended | port.booked) != 0) {
        prepare_port(hop.port, state_.packets[place].message);
    }
    QueuedPacket& packet = state_.packets[place];
    packet.next = none;
    VirtualOutputQueue& queue = state_.queues[hop.queue];
    const std::uint32_t wire = state_.wire_bytes(packet.payload);
    port.queued += wire;
    counts_.join(hop.port, wire, packet.ready);
    if (queue.unarrived == none) {
        queue.unarrived = place;
    }
    if (queue.head != none) {
        // A wake covers the head already; it will cover this packet once it is the head.
        state_.packets[queue.tail].next = place;
        queue.tail = place;
        return;
    }
    queue.head = place;
    queue.tail = place;
    state_.show_head(queue);
    state_.filled.set(port, hop.queue);
    schedule_.wake_port(hop.port, packet.ready);
}

void SwitchStep::receive_deferred(std::uint32_t number) {
    for (ThreadPartition& sender : state_.partitions) {
        CrossPartitionMessages& messages = sender.outgoing[number];
        for (const std::uint32_t place : messages.packets) {
            push(place);
        }
        for (const CrossPartitionCredit& credit : messages.credits) {
            return_credit(credit);
        }
        messages.packets.clear();
        messages.credits.clear();
    }
}

void SwitchStep::plan_wake(std::uint32_t port_number, std::int64_t from) {
    CreditPort& port = state_.ports[port_number];
    std::int64_t earliest = never;
    port.waiting = 0;
    state_.filled.for_each(port, 0, [&](std::uint32_t number) {
        const VirtualOutputQueue& queue = state_.queues[number];
        std::int64_t there = std::max(queue.ready, from);
        const std::int64_t paid = state_.credit(port_number, queue.channel).when(queue.wire, from);
        if (state_.reads.are_limited() && queue.upstream != none) {
            const std::int64_t free = state_.reads.free_at(queue.upstream, from);
            port.starved |= free > there ? 1U : 0U;
            there = std::max(there, free);
        }
        if (paid > from) {
            // A credit returned later may count earlier than those already on their way.
            port.waiting |= 1U << queue.channel;
            port.starved |= paid > there ? 1U : 0U;
        }
        earliest = std::min(earliest, std::max(there, paid));
        // Nothing can be earlier; the remaining queues are examined at that time.
        return earliest == from;
    });
    if (earliest != never) {
        schedule_.arm(port_number, links_.after_outage(port_number, earliest));
    }
}

}  // namespace npunet::packet
