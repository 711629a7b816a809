#include "packet/credit/deferred_notifications.h"

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

std::uint64_t DeferredNotifications::gather() {
    std::uint64_t packets = 0;
    for (ThreadPartition& partition : state_.partitions) {
        state_.near_end += partition.near_end;
        packets += partition.handled;
        partition.near_end = 0;
        partition.handled = 0;
        for (const MessageEvent& event : partition.events) {
            schedule(event);
        }
        for (const CrossPartitionLook& look : partition.looks) {
            state_.fast_forward->packet_starts(look.port, look.start, look.end);
        }
        partition.events.clear();
        partition.looks.clear();
    }
    state_.events.count_handled(packets);
    return packets;
}

void DeferredNotifications::schedule(const MessageEvent& event) {
    using namespace engine::event_kind;
    state_.clock.schedule(
        event.at,
        EventKey::of(Phase::Arrival, event.delivered ? message_delivered : message_sent,
                     state_.messages[event.message].id),
        event.delivered ? handlers_.delivered : handlers_.sent, event.message);
}

void DeferredNotifications::announce(const CreditPort& port, const MessageEvent& event) {
    if (state_.partition_mask != 0) {
        state_.partition_of(port).events.push_back(event);
        return;
    }
    schedule(event);
}

void DeferredNotifications::announce_start(std::uint32_t port_number, std::int64_t now,
                                           std::int64_t end) {
    if (state_.partition_mask == 0) {
        state_.fast_forward->packet_starts(port_number, now, end);
    } else if (now >= state_.fast_forward->look_from(port_number)) {
        state_.ports[port_number].look = 0;
        state_.partition_of(state_.ports[port_number]).looks.push_back({now, end, port_number});
    }
}

}  // namespace npunet::packet
