// What the links of a network must carry for a plan of messages, when they all start at time 0; the
// earliest finish that this allows; and where the time of the most loaded link went in a run.
//
//     const ChannelLoad load(description, plan);
//     LinkWatch watch(description, load.bottleneck(), queue);
//     machine.set_observer(&watch);
//     ... run ...
//     const Losses losses = watch.losses(queue.now(), machine.link_use()[...]);
#pragma once

#include <string>
#include <vector>

#include "engine/clock/event_queue.h"
#include "packet/credit/credit_network.h"
#include "topology/network/network_description.h"
#include "traffic.h"

namespace npunet::packet_test {

/// A link carries all its packets one after another, so no message can be done before
///     head(l) + load(l) + tail(l)   for each link l, with
///     load(l): the sum of ser(wire bytes) over the packets that cross it,
///     head(l): the least time, over its messages, in which a first packet reaches it,
///     tail(l): the least time, over its messages, from the end of a last packet to its arrival,
/// nor before a single message over its idle route. Packets are stored and forwarded.
class ChannelLoad {
public:
    ChannelLoad(const topology::NetworkDescription& description, const Plan& plan);

    [[nodiscard]] Time bound() const { return bound_; }
    /// The link that gives the bound.
    [[nodiscard]] LinkId bottleneck() const { return bottleneck_; }
    /// Messages that cross the bottleneck.
    [[nodiscard]] int messages() const { return messages_; }
    [[nodiscard]] const std::vector<Bytes>& wire() const { return wire_; }

private:
    Time bound_;
    LinkId bottleneck_;
    int messages_ = 0;
    std::vector<Bytes> wire_;
};

/// finish = busy + credit + before + between + after, exactly.
struct Losses {
    Time busy;
    Time credit;   ///< idle with packets that had no room in the next buffer
    Time before;   ///< idle until the first packet
    Time between;  ///< idle later, and nothing there: starved by what happens upstream
    Time after;    ///< idle after the last packet

    [[nodiscard]] std::string text() const;
};

/// Notes when a link starts and ends.
class LinkWatch final : public packet::PacketObserver {
public:
    LinkWatch(const topology::NetworkDescription& description, LinkId link,
              const engine::EventQueue& queue)
        : rate_(description.graph.link(link).rate), link_(link), queue_(queue) {}

    void packet_started(LinkId link, const packet::ObservedPacket& packet, Time arrival,
                        Bytes waited) override;
    void packet_queued(LinkId, Bytes, Time) override {}
    void credit_stalled(LinkId, Time, Time) override {}

    [[nodiscard]] Losses losses(Time finish, const engine::LinkUse& use) const;

private:
    Rate rate_;
    LinkId link_;
    const engine::EventQueue& queue_;
    Time first_ = Time::ps(-1);
    Time end_;
    Time busy_;
    Time gaps_;
};

}  // namespace npunet::packet_test
