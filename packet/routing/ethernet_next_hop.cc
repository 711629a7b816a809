#include "packet/routing/ethernet_next_hop.h"

#include "packet/routing/least_cost.h"

#include "base/quantities.h"

#include <algorithm>
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

std::uint32_t EthernetNextHop::coded_link(const PacketPath& path) const {
    const auto link = static_cast<std::uint32_t>(path.hop.link.index());
    const bool last = description_.graph.link(path.hop.link).to == path.place.destination;
    return last ? link | last_hop : link;
}

template <class BusyOf>
void EthernetNextHop::choose(PacketPath& path, std::uint32_t wire, std::int64_t now,
                             const BusyOf& busy_of) {
    path.avoid_dead_link(reroutes_.get());
    if (path.take_planned()) {
        return;
    }
    router_->list_next_hops(description_.graph, path.place, offered_);
    LeastCost choice;
    for (const topology::OfferedHop& offered : offered_) {
        const EthernetPort& port = ports_[offered.hop.link.index()];
        const bool up =
            !port.irregular || clock_.up_at(offered.hop.link, Time::ps(now)).ps() == now;
        choice.consider(offered,
                        {up, busy_of(port, offered.hop.link), port.queued + wire, Rate(port.rate)});
    }
    path.take(*choice.best());
}

void EthernetNextHop::choose(PacketPath& path, std::uint32_t wire, std::int64_t now) {
    choose(path, wire, now, [now](const EthernetPort& port, LinkId /* link */) {
        return port.busy_until > now ? port.full_time : 0;
    });
}

PacketDraw EthernetNextHop::draw(std::uint64_t key, std::uint64_t number) const {
    return {packet_hash(description_.packet.seed, key, number), number};
}

void EthernetNextHop::begin(PacketPath& path, std::uint32_t source, std::uint32_t destination,
                            const PacketDraw& drawn) {
    path.start(NodeId(std::size_t{source}), NodeId(std::size_t{destination}), drawn.hash,
               drawn.number + destination);
}

std::uint32_t EthernetNextHop::choose_for_pair(std::uint32_t pair, std::uint32_t source,
                                               std::uint32_t destination, const PacketDraw& drawn,
                                               std::uint32_t wire, std::int64_t now,
                                               std::int64_t start) {
    PacketPath& path = at_place(of_pairs_, pair);
    begin(path, source, destination, drawn);
    choose(path, wire, now, [this, start](const EthernetPort& port, LinkId link) {
        const bool begins = link.index() == sending_link_;
        const std::int64_t until =
            begins ? std::max(port.busy_until, sending_until_) : port.busy_until;
        return std::max<std::int64_t>(until - start, 0);
    });
    return coded_link(path) & ~last_hop;
}

void EthernetNextHop::begin_sending(std::uint32_t link, std::uint32_t wire, std::int64_t now) {
    sending_link_ = link;
    sending_until_ = later(Time::ps(now), transfer_time(Bytes(wire), Rate(ports_[link].rate))).ps();
}

void EthernetNextHop::take_from_pair(std::uint32_t place, EthernetPacket& packet,
                                     std::uint32_t pair) {
    PacketPath& path = at_place(of_packets_, place);
    path = of_pairs_[pair];
    packet.hop = coded_link(path);
}

void EthernetNextHop::start(std::uint32_t place, EthernetPacket& packet, std::uint32_t source,
                            std::uint32_t destination, const PacketDraw& drawn, std::int64_t now) {
    if (router_ == nullptr) {
        packet.hop = first_hop(source, destination);
        return;
    }
    PacketPath& path = at_place(of_packets_, place);
    begin(path, source, destination, drawn);
    choose(path, packet.wire, now);
    packet.hop = coded_link(path);
}

void EthernetNextHop::choose_next(std::uint32_t place, EthernetPacket& packet, std::int64_t now) {
    PacketPath& path = of_packets_[place];
    path.cross(description_.graph);
    choose(path, packet.wire, now);
    packet.hop = coded_link(path);
}

}  // namespace npunet::packet
