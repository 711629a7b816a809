#include "analytical/congestion_unaware.h"

#include <algorithm>
#include <cmath>

#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

using engine::EventKey;
using engine::later;
using engine::Message;
using engine::Phase;

CongestionUnaware::CongestionUnaware(const topology::NetworkDescription& description,
                                     engine::EventQueue& queue, const engine::Dialect& dialect,
                                     const engine::Fold& fold)
    : description_(description),
      queue_(queue),
      fold_(fold),
      clock_(description),
      faulty_(clock_.faulty()),
      ports_queue_(dialect.ports_queue),
      reference_arithmetic_(dialect.whole_nanoseconds),
      routes_(description),
      source_free_(description.graph.links()),
      sink_free_(description.graph.links()),
      shared_sink_(description.graph.links(), faulty_ ? 1 : 0),
      alone_on_link_(description.graph.links(), 0) {
    for (std::size_t link = 0; link < shared_sink_.size(); ++link) {
        if (description.graph.link(LinkId(link)).latency == Time()) {
            shared_sink_[link] = 1;
        }
    }
    if (!fold.trivial()) {
        rank_of_npu_.resize(description.npu_of_rank.size());
        for (std::size_t rank = 0; rank < rank_of_npu_.size(); ++rank) {
            rank_of_npu_[description.npu_of_rank[rank].index()] = Rank(rank);
        }
    }
}

void CongestionUnaware::make_room(std::uint32_t handle) {
    in_flight_.resize(handle + std::size_t{1});
}

inline void CongestionUnaware::keep(const Message& message, Time started,
                                    std::uint32_t route_number) {
    if (message.handle >= in_flight_.size()) {
        make_room(message.handle);
    }
    InFlight& flight = in_flight_[message.handle];
    flight.bytes = message.bytes;
    flight.started = started;
    flight.order_major = message.order_major;
    flight.order_minor = message.order_minor;
    flight.route = route_number;
    flight.active = true;
    flight.void_delivery = false;
}

Time CongestionUnaware::transfer(const CachedRoute& route, Time started, Bytes bytes) const {
    return faulty_ ? clock_.end(routes_.links(route), started, bytes) - started
                   : transfer_time(bytes, route.slowest);
}

Time CongestionUnaware::latency(const CachedRoute& route, Time started) const {
    return faulty_ ? clock_.latency(routes_.links(route), started) : route.latency;
}

void CongestionUnaware::account(std::uint32_t route_number, Bytes bytes, Time started,
                                Time at_slowest) {
    RouteUse& use = use_[route_number];
    use.payload += bytes;
    const CachedRoute& route = routes_[route_number];
    if (use.one_rate) {
        use.busy = later(use.busy, at_slowest);
        return;
    }
    for (std::uint32_t place = route.begin; place < route.begin + route.hops; ++place) {
        const LinkId link = routes_.link(place);
        busy_[place] =
            later(busy_[place], faulty_ ? clock_.end(link, started, bytes) - started
                                        : transfer_time(bytes, description_.graph.link(link).rate));
    }
}

void CongestionUnaware::account_planes(const CachedRoute& route, Bytes bytes) {
    for (std::uint32_t plane = 0; plane < route.planes; ++plane) {
        const Bytes part = route.part(bytes, plane);
        const std::uint32_t first = route.begin + plane * route.hops;
        plane_payload_[first] += part;
        for (std::uint32_t place = first; place < first + route.hops; ++place) {
            busy_[place] =
                later(busy_[place],
                      transfer_time(part, description_.graph.link(routes_.link(place)).rate));
        }
    }
}

std::vector<engine::LinkUse> CongestionUnaware::link_use() const {
    std::vector<engine::LinkUse> result(description_.graph.links());
    const auto add = [&](std::uint32_t number, LinkId link, std::size_t hop) {
        const RouteUse& own = use_[number];
        const CachedRoute& route = routes_[number];
        engine::LinkUse& use = result[link.index()];
        const Bytes payload = route.planes == 1
                                  ? own.payload
                                  : plane_payload_[route.begin + hop / route.hops * route.hops];
        use.payload += payload;
        use.wire += payload;
        use.busy = later(use.busy, own.busy);
        if (!busy_.empty()) {
            use.busy = later(use.busy, busy_[route.begin + hop]);
        }
    };
    for (std::uint32_t number = 0; number < use_.size(); ++number) {
        const CachedRoute& route = routes_[number];
        for (std::uint32_t hop = 0; hop < route.planes * route.hops; ++hop) {
            add(number, routes_.link(route.begin + hop), hop);
        }
        if (fold_.trivial()) {
            continue;
        }
        // Every rank of the sender's class sends the same over a route like this one.
        const Rank sender = rank_of_npu_[route.source.index()];
        const std::size_t receiver =
            fold_.number_of_receiver(sender, rank_of_npu_[route.destination.index()]);
        for (const Rank other : fold_.like(sender)) {
            if (other == sender) {
                continue;
            }
            const topology::PlaneRoutes planes = description_.routes(
                description_.npu_of_rank[other.index()],
                description_.npu_of_rank[fold_.receiver(other, receiver).index()]);
            std::size_t place = 0;
            for (const std::vector<topology::Hop>& plane : planes) {
                for (const topology::Hop& hop : plane) {
                    add(number, hop.link, place++);
                }
            }
        }
    }
    return result;
}

void CongestionUnaware::add_route(std::uint32_t number) {
    const CachedRoute& route = routes_[number];
    use_.resize(number + 1);
    use_[number].one_rate = route.one_rate && !faulty_ && route.planes == 1;
    const auto taken_in_at = [&](LinkId last) {
        return fold_.trivial() ? last
                               : fold_.in_port_like(last, rank_of_npu_[route.destination.index()]);
    };
    use_[number].sink = taken_in_at(route.last);
    const std::uint32_t end = route.begin + route.planes * route.hops;
    if (!use_[number].one_rate || !busy_.empty()) {
        busy_.resize(end);
    }
    if (route.planes > 1) {
        plane_payload_.resize(end);
        plane_sinks_.resize(end);
        for (std::uint32_t plane = 0; plane < route.planes; ++plane) {
            const LinkId sink = taken_in_at(routes_.last(route, plane));
            plane_sinks_[route.begin + plane * route.hops] = sink;
            use_[number].sink = std::min(use_[number].sink, sink);
            share_sink(sink);
        }
    }
    if (reference_arithmetic_) {
        reference_costs_.push_back(reference_cost(route.source, route.destination));
    } else if (ports_queue_ && route.hops > 1) {
        share_sink(use_[number].sink);
    }
}

inline void CongestionUnaware::deliver_at(Time at, std::uint32_t slot) {
    // What arrives at one instant commutes: the engine puts it in order.
    queue_.schedule(at, EventKey::of(Phase::Arrival, engine::event_kind::message_delivered, 0),
                    *this, (static_cast<std::uint64_t>(slot) << 2) | delivered);
}

inline void CongestionUnaware::send_through_ports(const Message& message,
                                                  std::uint32_t route_number) {
    const CachedRoute& route = routes_[route_number];
    RouteUse& use = use_[route_number];
    Time& free = source_free_[route.first.index()];
    const Time started = ports_queue_ ? std::max(queue_.now(), free) : queue_.now();
    Time at_slowest;
    if (use.one_rate) {
        KnownTransfer& known = use.latest[static_cast<std::size_t>(message.bytes.value() & 1)];
        if (message.bytes != known.bytes) {
            known = {message.bytes, transfer_time(message.bytes, route.slowest)};
        }
        at_slowest = known.time;
        use.payload += message.bytes;
        use.busy = later(use.busy, at_slowest);
        free = later(started, at_slowest);
    } else {
        at_slowest = transfer(route, started, message.bytes);
        account(route_number, message.bytes, started, at_slowest);
        free = faulty_ ? clock_.end(route.first, started, message.bytes)
                       : later(started, transfer_time(message.bytes, route.first_rate));
    }
    keep(message, started, route_number);
    if (message.wants_sent) {
        queue_.schedule(
            free,
            EventKey::of(Phase::Arrival, engine::event_kind::message_sent, message.id.value()),
            *this, (static_cast<std::uint64_t>(message.handle) << 2) | sent);
    }
    if (shared_sink_[use.sink.index()] != 0) {
        const Time head_in = later(started, faulty_ ? latency(route, started) : route.latency);
        if (head_in > queue_.now()) {
            schedule_head(message.handle, head_in);
        } else {
            send_at_once(message.handle);
        }
        return;
    }
    // The port where the message leaves is the one where it arrives: it has waited there already.
    ++alone_on_link_[use.sink.index()];
    deliver_at(later(later(started, faulty_ ? latency(route, started) : route.latency), at_slowest),
               message.handle);
}

void CongestionUnaware::send_over_planes(const Message& message, std::uint32_t route_number) {
    const CachedRoute& route = routes_[route_number];
    Time started = queue_.now();
    for (std::uint32_t plane = 0; ports_queue_ && plane < route.planes; ++plane) {
        started = std::max(started, source_free_[routes_.first(route, plane).index()]);
    }
    const Time left = later(started, transfer_time(route.part(message.bytes, 0), route.first_rate));
    for (std::uint32_t plane = 0; plane < route.planes; ++plane) {
        source_free_[routes_.first(route, plane).index()] = left;
    }
    account_planes(route, message.bytes);
    keep(message, started, route_number);
    if (message.wants_sent) {
        queue_.schedule(
            left,
            EventKey::of(Phase::Arrival, engine::event_kind::message_sent, message.id.value()),
            *this, (static_cast<std::uint64_t>(message.handle) << 2) | sent);
    }
    // Of planes all sinks are shared: each may take in messages over other planes.
    const Time head_in = later(started, route.latency);
    if (head_in > queue_.now()) {
        schedule_head(message.handle, head_in);
    } else {
        send_at_once(message.handle);
    }
}

Time CongestionUnaware::take_in_over_planes(const InFlight& flight, const CachedRoute& route) {
    const Bytes part = route.part(flight.bytes, 0);
    const Time own = transfer_time(part, route.last_rate);
    Time taken_in = later(queue_.now(), transfer_time(part, route.slowest));
    for (std::uint32_t plane = 0; plane < route.planes; ++plane) {
        const LinkId sink = plane_sinks_[route.begin + plane * route.hops];
        taken_in = std::max(taken_in, later(sink_free_[sink.index()], own));
    }
    for (std::uint32_t plane = 0; plane < route.planes; ++plane) {
        sink_free_[plane_sinks_[route.begin + plane * route.hops].index()] = taken_in;
    }
    return taken_in;
}

void CongestionUnaware::send(const Message& message) {
    const std::uint32_t route_number = routes_.number(message.source, message.destination);
    if (route_number == use_.size()) {
        add_route(route_number);
    }
    if (reference_arithmetic_) {
        send_as_reference(message, route_number);
    } else if (routes_[route_number].planes > 1) {
        send_over_planes(message, route_number);
    } else {
        send_through_ports(message, route_number);
    }
}

void CongestionUnaware::schedule_head(std::uint32_t slot, Time at) {
    const InFlight& flight = in_flight_[slot];
    const auto link = static_cast<std::uint64_t>(use_[flight.route].sink.value());
    queue_.schedule(at,
                    EventKey::of(Phase::Arrival, engine::event_kind::message_head,
                                 (link << 33) | flight.order_major, flight.order_minor),
                    *this, (static_cast<std::uint64_t>(slot) << 2) | head);
}

void CongestionUnaware::send_at_once(std::uint32_t slot) {
    if (at_once_.empty()) {
        queue_.schedule(queue_.now(),
                        EventKey::of(Phase::Arbitration, engine::event_kind::at_once, 0), *this,
                        heads_at_once);
    }
    at_once_.push_back(slot);
}

void CongestionUnaware::begin_round() {
    for (const std::uint32_t slot : at_once_) {
        schedule_head(slot, queue_.now());
    }
    at_once_.clear();
}

void CongestionUnaware::share_sink(LinkId link) {
    if (shared_sink_[link.index()] != 0) {
        return;
    }
    shared_sink_[link.index()] = 1;
    if (alone_on_link_[link.index()] == 0) {
        return;
    }
    for (std::uint32_t slot = 0; slot < in_flight_.size(); ++slot) {
        InFlight& flight = in_flight_[slot];
        const CachedRoute& route = routes_[flight.route];
        if (!flight.active || use_[flight.route].sink != link) {
            continue;
        }
        const Time head_in = later(flight.started, latency(route, flight.started));
        if (head_in > queue_.now()) {
            flight.void_delivery = true;
            schedule_head(slot, head_in);
        } else {
            sink_free_[link.index()] =
                std::max(sink_free_[link.index()],
                         later(head_in, transfer(route, flight.started, flight.bytes)));
        }
    }
}

void CongestionUnaware::head_arrives(std::uint32_t slot) {
    const InFlight& flight = in_flight_[slot];
    const CachedRoute& route = routes_[flight.route];
    if (route.planes > 1) {
        deliver_at(take_in_over_planes(flight, route), slot);
        return;
    }
    // The last link is busy until the message before has passed, then needs its own time.
    const Time at_slowest = transfer(route, flight.started, flight.bytes);
    Time& free = sink_free_[use_[flight.route].sink.index()];
    Time taken_in;
    if (faulty_) {
        // Faults are seen where the message starts: a latency ago.
        const Time ago = queue_.now() - flight.started;
        const Time from = std::max(free - ago, flight.started);
        taken_in = later(clock_.end(route.last, from, flight.bytes), ago);
    } else {
        taken_in =
            later(free, route.one_rate ? at_slowest : transfer_time(flight.bytes, route.last_rate));
    }
    free = std::max(later(queue_.now(), at_slowest), taken_in);
    deliver_at(free, slot);
}

void CongestionUnaware::handle(std::uint64_t payload) {
    const auto slot = static_cast<std::uint32_t>(payload >> 2);
    switch (static_cast<Happening>(payload & 3)) {
        case sent:
            listener_->on_sent(slot);
            return;
        case head:
            head_arrives(slot);
            return;
        case delivered: {
            InFlight& flight = in_flight_[slot];
            if (flight.void_delivery) {
                flight.void_delivery = false;
                return;
            }
            flight.active = false;
            const std::size_t sink = use_[flight.route].sink.index();
            if (shared_sink_[sink] == 0) {
                --alone_on_link_[sink];
            }
            listener_->on_delivered(slot, flight.started);
            return;
        }
        case heads_at_once:
            begin_round();
            return;
    }
}

CongestionUnaware::ReferenceCost CongestionUnaware::reference_cost(NodeId from, NodeId to) const {
    ReferenceCost cost;
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
        cost.latency_ns = hops * dimension.latency_ns;
        cost.bytes_per_ns = dimension.bandwidth_gbps * static_cast<double>(1 << 30) / 1e9;
        break;
    }
    return cost;
}

void CongestionUnaware::send_as_reference(const Message& message, std::uint32_t route_number) {
    account(route_number, message.bytes, queue_.now(),
            transfer_time(message.bytes, routes_[route_number].slowest));
    const ReferenceCost& cost = reference_costs_[route_number];
    const double ns =
        cost.latency_ns + static_cast<double>(message.bytes.value()) / cost.bytes_per_ns;
    keep(message, queue_.now(), route_number);
    deliver_at(later(queue_.now(), engine::truncated_ns(ns)), message.handle);
}

}  // namespace npunet::analytical
