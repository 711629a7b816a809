#include "channel_load.h"

#include <algorithm>

namespace npunet::packet_test {

namespace {

/// Of one message: its packets on a link and on its way.
struct Sizes {
    Sizes(Bytes bytes, const topology::PacketParameters& packet)
        : count(std::max<std::int64_t>(
              1, (bytes.value() + packet.mtu.value() - 1) / packet.mtu.value())),
          last(bytes.value() - (count - 1) * packet.mtu.value() + packet.header.value()),
          full(packet.mtu.value() + packet.header.value()) {}

    [[nodiscard]] Time all(Rate rate) const {
        return (count - 1) * transfer_time(full, rate) + transfer_time(last, rate);
    }
    [[nodiscard]] Bytes first() const { return count == 1 ? last : full; }

    std::int64_t count;
    Bytes last;
    Bytes full;
};

}  // namespace

ChannelLoad::ChannelLoad(const topology::NetworkDescription& description, const Plan& plan)
    : wire_(description.graph.links()) {
    struct OfLink {
        Time load;
        Time head = Time::max();
        Time tail = Time::max();
        int messages = 0;
    };
    std::vector<OfLink> links(description.graph.links());
    Time alone;
    for (const PlannedMessage& message : plan) {
        const Sizes sizes(message.bytes, description.packet);
        const std::vector<topology::Hop> hops =
            description.route(message.source, message.destination);
        Time head;
        Time slowest;
        for (const topology::Hop& hop : hops) {
            const topology::Link& link = description.graph.link(hop.link);
            OfLink& of = links[hop.link.index()];
            of.load += sizes.all(link.rate);
            of.head = std::min(of.head, head);
            ++of.messages;
            wire_[hop.link.index()] += (sizes.count - 1) * sizes.full + sizes.last;
            head += transfer_time(sizes.first(), link.rate) + link.latency;
            slowest = std::max(slowest, sizes.all(link.rate));
        }
        Time tail;
        for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
            const topology::Link& link = description.graph.link(hop->link);
            tail += link.latency;
            links[hop->link.index()].tail = std::min(links[hop->link.index()].tail, tail);
            tail += transfer_time(sizes.last, link.rate);
        }
        alone = std::max(alone, slowest);
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (links[i].messages > 0) {
            const Time bound = links[i].head + links[i].load + links[i].tail;
            if (bound > bound_) {
                bound_ = bound;
                bottleneck_ = LinkId(i);
                messages_ = links[i].messages;
            }
        }
    }
    bound_ = std::max(bound_, alone);
}

std::string Losses::text() const {
    const auto part = [](const char* name, Time time) {
        return std::string(name) + ' ' + std::to_string(time.ps() / 1000) + " ns";
    };
    return part("busy", busy) + part(", credit", credit) + part(", before", before) +
           part(", starved", between) + part(", after", after);
}

void LinkWatch::packet_started(LinkId link, const packet::ObservedPacket& packet, Time /*arrival*/,
                               Bytes /*waited*/) {
    if (link != link_) {
        return;
    }
    const Time now = queue_.now();
    if (first_ < Time()) {
        first_ = now;
    } else {
        gaps_ += now - end_;
    }
    const Time sending = transfer_time(packet.wire, rate_);
    end_ = now + sending;
    busy_ += sending;
}

Losses LinkWatch::losses(Time finish, const engine::LinkUse& use) const {
    return {busy_, use.credit_stall, first_, gaps_ - use.credit_stall, finish - end_};
}

}  // namespace npunet::packet_test
