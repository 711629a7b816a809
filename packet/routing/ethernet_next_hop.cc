#include "packet/routing/ethernet_next_hop.h"

#include "packet/routing/least_cost.h"

#include "base/quantities.h"
#include "topology/routing/pair_hash.h"

#include <cassert>

namespace npunet::packet {

EthernetNextHop::EthernetNextHop(const topology::NetworkDescription& description,
                                 const std::vector<EthernetPort>& ports,
                                 const engine::LinkClock& clock)
    : description_(description),
      ports_(ports),
      clock_(clock),
      reroutes_(description.faults.take_links_down()
                    ? std::make_unique<topology::Reroutes>(description)
                    : nullptr),
      router_(reroutes_ ? reroutes_.get() : description.multipath.get()),
      first_(description.graph.npus()) {}

std::uint32_t EthernetNextHop::first_hop(std::uint32_t source, std::uint32_t destination) {
    assert(!are_chosen());
    std::vector<std::uint32_t>& row = first_[source];
    if (row.empty()) {
        row.resize(description_.graph.npus(), unknown);
    }
    std::uint32_t& first = row[destination];
    if (first == unknown) {
        const std::vector<topology::Hop> route =
            description_.route(NodeId(std::size_t{source}), NodeId(std::size_t{destination}));
        first = static_cast<std::uint32_t>(hops_.size());
        for (const topology::Hop& hop : route) {
            hops_.push_back(static_cast<std::uint32_t>(hop.link.index()));
        }
        hops_.back() |= last_hop;
    }
    return first;
}

std::uint32_t EthernetNextHop::coded_link(const EthernetPath& path) const {
    const auto link = static_cast<std::uint32_t>(path.hop.link.index());
    const bool last = description_.graph.link(path.hop.link).to == path.place.destination;
    return last ? link | last_hop : link;
}

void EthernetNextHop::choose(EthernetPath& path, std::uint32_t wire, std::int64_t now) {
    if (path.then.link.valid() && reroutes_ && reroutes_->is_dead(path.then.link)) {
        path.then = topology::Hop();
        path.place.memory = topology::Reroutes::rerouted_bit;
    }
    if (path.then.link.valid()) {
        path.hop = path.then;
        path.then = topology::Hop();
        return;
    }
    router_->list_next_hops(description_.graph, path.place, offered_);
    LeastCost choice;
    for (const topology::OfferedHop& offered : offered_) {
        const EthernetPort& port = ports_[offered.hop.link.index()];
        const bool up =
            !port.irregular || clock_.up_at(offered.hop.link, Time::ps(now)).ps() == now;
        choice.consider(offered, {up, port.busy_until > now ? port.full_time : 0,
                                  port.queued + wire, Rate(port.rate)});
    }
    path.hop = choice.best()->hop;
    path.then = choice.best()->then;
    path.memory = choice.best()->memory;
}

std::uint64_t EthernetNextHop::draw(std::uint64_t key, std::uint64_t number) const {
    using topology::mixed;
    return mixed(mixed(mixed(description_.packet.seed) ^ key) + number);
}

std::uint32_t EthernetNextHop::choose_for_pair(std::uint32_t pair, std::uint32_t source,
                                               std::uint32_t destination, std::uint64_t hash,
                                               std::uint32_t wire, std::int64_t now) {
    EthernetPath& path = at(of_pairs_, pair);
    path = EthernetPath();
    path.place.at = NodeId(std::size_t{source});
    path.place.source = path.place.at;
    path.place.destination = NodeId(std::size_t{destination});
    path.place.hash = hash;
    choose(path, wire, now);
    return coded_link(path) & ~last_hop;
}

void EthernetNextHop::take_from_pair(std::uint32_t place, EthernetPacket& packet,
                                     std::uint32_t pair) {
    EthernetPath& path = at(of_packets_, place);
    path = of_pairs_[pair];
    packet.hop = coded_link(path);
}

void EthernetNextHop::start(std::uint32_t place, EthernetPacket& packet, std::uint32_t source,
                            std::uint32_t destination, std::uint64_t hash, std::int64_t now) {
    if (router_ == nullptr) {
        packet.hop = first_hop(source, destination);
        return;
    }
    EthernetPath& path = at(of_packets_, place);
    path = EthernetPath();
    path.place.at = NodeId(std::size_t{source});
    path.place.source = path.place.at;
    path.place.destination = NodeId(std::size_t{destination});
    path.place.hash = hash;
    choose(path, packet.wire, now);
    packet.hop = coded_link(path);
}

void EthernetNextHop::choose_next(std::uint32_t place, EthernetPacket& packet, std::int64_t now) {
    EthernetPath& path = of_packets_[place];
    path.place.in = path.hop;
    path.place.at = description_.graph.link(path.hop.link).to;
    path.place.memory = path.memory;
    choose(path, packet.wire, now);
    packet.hop = coded_link(path);
}

}  // namespace npunet::packet
