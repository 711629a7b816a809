#include "packet/transport/queue_pair_table.h"

#include "packet/congestion/congestion_parameters.h"

#include "base/quantities.h"
#include "topology/parameters/congestion_parameters.h"

#include <algorithm>
#include <memory>

namespace npunet::packet {

using topology::TransportKind;

std::uint32_t QueuePairTable::number_of(std::uint64_t key) {
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) {
        return found->second;
    }
    const auto number = static_cast<std::uint32_t>(pairs_.size());
    numbers_.emplace(key, number);
    pairs_.emplace_back();
    QueuePair& pair = pairs_.back();
    pair.key = key;
    pair.source = QueuePair::source_of(key);
    of_source_[pair.source].push_back(number);
    pair.destination = QueuePair::destination_of(key);
    pair.traffic_class = QueuePair::class_of(key);
    pair.datagrams = QueuePair::service_of(key) == QueuePair::Service::Datagrams;
    if (!routes_.are_chosen()) {
        pair.forth = routes_.first_hop(pair.source, pair.destination);
        pair.back = routes_.first_hop(pair.destination, pair.source);
        pair.port = routes_.link_at(pair.forth);
    }
    if (description_.packet.transport.kind == TransportKind::None || pair.datagrams) {
        pair.window = CongestionControl::no_window;
    } else {
        open_transport(pair);
    }
    return number;
}

void QueuePairTable::open_transport(QueuePair& pair) const {
    const FlowPath path = path_of(pair);
    const topology::TransportParameters& transport = description_.packet.transport;
    const topology::CongestionControlChoice& choice = description_.packet.congestion_control;
    const std::int64_t product = 2 * capped_whole(path.bandwidth_delay()) + 1;
    pair.window = transport.window.value() > 0
                      ? transport.window.value()
                      : product + (transport.ack_every + 1) * sizes_.full();
    constexpr std::int64_t least_timeout = 500'000'000;
    pair.timeout = transport.rto > Time()
                       ? transport.rto.ps()
                       : std::max(least_timeout, capped_product(8, path.round_trip));
    if (choice.algorithm == topology::CongestionAlgorithm::ReceiverCredit) {
        open_credit(pair, path);
    }
    if (!boundary_.sends_here(pair)) {
        return;
    }
    pair.control = make_congestion_control(choice, path);
    if (transport.kind == TransportKind::SelectiveRepeat) {
        pair.selective = std::make_unique<SelectiveState>();
    }
}

FlowPath QueuePairTable::path_of(const QueuePair& pair) const {
    const NodeId source(std::size_t{pair.source});
    const NodeId destination(std::size_t{pair.destination});
    const topology::Graph& graph = description_.graph;
    const topology::PlaneRoutes planes =
        description_.multipath ? description_.routes(source, destination)
                               : topology::PlaneRoutes{description_.route(source, destination)};
    const std::vector<topology::Hop>& forth = planes.front();
    FlowPath path;
    path.hops = static_cast<std::int32_t>(forth.size());
    path.packet = sizes_.full();
    path.rate = graph.link(forth.front().link).rate.bytes_per_second();
    path.slowest = path.rate;
    const bool cut_through = description_.packet.switching == topology::Switching::CutThrough;
    Time trip;
    Time longest;
    for (const topology::Hop& hop : forth) {
        const topology::Link& link = graph.link(hop.link);
        const Time sending = transfer_time(Bytes(sizes_.full()), link.rate);
        path.slowest = std::min(path.slowest, link.rate.bytes_per_second());
        longest = std::max(longest, sending);
        trip = later(later(trip, link.latency), cut_through ? Time() : sending);
    }
    trip = later(trip, cut_through ? longest : Time());
    for (const topology::Hop& hop : description_.route(destination, source)) {
        const topology::Link& link = graph.link(hop.link);
        trip = later(later(trip, link.latency), transfer_time(Bytes(sizes_.header()), link.rate));
    }
    path.round_trip = std::max<std::int64_t>(trip.ps(), 1);
    // Packets take the planes in turn, and are paced as if these were one.
    const auto count = static_cast<std::int64_t>(planes.size());
    path.rate = capped_product(path.rate, count);
    path.slowest = capped_product(path.slowest, count);
    return path;
}

void QueuePairTable::open_credit(QueuePair& pair, const FlowPath& path) const {
    const topology::CongestionControlChoice& choice = description_.packet.congestion_control;
    pair.credit = std::make_unique<CreditState>();
    const CongestionParameters given(choice, path);
    const double window = given[topology::ReceiverCreditParameter::initial_window];
    pair.credit->initial = std::max<std::int64_t>(capped_whole(window) / sizes_.full(), 1);
    const topology::Hop last =
        description_.route(NodeId(std::size_t{pair.source}), NodeId(std::size_t{pair.destination}))
            .back();
    pair.last_link = static_cast<std::uint32_t>(last.link.index());
}

}  // namespace npunet::packet
