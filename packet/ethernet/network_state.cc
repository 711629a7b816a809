#include "packet/ethernet/network_state.h"

#include "packet/transport/queue_pair.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace npunet::packet {

ObservedPacket EthernetNetworkState::observed(std::uint32_t place, std::uint32_t link) const {
    const EthernetPacket& packet = packets[place];
    ObservedPacket seen;
    seen.wire = Bytes(packet.wire);
    seen.kind = packet.kind;
    seen.traffic_class = packet.traffic_class;
    if (is_request(packet.kind)) {
        seen.source = NodeId(std::size_t{ports[link].node});
        seen.destination = seen.source;
        return seen;
    }
    const std::uint64_t key = owners.queue_pair_of(place);
    seen.source = NodeId(std::size_t{QueuePair::source_of(key)});
    seen.destination = NodeId(std::size_t{QueuePair::destination_of(key)});
    if (!goes_forth(packet.kind)) {
        std::swap(seen.source, seen.destination);
    }
    if (packet.kind == PacketKind::Data) {
        seen.marked = packet.marked != 0;
        seen.repeated = packet.repeated;
    } else {
        seen.traffic_class = QueuePair::class_of(key);
    }
    if (packet.kind != PacketKind::Notification && packet.kind != PacketKind::Request &&
        packet.kind != PacketKind::Grant) {
        seen.sequence = packet.sequence;
    }
    return seen;
}

engine::LinkUse EthernetNetworkState::use_of(std::size_t link) const {
    const EthernetPort& port = ports[link];
    engine::LinkUse use{Bytes(port.payload), Bytes(port.sent), Time::ps(port.busy),
                        Bytes(port.max_queue)};
    use.packets = static_cast<std::uint64_t>(port.packets);
    use.retransmissions = static_cast<std::uint64_t>(port.repeated);
    // A run that was stopped may have left the node ahead of the clock.
    const std::int64_t ongoing =
        port.paused != 0 ? std::max<std::int64_t>(clock.now() - port.paused_at, 0) : 0;
    use.credit_stall = Time::ps(port.pause_time + ongoing);
    use.pauses = static_cast<std::uint64_t>(port.pauses);
    use.marked = static_cast<std::uint64_t>(port.marked);
    use.drops = static_cast<std::uint64_t>(port.drops);
    use.notifications = static_cast<std::uint64_t>(port.notifications);
    use.classes_wire = classes.wire_of(link);
    return use;
}

}  // namespace npunet::packet
