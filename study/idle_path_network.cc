#include "study/idle_path_network.h"

#include <algorithm>

#include "engine/clock_limit.h"

namespace npunet::study {

namespace {

/// A message cut into packets.
struct Cut {
    Cut(Bytes bytes, const topology::PacketParameters& packet)
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
Time step(const topology::Link& before, const topology::Link& link, Bytes packet,
          const topology::PacketParameters& parameters) {
    const Time sending = transfer_time(packet, before.rate);
    if (parameters.switching == topology::Switching::StoreAndForward) {
        return sending + before.latency;
    }
    const Bytes header = std::max(parameters.header, Bytes(1));
    return before.latency +
           std::max(transfer_time(header, before.rate), sending - transfer_time(packet, link.rate));
}

Time packets_time(const topology::NetworkDescription& description,
                  const std::vector<topology::Hop>& hops, const Cut& cut) {
    const topology::Link* before = nullptr;
    Time slowest;  // of the links so far, for a full packet
    Time first;    // start of the first packet on the link
    Time last;     // start of the last packet on the link
    for (const topology::Hop& hop : hops) {
        const topology::Link& link = description.graph.link(hop.link);
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

Time idle_path_time(const topology::NetworkDescription& description,
                    const std::vector<topology::Hop>& hops, Bytes bytes, IdlePath path) {
    if (path == IdlePath::Packets) {
        return packets_time(description, hops, Cut(bytes, description.packet));
    }
    Time sum;
    Time slowest;
    for (const topology::Hop& hop : hops) {
        const topology::Link& link = description.graph.link(hop.link);
        const Time sending = transfer_time(bytes, link.rate);
        slowest = std::max(slowest, sending);
        sum += link.latency;
        if (path == IdlePath::WholeMessages) {
            sum += sending;
        }
    }
    return path == IdlePath::WholeMessages ? sum : sum + slowest;
}

IdlePathNetwork::IdlePathNetwork(const topology::NetworkDescription& description,
                                 engine::EventQueue& queue, const engine::Dialect& dialect,
                                 IdlePath path)
    : description_(description),
      queue_(queue),
      path_(path),
      estimate_(description, queue, dialect) {
    estimate_.set_listener(*this);
}

void IdlePathNetwork::send(const engine::Message& message) {
    if (message.handle >= late_.size()) {
        late_.resize(message.handle + std::size_t{1});
    }
    engine::Message sent = message;
    if (path_ != IdlePath::WholeMessages) {
        sent.bytes = Cut(message.bytes, description_.packet).wire();
    }
    Late& late = late_[message.handle];
    late.by = Time();
    if (path_ != IdlePath::Headers) {
        const std::vector<topology::Hop> hops =
            description_.route(message.source, message.destination);
        late.by = idle_path_time(description_, hops, message.bytes, path_) -
                  idle_path_time(description_, hops, sent.bytes, IdlePath::Headers);
    }
    estimate_.send(sent);
}

void IdlePathNetwork::on_delivered(std::uint32_t handle, Time first_byte_left) {
    Late& late = late_[handle];
    if (late.by <= Time()) {
        listener_->on_delivered(handle, first_byte_left);
        return;
    }
    late.first_byte_left = first_byte_left;
    // What arrives at one instant commutes: the engine puts it in order.
    queue_.schedule(
        engine::later(queue_.now(), late.by),
        engine::EventKey::of(engine::Phase::Arrival, engine::event_kind::message_delivered, 0),
        *this, handle);
}

void IdlePathNetwork::handle(std::uint64_t payload) {
    const auto handle = static_cast<std::uint32_t>(payload);
    listener_->on_delivered(handle, late_[handle].first_byte_left);
}

}  // namespace npunet::study
