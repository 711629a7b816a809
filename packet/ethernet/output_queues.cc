#include "packet/ethernet/output_queues.h"

#include <algorithm>

namespace npunet::packet {

OutputQueues::OutputQueues(const topology::NetworkDescription& description,
                           EthernetNetworkState& state, const EthernetNextHop& routes)
    : state_(state),
      routes_(routes),
      queues_(description.graph.links() * description.packet.classes.count),
      histograms_(description) {}

void OutputQueues::send_control(std::uint32_t place) {
    join_control(routes_.link_of(state_.packets[place]), place, state_.clock.now());
}

void OutputQueues::join_control(std::uint32_t number, std::uint32_t place, std::int64_t ready) {
    state_.ports[number].control.append(state_.packets, place, ready);
    state_.schedule.wake_port(number, ready);
}

void OutputQueues::join(std::uint32_t number, std::uint32_t place, std::int64_t ready) {
    const EthernetPacket& packet = state_.packets[place];
    EthernetPort& port = state_.ports[number];
    ClassQueue& queue = queues_[number * state_.class_count + packet.traffic_class];
    queue.packets.append(state_.packets, place, ready);
    queue.bytes += packet.wire;
    port.filled |= 1U << packet.traffic_class;
    port.queued += packet.wire;
    port.max_queue = std::max(port.max_queue, port.queued);
    histograms_.arrive(number, state_.clock.now(), packet.wire);
    if (state_.observer != nullptr) {
        state_.observer->packet_queued(LinkId(std::size_t{number}), Bytes(packet.wire),
                                       Time::ps(ready));
    }
    state_.schedule.wake_port(number, ready);
}

std::uint32_t OutputQueues::take(std::uint32_t number, std::uint32_t traffic_class) {
    EthernetPort& port = state_.ports[number];
    ClassQueue& queue = queues_[number * state_.class_count + traffic_class];
    const std::uint32_t place = queue.packets.pop(state_.packets);
    port.filled &= queue.packets.head == none ? ~(1U << traffic_class) : ~0U;
    const EthernetPacket& packet = state_.packets[place];
    queue.bytes -= packet.wire;
    port.queued -= packet.wire;
    return place;
}

bool OutputQueues::any_from(std::uint32_t number, std::uint32_t traffic_class,
                            std::uint32_t input) const {
    std::uint32_t place = of(number, traffic_class).packets.head;
    while (place != none && state_.packets[place].input != input) {
        place = state_.packets[place].next;
    }
    return place != none;
}

void OutputQueues::list(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) {
    for (std::uint32_t number = 0; number < state_.class_count; ++number) {
        PacketQueue& queue = of(static_cast<std::uint32_t>(link.index()), number).packets;
        queue.for_each(state_.packets, [&](const EthernetPacket& packet, std::int64_t ready) {
            function(link, Bytes(packet.wire), Time::ps(ready));
        });
    }
}

}  // namespace npunet::packet
