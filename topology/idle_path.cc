#include "topology/idle_path.h"

#include <algorithm>

namespace npunet::topology {

namespace {

/// A message cut into packets.
struct Cut {
    Cut(Bytes bytes, const PacketParameters& packet)
        : count(std::max<std::int64_t>(
              1, (bytes.value() + packet.mtu.value() - 1) / packet.mtu.value())),
          full(std::max(packet.mtu + packet.header, Bytes(1))),
          last(std::max(bytes - (count - 1) * packet.mtu + packet.header, Bytes(1))) {}

    [[nodiscard]] Bytes wire() const { return (count - 1) * full + last; }

    std::int64_t count;
    Bytes full;
    Bytes last;
};

/// How much later than on `before` a packet may start on `link` at the earliest.
Time step(const Link& before, const Link& link, Bytes packet, const PacketParameters& parameters) {
    const Time sending = transfer_time(packet, before.rate);
    if (parameters.switching == Switching::StoreAndForward) {
        return sending + before.latency;
    }
    const Bytes header = std::max(parameters.header, Bytes(1));
    return before.latency +
           std::max(transfer_time(header, before.rate), sending - transfer_time(packet, link.rate));
}

Time packets_time(const NetworkDescription& description, const std::vector<Hop>& hops,
                  const Cut& cut) {
    const Link* before = nullptr;
    Time slowest;  // of the links so far, for a full packet
    Time first;    // start of the first packet on the link
    Time last;     // start of the last packet on the link
    for (const Hop& hop : hops) {
        const Link& link = description.graph.link(hop.link);
        if (before != nullptr) {
            first += step(*before, link, cut.full, description.packet);
            last += step(*before, link, cut.last, description.packet);
        }
        const Time full = transfer_time(cut.full, link.rate);
        slowest = std::max(slowest, full);
        if (cut.count > 1) {
            last = std::max(last, first + (cut.count - 2) * slowest + full);
        }
        before = &link;
    }
    return before == nullptr ? Time()
                             : last + transfer_time(cut.last, before->rate) + before->latency;
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
        sum += link.latency;
        if (path == IdlePath::WholeMessages) {
            sum += sending;
        }
    }
    return path == IdlePath::WholeMessages ? sum : sum + slowest;
}

Bytes bytes_with_headers(Bytes payload, const PacketParameters& packet) {
    return Cut(payload, packet).wire();
}

}  // namespace npunet::topology
