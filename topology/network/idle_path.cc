#include "topology/network/idle_path.h"

#include <algorithm>

#include "topology/network/scale_up.h"

namespace npunet::topology {

namespace {

/// A message cut into packets.
struct Cut {
    Cut(Bytes bytes, const PacketParameters& packet)
        : count(std::max<std::int64_t>(
              1, (bytes.value() + packet.mtu.value() - 1) / packet.mtu.value())),
          full(std::max(packet.mtu + packet.header, Bytes(1))),
          last(std::max(bytes - (count - 1) * packet.mtu + packet.header, Bytes(1))) {}

    /// Headers and all; where that is more than 2^62 bytes, 2^62 and the last packet.
    [[nodiscard]] Bytes wire() const {
        constexpr std::int64_t most = std::int64_t{1} << 62;
        return Bytes(std::min(capped_product(count - 1, full.value()), most)) + last;
    }

    std::int64_t count;
    Bytes full;
    Bytes last;
};

/// How much later than on `before` a packet may start on `link` at the earliest. `relayed`: by an
/// NPU, from links of one kind to those of another (topology/network/scale_up.h).
Time step(const Link& before, const Link& link, Bytes packet, const PacketParameters& parameters,
          bool relayed) {
    const Time sending = transfer_time(packet, before.rate);
    if (parameters.switching == Switching::StoreAndForward || relayed) {
        return later(sending, before.latency);
    }
    const Bytes header = std::max(parameters.header, Bytes(1));
    return later(before.latency, std::max(transfer_time(header, before.rate),
                                          sending - transfer_time(packet, link.rate)));
}

Time packets_time(const NetworkDescription& description, const std::vector<Hop>& hops,
                  const Cut& cut) {
    const ScaleUp* scale_up = description.scale_up.get();
    bool was_inner = false;
    const Link* before = nullptr;
    Time slowest;  // of the links so far, for a full packet
    Time first;    // start of the first packet on the link
    Time last;     // start of the last packet on the link
    for (const Hop& hop : hops) {
        const Link& link = description.graph.link(hop.link);
        const bool is_inner = scale_up != nullptr && scale_up->has(hop.link);
        if (before != nullptr) {
            const bool relayed = is_inner != was_inner;
            first = later(first, step(*before, link, cut.full, description.packet, relayed));
            last = later(last, step(*before, link, cut.last, description.packet, relayed));
        }
        was_inner = is_inner;
        const Time full = transfer_time(cut.full, link.rate);
        slowest = std::max(slowest, full);
        if (cut.count > 1) {
            last = std::max(
                last,
                later(later(first, Time::ps(capped_product(cut.count - 2, slowest.ps()))), full));
        }
        before = &link;
    }
    return before == nullptr
               ? Time()
               : later(later(last, transfer_time(cut.last, before->rate)), before->latency);
}

}  // namespace

Time idle_path_time(const NetworkDescription& description, const std::vector<Hop>& hops,
                    Bytes bytes, IdlePath path) {
    if (path == IdlePath::Packets) {
        return packets_time(description, hops, Cut(bytes, description.packet));
    }
    Time sum;
    Time slowest;
    for (const Hop& hop : hops) {
        const Link& link = description.graph.link(hop.link);
        const Time sending = transfer_time(bytes, link.rate);
        slowest = std::max(slowest, sending);
        sum = later(sum, link.latency);
        if (path == IdlePath::WholeMessages) {
            sum = later(sum, sending);
        }
    }
    return path == IdlePath::WholeMessages ? sum : later(sum, slowest);
}

Bytes largest_part(Bytes bytes, std::int64_t planes, const PacketParameters& packet,
                   IdlePath path) {
    if (path != IdlePath::Packets) {
        return Bytes((bytes.value() + planes - 1) / planes);
    }
    const std::int64_t packets = Cut(bytes, packet).count;
    const std::int64_t most = (packets + planes - 1) / planes;
    const std::int64_t with_most = packets - (most - 1) * planes;
    if (with_most > 1) {
        return most * packet.mtu;
    }
    return bytes - (packets - most) * packet.mtu;
}

Time idle_time(const NetworkDescription& description, NodeId from, NodeId to, Bytes bytes,
               IdlePath path) {
    if (path == IdlePath::Packets && !description.multipath) {
        return idle_path_time(description, description.route(from, to), bytes, path);
    }
    const PlaneRoutes planes = description.routes(from, to);
    return idle_path_time(
        description, planes.front(),
        largest_part(bytes, static_cast<std::int64_t>(planes.size()), description.packet, path),
        path);
}

Bytes bytes_with_headers(Bytes payload, const PacketParameters& packet) {
    return Cut(payload, packet).wire();
}

}  // namespace npunet::topology
