#include "packet/ethernet/reroute_epochs.h"

#include "engine/network/network.h"

#include <algorithm>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

void EthernetRerouteEpochs::await_next() {
    topology::Reroutes& reroutes = *routes_.reroutes();
    const std::vector<Time>& begins = reroutes.epochs();
    if (is_awaited_) {
        return;
    }
    // Nothing was under way, so the epochs since then affected no packet.
    const Time now = Time::ps(state_.clock.now());
    std::size_t epoch = epoch_;
    while (epoch + 1 < begins.size() && begins[epoch + 1] <= now) {
        ++epoch;
    }
    if (epoch != epoch_) {
        epoch_ = epoch;
        reroutes.set_epoch(epoch);
    }
    if (epoch + 1 < begins.size()) {
        is_awaited_ = true;
        state_.clock.schedule(begins[epoch + 1].ps(),
                              EventKey::of(Phase::Arrival, engine::event_kind::routes, 0),
                              begin_event_, static_cast<std::uint32_t>(epoch + 1));
    }
}

void EthernetRerouteEpochs::begin(std::uint32_t epoch) {
    topology::Reroutes& reroutes = *routes_.reroutes();
    is_awaited_ = false;
    epoch_ = epoch;
    reroutes.set_epoch(epoch);
    for (std::uint32_t number = 0; number < state_.ports.size(); ++number) {
        if (reroutes.is_dead(LinkId(std::size_t{number}))) {
            drop_dead(number);
        }
    }
    pairs_.choose_again();
    if (all_ || is_busy()) {
        await_next();
    }
}

bool EthernetRerouteEpochs::is_busy() const {
    // Duplicates of received packets, grants and pauses may remain when all messages are done.
    return pairs_.is_busy() || pairs_.any_grant_is_due() ||
           std::any_of(state_.ports.begin(), state_.ports.end(), [](const EthernetPort& port) {
               return port.flight.head != none || port.requests.head != none ||
                      port.control.head != none || port.filled != 0 || port.paused != 0;
           });
}

void EthernetRerouteEpochs::drop_dead(std::uint32_t number) {
    EthernetPort& port = state_.ports[number];
    while (port.requests.head != none) {
        state_.packets.free(port.requests.pop(state_.packets));
    }
    while (port.control.head != none) {
        drops_.drop(number, port.control.pop(state_.packets), PacketDrop::LinkDown,
                    "on a dead link");
    }
    for (std::uint32_t traffic_class = 0; traffic_class < state_.class_count; ++traffic_class) {
        drop_dead_data(number, traffic_class);
    }
    flow_control_.forget(number);
}

void EthernetRerouteEpochs::drop_dead_data(std::uint32_t number, std::uint32_t traffic_class) {
    const EthernetPort& port = state_.ports[number];
    while ((port.filled >> traffic_class & 1U) != 0) {
        const std::uint32_t place = queues_.take(number, traffic_class);
        // A copy: a RESUME frame that follows is a packet, too, whose allocation invalidates
        // references.
        const EthernetPacket packet = state_.packets[place];
        if (state_.observer != nullptr) {
            state_.observer->packet_gave_up(LinkId(std::size_t{number}), Bytes(packet.wire),
                                            Time::ps(std::max(packet.ready, state_.clock.now())));
        }
        flow_control_.free_room(port.node, packet.input, packet.traffic_class, packet.wire);
        drops_.drop(number, place, PacketDrop::LinkDown, "on a dead link");
    }
}

}  // namespace npunet::packet
