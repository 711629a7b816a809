#include "packet/tiers/tiered_network.h"

#include "packet/credit/credit_network.h"
#include "packet/ethernet/ethernet_network.h"

#include "base/errors.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace npunet::packet {

using topology::TierPart;

namespace {

std::vector<topology::NetworkDescription> checked_parts(
    const topology::NetworkDescription& description, topology::Losses losses) {
    topology::check_scale_up(description, description.file, "packet.scale_up");
    std::vector<topology::NetworkDescription> parts = topology::parts_of(description);
    for (const topology::NetworkDescription& part : parts) {
        topology::check_transport(part, description.file, "packet", nullptr, losses);
    }
    return parts;
}

}  // namespace

TieredNetwork::TieredNetwork(const topology::NetworkDescription& description,
                             engine::EventQueue& queue, topology::Losses losses)
    : description_(description),
      descriptions_(checked_parts(description, losses)),
      parts_{std::make_unique<CreditNetwork>(descriptions_.front(), queue),
             std::make_unique<EthernetNetwork>(descriptions_.back(), queue, losses)},
      routes_(description),
      relays_(description, queue, {parts_[0].get(), parts_[1].get()}, *this, *this) {
    for (const auto& part : parts_) {
        part->set_listener(*this);
    }
    part(TierPart::ScaleOut).set_datagram_listener(*this);
}

void TieredNetwork::send(const engine::Message& message) {
    send(message, Relays::Service::Reliable);
}

void TieredNetwork::send_datagram(const engine::Message& message, bool can_be_marked) {
    send(message, can_be_marked ? Relays::Service::MarkableDatagram : Relays::Service::Datagram);
}

void TieredNetwork::send(const engine::Message& message, Relays::Service service) {
    const std::vector<Leg>& legs = routes_.legs(message.source, message.destination);
    const bool has_credits = legs.front().part == TierPart::ScaleUp;
    engine::Message whole = message;
    assert(message.handle < std::uint32_t{1} << 31U);
    whole.handle = 2 * message.handle;
    if (legs.size() > 1 || (has_credits && message.separate)) {
        relays_.send(whole, legs, service);
    } else if (service == Relays::Service::Reliable) {
        part(legs.front().part).send(whole);
    } else {
        assert(!has_credits && "datagrams are separate");
        part(legs.front().part).send_datagram(whole, service == Relays::Service::MarkableDatagram);
    }
}

void TieredNetwork::set_datagram_listener(DatagramListener& listener) {
    datagram_listener_ = &listener;
}

bool TieredNetwork::sends_in_order(NodeId from, NodeId to) const {
    return part(routes_.legs(from, to).front().part).sends_in_order(from, to);
}

void TieredNetwork::on_sent(std::uint32_t handle) {
    if (handle % 2 == 0) {
        listener_->on_sent(handle / 2);
    } else {
        relays_.packet_sent(handle / 2);
    }
}

void TieredNetwork::on_delivered(std::uint32_t handle, Time first_byte_left) {
    if (handle % 2 == 0) {
        listener_->on_delivered(handle / 2, first_byte_left);
    } else {
        relays_.packet_delivered(handle / 2, first_byte_left);
    }
}

void TieredNetwork::datagram_starts(std::uint32_t handle) {
    if (handle % 2 == 0) {
        datagram_listener_->datagram_starts(handle / 2);
    } else {
        relays_.datagram_starts(handle / 2);
    }
}

void TieredNetwork::datagram_is_marked(std::uint32_t handle) {
    if (handle % 2 == 0) {
        datagram_listener_->datagram_is_marked(handle / 2);
    } else {
        relays_.datagram_is_marked(handle / 2);
    }
}

void TieredNetwork::datagram_is_lost(std::uint32_t handle) {
    if (handle % 2 == 0) {
        datagram_listener_->datagram_is_lost(handle / 2);
    } else {
        relays_.datagram_is_lost(handle / 2);
    }
}

std::vector<engine::LinkUse> TieredNetwork::link_use() const {
    std::vector<engine::LinkUse> uses = part(TierPart::ScaleUp).link_use();
    std::vector<engine::LinkUse> others = part(TierPart::ScaleOut).link_use();
    for (std::size_t link = 0; link < uses.size(); ++link) {
        if (!description_.scale_up->has(LinkId(link))) {
            uses[link] = std::move(others[link]);
        }
    }
    return uses;
}

std::vector<engine::FlowUse> TieredNetwork::flow_use() const {
    return part(TierPart::ScaleOut).flow_use();
}

engine::QueuePairLimits TieredNetwork::queue_pair_limits() const {
    return part(TierPart::ScaleOut).queue_pair_limits();
}

std::uint64_t TieredNetwork::packet_hops() const {
    return part(TierPart::ScaleUp).packet_hops() + part(TierPart::ScaleOut).packet_hops();
}

std::string TieredNetwork::explain_stall() const {
    std::string why = part(TierPart::ScaleOut).explain_stall();
    return why.empty() ? part(TierPart::ScaleUp).explain_stall() : why;
}

void TieredNetwork::list_queued(LinkId link,
                                const std::function<void(LinkId, Bytes, Time)>& function) {
    part(description_.scale_up->has(link) ? TierPart::ScaleUp : TierPart::ScaleOut)
        .list_queued(link, function);
}

void TieredNetwork::record_load(engine::LinkLoadRecorder* load) {
    for (const auto& part : parts_) {
        part->record_load(load);
    }
}

engine::IdleLinks& TieredNetwork::idle_part(const Links& links) const {
    const bool up = description_.scale_up->has(LinkId(std::size_t{links.front()}));
    return *part(up ? TierPart::ScaleUp : TierPart::ScaleOut).idle_links();
}

bool TieredNetwork::idle_state(const Links& links, State& state) {
    const auto is_up = [&](std::uint32_t link) {
        return description_.scale_up->has(LinkId(std::size_t{link}));
    };
    return (std::all_of(links.begin(), links.end(), is_up) ||
            std::none_of(links.begin(), links.end(), is_up)) &&
           idle_part(links).idle_state(links, state);
}

bool TieredNetwork::is_quiet(NodeId from, NodeId to, const Links& links) {
    const auto is_up = [&](std::uint32_t link) {
        return description_.scale_up->has(LinkId(std::size_t{link}));
    };
    // Messages that pass links of both parts are relayed.
    return (std::all_of(links.begin(), links.end(), is_up) ||
            std::none_of(links.begin(), links.end(), is_up)) &&
           idle_part(links).is_quiet(from, to, links);
}

bool TieredNetwork::rest_state(const Links& links, State& state) {
    return idle_part(links).rest_state(links, state);
}

void TieredNetwork::set_idle_state(const Links& links, const State& state,
                                   const std::vector<engine::LinkUse>* carried) {
    idle_part(links).set_idle_state(links, state, carried);
}

std::vector<engine::LinkUse> TieredNetwork::use_of(const Links& links) const {
    return idle_part(links).use_of(links);
}

void TieredNetwork::forget_longest_queues(const Links& links) {
    idle_part(links).forget_longest_queues(links);
}

bool TieredNetwork::nodes_matter(const std::vector<engine::LinkUse>& elsewhere) const {
    return part(TierPart::ScaleOut).idle_links()->nodes_matter(elsewhere);
}

Time TieredNetwork::contention(const Links& links) const {
    return part(TierPart::ScaleUp).idle_links()->contention(links) +
           part(TierPart::ScaleOut).idle_links()->contention(links);
}

std::vector<std::uint64_t> TieredNetwork::packet_numbers(const Links& links) const {
    return idle_part(links).packet_numbers(links);
}

void TieredNetwork::skip_packet_numbers(const Links& links,
                                        const std::vector<std::uint64_t>& packets) {
    idle_part(links).skip_packet_numbers(links, packets);
}

void TieredNetwork::split(std::vector<bool> /* owned */, PartitionLink& /* cut */) {
    throw InputError({description_.file, "packet.scale_up", "a network split over processes",
                      "one process, or a network without scale_up",
                      "Run it in one process, or leave scale_up out"});
}

void TieredNetwork::enter(const std::uint8_t* /* data */, std::size_t /* size */) {
    assert(false && "it is never split");
}

void TieredNetwork::set_fast_forward(bool wanted) {
    for (const auto& part : parts_) {
        part->set_fast_forward(wanted);
    }
}

void TieredNetwork::set_threads(std::size_t threads, std::uint64_t least_packets) {
    for (const auto& part : parts_) {
        part->set_threads(threads, least_packets);
    }
}

void TieredNetwork::settle() {
    for (const auto& part : parts_) {
        part->settle();
    }
}

void TieredNetwork::observer_changes() {
    for (const auto& part : parts_) {
        part->set_observer(observer_);
    }
}

}  // namespace npunet::packet
