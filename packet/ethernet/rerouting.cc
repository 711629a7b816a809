#include "packet/ethernet/rerouting.h"

#include <algorithm>

namespace npunet::packet {

bool EthernetRerouting::is_busy() const {
    // Duplicates of received packets, grants and pauses may remain when all messages are done.
    return pairs_.is_busy() || pairs_.any_grant_is_due() ||
           std::any_of(state_.ports.begin(), state_.ports.end(), [](const EthernetPort& port) {
               return port.flight.head != none || port.requests.head != none ||
                      port.control.head != none || port.filled != 0 || port.paused != 0;
           });
}

void EthernetRerouting::leave_dead_link(std::uint32_t link) {
    EthernetPort& port = state_.ports[link];
    while (port.requests.head != none) {
        state_.packets.free(port.requests.pop(state_.packets));
    }
    while (port.control.head != none) {
        drops_.drop(link, port.control.pop(state_.packets), PacketDrop::LinkDown, "on a dead link");
    }
    for (std::uint32_t traffic_class = 0; traffic_class < state_.class_count; ++traffic_class) {
        drop_data(link, traffic_class);
    }
    flow_control_.forget(link);
}

void EthernetRerouting::drop_data(std::uint32_t number, std::uint32_t traffic_class) {
    const EthernetPort& port = state_.ports[number];
    while ((port.filled >> traffic_class & 1U) != 0) {
        const std::int64_t ready = queues_.next_time(number, traffic_class);
        const std::uint32_t place = queues_.take(number, traffic_class);
        // A copy: a RESUME frame that follows is a packet, too, whose allocation invalidates
        // references.
        const EthernetPacket packet = state_.packets[place];
        if (state_.observer != nullptr) {
            state_.observer->packet_gave_up(LinkId(std::size_t{number}), Bytes(packet.wire),
                                            Time::ps(std::max(ready, state_.clock.now())));
        }
        flow_control_.free_room(port.node, packet.input, packet.traffic_class, packet.wire);
        drops_.drop(number, place, PacketDrop::LinkDown, "on a dead link");
    }
}

}  // namespace npunet::packet
