#include "analytical/congestion_unaware.h"

#include <algorithm>
#include <cmath>

#include "engine/clock_limit.h"

namespace npunet::analytical {

using engine::EventKey;
using engine::later;
using engine::Message;
using engine::Phase;

CongestionUnaware::CongestionUnaware(const topology::NetworkDescription& description,
                                     engine::EventQueue& queue, const engine::Dialect& dialect)
    : description_(description),
      queue_(queue),
      clock_(description),
      ports_queue_(dialect.ports_queue),
      reference_arithmetic_(dialect.whole_nanoseconds),
      use_(description.graph.links()),
      source_free_(description.graph.links()),
      sink_free_(description.graph.links()) {}

std::uint32_t CongestionUnaware::new_slot() {
    if (free_.empty()) {
        in_flight_.emplace_back();
        return static_cast<std::uint32_t>(in_flight_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
}

void CongestionUnaware::schedule(Time at, Happening what, std::uint32_t slot,
                                 const Message& message) {
    constexpr unsigned kinds[] = {engine::event_kind::message_sent,
                                  engine::event_kind::message_head,
                                  engine::event_kind::message_delivered};
    queue_.schedule(at, EventKey::of(Phase::Arrival, kinds[what], message.id.value()), *this,
                    (static_cast<std::uint64_t>(slot) << 2) | what);
}

void CongestionUnaware::account(const std::vector<topology::Hop>& route, Bytes bytes,
                                Time started) {
    for (const topology::Hop& hop : route) {
        engine::LinkUse& use = use_[hop.link.index()];
        use.payload += bytes;
        use.wire += bytes;
        use.busy =
            later(use.busy, clock_.faulty()
                                ? clock_.end(hop.link, started, bytes) - started
                                : transfer_time(bytes, description_.graph.link(hop.link).rate));
    }
}

void CongestionUnaware::send(const Message& message) {
    if (reference_arithmetic_) {
        send_as_reference(message);
        return;
    }
    const std::vector<topology::Hop> route =
        description_.route(message.source, message.destination);
    Time latency;
    Rate slowest = description_.graph.link(route.front().link).rate;
    for (const topology::Hop& hop : route) {
        const topology::Link& link = description_.graph.link(hop.link);
        latency = later(latency, link.latency);
        slowest = std::min(slowest, link.rate);
    }
    const LinkId first = route.front().link;
    Time occupied = transfer_time(message.bytes, description_.graph.link(first).rate);
    Time transfer = transfer_time(message.bytes, slowest);
    const Time started =
        ports_queue_ ? std::max(queue_.now(), source_free_[first.index()]) : queue_.now();
    if (clock_.faulty()) {
        occupied = clock_.end(first, started, message.bytes) - started;
        transfer = clock_.end(route, started, message.bytes) - started;
        latency = clock_.latency(route, started);
    }
    account(route, message.bytes, started);
    source_free_[first.index()] = later(started, occupied);
    const std::uint32_t slot = new_slot();
    in_flight_[slot] = {message, started, transfer, route.back().link};
    if (message.wants_sent) {
        schedule(later(started, occupied), sent, slot, message);
    }
    schedule(later(started, latency), head, slot, message);
}

void CongestionUnaware::head_arrives(std::uint32_t slot) {
    const InFlight& flight = in_flight_[slot];
    Time arrival = later(queue_.now(), flight.transfer);
    if (ports_queue_) {
        // The last link is busy until the message before has passed, then needs its own time.
        Time& free = sink_free_[flight.last.index()];
        const Bytes bytes = flight.message.bytes;
        Time taken_in =
            later(free, transfer_time(bytes, description_.graph.link(flight.last).rate));
        if (clock_.faulty()) {
            // Faults are seen where the message starts: a latency ago.
            const Time latency = queue_.now() - flight.started;
            const Time from = std::max(free - latency, flight.started);
            taken_in = later(clock_.end(flight.last, from, bytes), latency);
        }
        arrival = std::max(arrival, taken_in);
        free = arrival;
    }
    schedule(arrival, delivered, slot, flight.message);
}

void CongestionUnaware::handle(std::uint64_t payload) {
    const auto slot = static_cast<std::uint32_t>(payload >> 2);
    switch (static_cast<Happening>(payload & 3)) {
        case sent:
            listener_->on_sent(in_flight_[slot].message.handle);
            return;
        case head:
            head_arrives(slot);
            return;
        case delivered: {
            const InFlight flight = in_flight_[slot];
            free_.push_back(slot);
            listener_->on_delivered(flight.message.handle, flight.started);
            return;
        }
    }
}

Time CongestionUnaware::reference_delay(NodeId from, NodeId to, Bytes bytes) const {
    for (std::size_t d = 0; d < description_.dimensions.size(); ++d) {
        const topology::Dimension& dimension = description_.dimensions[d];
        const std::int32_t a = description_.coordinate(from, d);
        const std::int32_t b = description_.coordinate(to, d);
        if (a == b) {
            continue;
        }
        const std::int32_t distance = std::abs(a - b);
        double hops = 1;
        switch (dimension.kind) {
            case topology::DimensionKind::Ring:
                hops = std::min(distance, dimension.size - distance);
                break;
            case topology::DimensionKind::Mesh1D:
                hops = distance;
                break;
            case topology::DimensionKind::Switch:
                hops = 2;
                break;
            case topology::DimensionKind::FullyConnected:
                break;
        }
        const double bytes_per_ns = dimension.bandwidth_gbps * static_cast<double>(1 << 30) / 1e9;
        const double ns =
            hops * dimension.latency_ns + static_cast<double>(bytes.value()) / bytes_per_ns;
        return engine::truncated_ns(ns);
    }
    return Time();
}

void CongestionUnaware::send_as_reference(const Message& message) {
    account(description_.route(message.source, message.destination), message.bytes, queue_.now());
    const std::uint32_t slot = new_slot();
    in_flight_[slot] = {message, queue_.now(), Time(), LinkId()};
    const Time arrival =
        later(queue_.now(), reference_delay(message.source, message.destination, message.bytes));
    schedule(arrival, delivered, slot, message);
}

}  // namespace npunet::analytical
