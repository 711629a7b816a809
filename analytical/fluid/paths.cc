#include "analytical/fluid/paths.h"

#include <algorithm>

#include "analytical/fluid/message_work.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

using engine::later;

namespace {

void add_use(std::vector<engine::LinkUse>& uses, const Path& path) {
    const auto messages = static_cast<std::int64_t>(path.messages);
    for (const PathHop& hop : path.hops) {
        engine::LinkUse& use = uses[hop.link];
        use.payload += messages * path.bytes;
        use.wire += messages * path.wire;
        use.packets += path.messages * static_cast<std::uint64_t>(path.packets);
        use.busy = later(use.busy, Time::ps(capped_product(messages, hop.total.ps())));
    }
}

}  // namespace

PathTable::PathTable(const topology::NetworkDescription& description, const RouteTable& routes)
    : description_(description),
      routes_(routes),
      channels_(description.virtual_channels()),
      past_(description.graph.links()) {}

std::uint32_t PathTable::take(std::uint32_t place, std::uint32_t hops, Bytes bytes) {
    if (place >= first_.size()) {
        first_.resize(place + std::size_t{1}, none);
    }
    std::uint32_t unused = none;
    int count = 0;
    for (std::uint32_t number = first_[place]; number != none; number = paths_[number].next) {
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
        paths_[unused].next = first_[place];
        first_[place] = unused;
        used_.push_back(unused);
    }
    Path& path = paths_[unused];
    if (path.messages > 0) {
        add_use(past_, path);
        path.messages = 0;
    }
    fill(path, place, hops, bytes);
    return unused;
}

void PathTable::fill(Path& path, std::uint32_t place, std::uint32_t hops, Bytes bytes) const {
    const topology::PacketParameters& packet = description_.packet;
    const PacketCount count(bytes, packet);
    path.bytes = bytes;
    path.wire = (count.packets - 1) * count.full + count.last;
    path.packets = count.packets;
    path.users = 1;
    path.hops.assign(hops, {});
    const Bytes header = std::max(packet.header, Bytes(1));
    for (std::uint32_t h = 0; h < hops; ++h) {
        const topology::Link& link = description_.graph.link(routes_.link(place + h));
        const MessageWork work(count, link.rate);
        PathHop& hop = path.hops[h];
        hop.link = static_cast<std::uint32_t>(routes_.link(place + h).value());
        hop.behind = hop.link * channels_ + routes_.channel(place + h);
        hop.latency = link.latency;
        hop.full = work.full;
        hop.last = work.last;
        hop.total = work.total;
        // topology/network/idle_path.h: a packet starts so much later than on the link before.
        const Time stored = packet.switching == topology::Switching::CutThrough
                                ? std::min(work.full, transfer_time(header, link.rate))
                                : work.full;
        if (h + 1 < hops) {
            const Rate next = description_.graph.link(routes_.link(place + h + 1)).rate;
            const Time there = transfer_time(count.full, next);
            const Time slower = work.full > there ? work.full - there : Time();
            hop.shift = later(hop.latency, stored > slower ? stored - slower : Time());
        }
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
