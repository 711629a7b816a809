#include "packet/credit/boundary_entry.h"

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

void BoundaryEntry::enter(const std::uint8_t* data, std::size_t size) {
    BoundaryFrameReader reader(data, size);
    if (reader.kind() == BoundaryPacket::frame) {
        const auto packet = reader.take<BoundaryPacket>();
        // At most one packet of a link at an instant; those of several links in link order.
        state_.clock.schedule(
            state_.clock.now(),
            EventKey::of(Phase::Arrival, engine::event_kind::boundary, packet.link), enter_event_,
            boundary_.boundary().keep(packet));
    } else {
        const auto credit = reader.take<BoundaryCredit>();
        step_.take_credit({credit.stamp, credit.link, credit.channel, credit.wire});
    }
}

void BoundaryEntry::enter_packet(std::uint32_t number) {
    const BoundaryPacket entering = boundary_.boundary().take(number);
    const LinkId link(std::size_t{entering.link});
    const std::uint32_t message = open(entering.message);
    boundary_.hold(message);
    if (state_.observer != nullptr) {
        state_.observer->packet_entered(link, Bytes(state_.wire_bytes(entering.payload)),
                                        Time::ps(entering.arrival));
    }
    if (state_.plan.graph().link(link).to == entering.message.destination) {
        step_.arrive(state_.ports[entering.link], message, entering.last, entering.arrival);
        return;
    }
    const std::uint32_t place = state_.packets.take(0);
    QueuedPacket& packet = state_.packets[place];
    packet.message = message;
    packet.payload = entering.payload & 0x7fffffff;
    packet.last = entering.last ? 1U : 0U;
    if (state_.oldest) {
        state_.packets.born(place) = entering.born;
    }
    if (state_.paths.router == nullptr) {
        packet.hop = state_.messages[message].hop + entering.hop;
    } else {
        state_.paths.of_packet(place) = entering.path;
        packet.hop = CreditPaths::hop_of_packet(place);
    }
    Crossing crossing;
    crossing.arrival = entering.arrival;
    crossing.header_in = entering.header_in;
    step_.forward(entering.link, place, crossing, entering.number);
}

std::uint32_t BoundaryEntry::open(const BoundaryMessage& message) {
    const std::uint32_t known = boundary_.boundary().find(message.id);
    if (known != none) {
        return known;
    }
    const std::uint32_t place = state_.messages.take();
    MessageRecord& record = state_.messages[place];
    record.id = message.id;
    record.start = message.start;
    record.bytes = message.bytes;
    record.first_byte_left = message.first_byte_left;
    if (state_.paths.router == nullptr) {
        record.hop =
            state_.plan.first_hop(message.source, message.destination, message.traffic_class);
    } else {
        route_changes_.await();
        step_.next_hop().open_remote(place, message.bytes);
    }
    boundary_.boundary().open(place, message);
    return place;
}

}  // namespace npunet::packet
