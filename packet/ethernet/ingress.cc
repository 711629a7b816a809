#include "packet/ethernet/ingress.h"

namespace npunet::packet {

namespace {

/// Whether switches cut off the payload instead of dropping packets.
bool trims(const topology::NetworkDescription& description) {
    const topology::CongestionControlChoice& choice = description.packet.congestion_control;
    return description.packet.flow_control == topology::FlowControl::None &&
           choice.algorithm == topology::CongestionAlgorithm::ReceiverCredit &&
           topology::value_of(choice, "trimming") != 0;
}

}  // namespace

EthernetIngress::EthernetIngress(const topology::NetworkDescription& description,
                                 EthernetNetworkState& state, EthernetNextHop& routes,
                                 EthernetLinks& links, PriorityFlowControl& flow_control,
                                 EcnMarks& marks, OutputQueues& queues, EthernetDrops& drops,
                                 QueuePairs& pairs)
    : trims_(trims(description)),
      state_(state),
      routes_(routes),
      links_(links),
      flow_control_(flow_control),
      marks_(marks),
      queues_(queues),
      drops_(drops),
      pairs_(pairs) {}

void EthernetIngress::arrive(std::uint32_t link) {
    EthernetPort& port = state_.ports[link];
    const std::int64_t now = state_.clock.now();
    if (port.due != now || state_.clock.is_suspended()) {
        return;
    }
    port.due = never;
    while (port.flight.first_ready <= now) {
        const std::uint32_t place = port.flight.pop(state_.packets);
        if (port.flight.head != none) {
            state_.packets.prefetch(port.flight.head);
        }
        receive(place, link, now);
    }
    if (port.flight.head != none) {
        state_.schedule.await_next_arrival(link);
    }
}

void EthernetIngress::receive(std::uint32_t place, std::uint32_t link, std::int64_t now) {
    EthernetPacket& packet = state_.packets[place];
    if (is_request(packet.kind)) {
        flow_control_.obey(link, packet);
        state_.packets.free(place);
        return;
    }
    if (routes_.is_last(packet)) {
        pairs_.receive(place);
        return;
    }
    packet.input = link;
    routes_.advance(place, packet, now);
    const std::uint32_t out = routes_.link_of(packet);
    const std::int64_t ready = links_.ready_at(packet, out, now);
    if (is_control(packet)) {
        queues_.join_control(out, place, ready);
    } else {
        enqueue(place, out, ready);
    }
}

void EthernetIngress::enqueue(std::uint32_t place, std::uint32_t out, std::int64_t ready) {
    EthernetPacket& packet = state_.packets[place];
    const std::int64_t queued = queues_.of(out, packet.traffic_class).bytes;
    const SharedBuffer::Verdict verdict =
        flow_control_.take(packet, state_.ports[out].node, queued);
    if (verdict == SharedBuffer::Verdict::Dropped) {
        if (trims_ && !packet.datagram) {
            trim(place, out, ready);
            return;
        }
        drops_.drop(out, place, PacketDrop::NoRoom,
                    flow_control_.pauses() ? "for want of headroom" : "for want of room");
        return;
    }
    if (packet.datagram ? packet.can_be_marked : marks_.are_wanted()) {
        mark(place, out, queued);
    }
    queues_.join(out, place, ready);
    // After join(): the PAUSE frame is a packet, too, whose allocation invalidates references.
    if (verdict == SharedBuffer::Verdict::TakenPauses) {
        flow_control_.ask_to_pause(packet.input, packet.traffic_class);
    }
}

void EthernetIngress::trim(std::uint32_t place, std::uint32_t out, std::int64_t ready) {
    EthernetPacket& packet = state_.packets[place];
    drops_.count(out, place, PacketDrop::Trimmed);
    packet.trimmed = true;
    packet.payload = 0;
    packet.wire = state_.sizes.header();
    queues_.join_control(out, place, ready);
}

void EthernetIngress::mark(std::uint32_t place, std::uint32_t out, std::int64_t queued) {
    EthernetPort& port = state_.ports[out];
    if (!marks_.marks(out, static_cast<std::uint64_t>(port.arrivals++), queued)) {
        return;
    }
    state_.packets[place].marked = 1;
    ++port.marked;
    if (state_.observer != nullptr) {
        state_.observer->packet_marked(LinkId(std::size_t{out}), state_.observed(place, out));
    }
}

}  // namespace npunet::packet
