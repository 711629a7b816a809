#include "analytical/fluid/paths.h"

#include <algorithm>
#include <limits>

#include "analytical/fluid/message_work.h"
#include "engine/clock/clock_limit.h"
#include "topology/network/scale_up.h"
#include "topology/parameters/congestion_parameters.h"

namespace npunet::analytical {

using engine::later;

PathTable::PathTable(const topology::NetworkDescription& description, const RouteTable& routes,
                     const LinkFold* fold)
    : description_(description),
      routes_(routes),
      fold_(fold),
      channels_(description.virtual_channels()),
      classes_(description.packet.classes.count),
      past_(description.graph.links()) {}

void PathTable::add_use(std::vector<engine::LinkUse>& uses, const Path& path) const {
    const auto messages = static_cast<std::int64_t>(path.messages);
    const auto add = [&](LinkId link, const PathHop& hop) {
        engine::LinkUse& use = uses[link.index()];
        use.payload += messages * path.bytes;
        use.wire += messages * path.wire;
        use.packets += path.messages * static_cast<std::uint64_t>(path.packets);
        use.busy = later(use.busy, Time::ps(capped_product(messages, hop.total.ps())));
        if (classes_ > 1) {
            use.classes_wire.resize(classes_);
            use.classes_wire[path.traffic_class] += messages * path.wire;
        }
    };
    if (fold_ == nullptr) {
        for (const PathHop& hop : path.hops) {
            add(LinkId(static_cast<std::int32_t>(hop.link)), hop);
        }
        return;
    }
    fold_->each_route(path.source, path.destination, [&](const topology::PlaneRoutes& planes) {
        for (std::size_t h = 0; h < path.hops.size(); ++h) {
            add(planes[path.plane][h].link, path.hops[h]);
        }
    });
}

std::uint32_t PathTable::take(const CachedRoute& route, std::uint32_t plane, Bytes bytes,
                              std::uint32_t traffic_class) {
    const std::uint32_t place = route.begin + plane * route.hops;
    const std::size_t list = std::size_t{place} * classes_ + traffic_class;
    if (list >= first_.size()) {
        first_.resize(list + 1, none);
    }
    std::uint32_t unused = none;
    int count = 0;
    for (std::uint32_t number = first_[list]; number != none; number = paths_[number].next) {
        Path& path = paths_[number];
        if (path.bytes == bytes) {
            ++path.users;
            return number;
        }
        if (path.users == 0) {
            unused = number;
            ++count;
        }
    }
    if (count < most_unused) {
        unused = paths_.take();
        paths_[unused].next = first_[list];
        first_[list] = unused;
        used_.push_back(unused);
    }
    Path& path = paths_[unused];
    if (path.messages > 0) {
        add_use(past_, path);
        path.messages = 0;
    }
    path.plane = plane;
    path.traffic_class = traffic_class;
    fill(path, route, place, bytes);
    return unused;
}

void PathTable::fill(Path& path, const CachedRoute& route, std::uint32_t place, Bytes bytes) const {
    const std::uint32_t hops = route.hops;
    const topology::PacketParameters& packet = description_.packet;
    PacketCount count(bytes, packet);
    path.bytes = bytes;
    path.wire = (count.packets - 1) * count.full + count.last;
    path.packets = path.paced = count.packets;
    path.route = place;
    path.source = route.source;
    path.destination = route.destination;
    path.users = 1;
    path.hops.assign(hops, {});
    path.window = path.queueing = path.wire;
    path.round_trip = Time();
    if (packet.transport.kind != topology::TransportKind::None && leaves_scale_up(place, hops)) {
        pace(path, place, hops);
        count.packets = path.paced;
    }
    const Bytes header = std::max(packet.header, Bytes(1));
    for (std::uint32_t h = 0; h < hops; ++h) {
        const LinkId number = routes_.link(place + h);
        const topology::Link& link = description_.graph.link(number);
        const MessageWork work(count, link.rate);
        PathHop& hop = path.hops[h];
        hop.link = fold_ == nullptr ? static_cast<std::uint32_t>(number.value())
                                    : fold_->representative(number);
        hop.queue = queue_of(path, h);
        hop.copies = fold_ == nullptr ? 1 : fold_->copies(route.source, number);
        hop.behind =
            (hop.link * classes_ + path.traffic_class) * channels_ + routes_.channel(place + h);
        hop.latency = link.latency;
        hop.full = work.full;
        hop.last = work.last;
        hop.total = work.total;
        // topology/network/idle_path.h: a packet starts so much later than on the link before.
        hop.header = transfer_time(header, link.rate);
        const Time stored = packet.switching == topology::Switching::CutThrough
                                ? std::min(work.full, hop.header)
                                : work.full;
        if (h + 1 < hops) {
            const Rate next = description_.graph.link(routes_.link(place + h + 1)).rate;
            const Time there = transfer_time(count.full, next);
            const Time slower = work.full > there ? work.full - there : Time();
            hop.shift = later(hop.latency, stored > slower ? stored - slower : Time());
        }
    }
}

std::uint32_t PathTable::queue_of(const Path& path, std::uint32_t h) const {
    if (h == 0) {
        return 0;
    }
    const std::uint32_t queue = fold_ == nullptr
                                    ? path.hops[h - 1].behind
                                    : fold_->queue(path.source, path.destination, path.plane, h);
    const bool by_input = description_.packet_of(routes_.link(path.route + h)).flow_control ==
                          topology::FlowControl::Credit;
    if (queue == LinkFold::cannot_queue) {
        return queue;
    }
    return by_input ? (fold_ == nullptr ? queue : queue * classes_ + path.traffic_class)
                    : path.traffic_class;
}

bool PathTable::leaves_scale_up(std::uint32_t place, std::uint32_t hops) const {
    const auto* scale_up = description_.scale_up.get();
    for (std::uint32_t h = 0; scale_up != nullptr && h < hops; ++h) {
        if (!scale_up->has(routes_.link(place + h))) {
            return true;
        }
    }
    return scale_up == nullptr;
}

void PathTable::pace(Path& path, std::uint32_t place, std::uint32_t hops) const {
    const topology::PacketParameters& packet = description_.packet;
    const Bytes full = packet.mtu + packet.header;
    const Bytes header = std::max(packet.header, Bytes(1));
    const auto* scale_up = description_.scale_up.get();
    Time round_trip;
    Rate slowest(std::numeric_limits<std::int64_t>::max());
    for (std::uint32_t h = 0; h < hops; ++h) {
        if (scale_up != nullptr && scale_up->has(routes_.link(place + h))) {
            continue;
        }
        const topology::Link& link = description_.graph.link(routes_.link(place + h));
        round_trip = later(later(round_trip, later(link.latency, link.latency)),
                           later(transfer_time(full, link.rate), transfer_time(header, link.rate)));
        slowest = std::min(slowest, link.rate);
    }
    const auto product = static_cast<double>(slowest.bytes_per_second()) *
                         static_cast<double>(round_trip.ps()) / 1e12;
    // docs/transport.md, "The rules in full".
    const Bytes window =
        packet.transport.window.value() > 0
            ? packet.transport.window
            : Bytes(2 * capped_whole(product) + 1) + (packet.transport.ack_every + 1) * full;
    path.window = window;
    path.round_trip = round_trip;
    path.queueing = std::max(window - Bytes(capped_whole(product)), full);
    if (packet.congestion_control.algorithm == topology::CongestionAlgorithm::Hpcc) {
        // The first window leaves at the rate of the link, what follows at the target utilisation.
        const double target = packet.congestion_control.values[topology::HpccParameter::eta];
        const std::int64_t first = capped_whole(product) / full.value() + 1;
        const std::int64_t rest = std::max<std::int64_t>(path.packets - first, 0);
        path.paced += capped_whole(static_cast<double>(rest) * (1 / target - 1));
    }
}

std::vector<engine::LinkUse> PathTable::link_use() const {
    std::vector<engine::LinkUse> uses = past_;
    for (const std::uint32_t number : used_) {
        add_use(uses, paths_[number]);
    }
    return uses;
}

}  // namespace npunet::analytical
