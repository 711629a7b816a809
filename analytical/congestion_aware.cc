#include "analytical/congestion_aware.h"

#include <algorithm>
#include <cassert>

#include "engine/clock/clock_limit.h"
#include "engine/network/link_load.h"

namespace npunet::analytical {

using engine::EventKey;
using engine::later;
using engine::Message;
using engine::Phase;

CongestionAware::CongestionAware(const topology::NetworkDescription& description,
                                 engine::EventQueue& queue, const engine::Dialect& dialect)
    : queue_(queue),
      arithmetic_(Arithmetic::Picoseconds),
      by_content_(dialect.event_order == engine::EventQueue::Order::Content),
      clock_(description),
      routes_(description),
      use_(description.graph.links()) {
    ports_.reserve(description.graph.links());
    for (std::size_t i = 0; i < description.graph.links(); ++i) {
        const topology::Link& link = description.graph.link(LinkId(i));
        Port& port = ports_.emplace_back();
        port.latency = link.latency;
        port.rate = link.rate;
    }
    if (dialect.whole_nanoseconds) {
        assert(description.dimensions.size() == 1 && !clock_.faulty());
        const topology::Dimension& dimension = description.dimensions.front();
        arithmetic_ = Arithmetic::Reference;
        bytes_per_ns_ = dimension.bandwidth_gbps * static_cast<double>(1 << 30) / 1e9;
        latency_ns_ = dimension.latency_ns;
    } else if (clock_.faulty()) {
        arithmetic_ = Arithmetic::Faults;
    }
}

void CongestionAware::schedule(Time at, Happening what, std::uint32_t slot) {
    constexpr unsigned kinds[] = {engine::event_kind::message_sent,
                                  engine::event_kind::message_head,
                                  engine::event_kind::message_delivered};
    queue_.schedule(at,
                    EventKey::of(Phase::Arrival, kinds[what], in_flight_[slot].message.id.value()),
                    *this, (static_cast<std::uint64_t>(slot) << 2) | what);
}

void CongestionAware::schedule_decision(LinkId link, Time at) {
    const auto port = static_cast<std::uint64_t>(link.value());
    ports_[link.index()].decision_due = true;
    queue_.schedule(at, EventKey::of(Phase::Arbitration, engine::event_kind::port, port), *this,
                    (port << 2) | decision);
}

void CongestionAware::send(const Message& message) {
    const CachedRoute& route = routes_[routes_.number(message.source, message.destination)];
    if (route.planes > 1) {
        send_over_planes(message, route);
    } else {
        join(start(message, route, 0));
    }
}

std::uint32_t CongestionAware::start(const Message& message, const CachedRoute& route,
                                     std::uint32_t plane) {
    const std::uint32_t slot = in_flight_.take();
    in_flight_[slot].message = message;
    in_flight_[slot].hop = route.begin + plane * route.hops;
    in_flight_[slot].end_of_route = in_flight_[slot].hop + route.hops;
    in_flight_[slot].started = Time::max();
    return slot;
}

void CongestionAware::send_over_planes(const Message& message, const CachedRoute& route) {
    const std::uint32_t number = wholes_.take();
    // Planes beyond the last byte carry nothing.
    const auto parts = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(message.bytes.value(), 1, route.planes));
    wholes_[number] = {Time::max(), parts, parts, none};
    for (std::uint32_t plane = 0; plane < parts; ++plane) {
        Message part = message;
        part.bytes = route.part(message.bytes, plane);
        const std::uint32_t slot = start(part, route, plane);
        in_flight_[slot].whole = number;
        join(slot);
    }
}

void CongestionAware::enqueue(Port& port, std::uint32_t slot) {
    InFlight& flight = in_flight_[slot];
    flight.queued = queue_.now();
    std::uint32_t before = port.tail;
    if (by_content_) {
        // Only what joined at this same instant may have to give way.
        while (before != none && in_flight_[before].queued == flight.queued &&
               in_flight_[before].message.id.value() > flight.message.id.value()) {
            before = in_flight_[before].previous;
        }
    }
    flight.previous = before;
    std::uint32_t& from_before = before == none ? port.head : in_flight_[before].next;
    flight.next = from_before;
    from_before = slot;
    std::uint32_t& from_after = flight.next == none ? port.tail : in_flight_[flight.next].previous;
    from_after = slot;
    port.waiting += flight.message.bytes;
}

std::uint32_t CongestionAware::dequeue(Port& port) {
    const std::uint32_t slot = port.head;
    port.head = in_flight_[slot].next;
    std::uint32_t& from_after = port.head == none ? port.tail : in_flight_[port.head].previous;
    from_after = none;
    port.waiting -= in_flight_[slot].message.bytes;
    return slot;
}

void CongestionAware::join(std::uint32_t slot) {
    const LinkId link = routes_.link(in_flight_[slot].hop);
    Port& port = ports_[link.index()];
    enqueue(port, slot);
    if (port.free_at > queue_.now()) {
        // Nothing leaves the queue any more in this instant.
        Bytes& most = use_[link.index()].max_queue;
        most = std::max(most, port.waiting);
    }
    if (port.decision_due) {
        return;
    }
    if (by_content_) {
        schedule_decision(link, std::max(queue_.now(), port.free_at));
    } else {
        decide(link);
    }
}

void CongestionAware::decide(LinkId link) {
    Port& port = ports_[link.index()];
    port.decision_due = false;
    if (port.head == none) {
        return;
    }
    transmit(link, dequeue(port));
    if (port.waiting > use_[link.index()].max_queue && port.free_at > queue_.now()) {
        use_[link.index()].max_queue = port.waiting;
    }
    if (port.head != none || !by_content_) {
        schedule_decision(link, port.free_at);
    }
}

CongestionAware::Crossing CongestionAware::cross(LinkId link, Bytes bytes) const {
    const Port& port = ports_[link.index()];
    const Time now = queue_.now();
    switch (arithmetic_) {
        case Arithmetic::Picoseconds:
            break;
        case Arithmetic::Faults: {
            const Time left = clock_.end(link, now, bytes);
            return {left, later(left, clock_.latency(link, left))};
        }
        case Arithmetic::Reference: {
            const double ns = static_cast<double>(bytes.value()) / bytes_per_ns_;
            return {later(now, engine::truncated_ns(ns)),
                    later(now, engine::truncated_ns(latency_ns_ + ns))};
        }
    }
    const Time left = later(now, transfer_time(bytes, port.rate));
    return {left, later(left, port.latency)};
}

void CongestionAware::transmit(LinkId link, std::uint32_t slot) {
    InFlight& flight = in_flight_[slot];
    const Bytes bytes = flight.message.bytes;
    const Crossing crossing = cross(link, bytes);
    engine::LinkUse& use = use_[link.index()];
    use.payload += bytes;
    use.wire += bytes;
    use.busy = later(use.busy, crossing.left - queue_.now());
    if (load_ != nullptr) {
        load_->add(link.index(), queue_.now().ps(), crossing.left.ps());
    }
    ports_[link.index()].free_at = crossing.left;
    if (flight.started == Time::max()) {
        flight.started = queue_.now();
        if (flight.message.wants_sent) {
            schedule(crossing.left, sent, slot);
        }
    }
    ++flight.hop;
    schedule(crossing.arrived, flight.hop < flight.end_of_route ? forwarded : delivered, slot);
}

void CongestionAware::handle(std::uint64_t payload) {
    const auto what = static_cast<Happening>(payload & 3);
    if (what == decision) {
        decide(LinkId(static_cast<std::int32_t>(payload >> 2)));
        return;
    }
    const auto slot = static_cast<std::uint32_t>(payload >> 2);
    switch (what) {
        case sent:
            leave_source(slot);
            return;
        case forwarded:
            join(slot);
            return;
        default:
            arrive(slot);
            return;
    }
}

void CongestionAware::leave_source(std::uint32_t slot) {
    const InFlight& flight = in_flight_[slot];
    if (flight.whole == none || --wholes_[flight.whole].unsent == 0) {
        listener_->on_sent(flight.message.handle);
    }
}

void CongestionAware::arrive(std::uint32_t slot) {
    const InFlight flight = in_flight_[slot];
    in_flight_.free(slot);
    Time started = flight.started;
    if (flight.whole != none) {
        Whole& whole = wholes_[flight.whole];
        started = whole.started = std::min(whole.started, started);
        if (--whole.expected > 0) {
            return;
        }
        wholes_.free(flight.whole);
    }
    listener_->on_delivered(flight.message.handle, started);
}

}  // namespace npunet::analytical
