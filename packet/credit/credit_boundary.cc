#include "packet/credit/credit_boundary.h"

#include <cassert>
#include <utility>

namespace npunet::packet {

CreditBoundary::CreditBoundary(CreditNetworkState& state, std::vector<bool> owned,
                               PartitionLink& cut)
    : state_(state), boundary_(state.plan.graph(), std::move(owned), cut) {
    for (std::size_t number = 0; number < state_.ports.size(); ++number) {
        state_.ports[number].cut = boundary_.is_cut(LinkId(number)) ? 1U : 0U;
    }
}

void CreditBoundary::open_own(std::uint32_t place, const engine::Message& sent) {
    assert(boundary_.owns(sent.source) && "a message starts in the partition of its source");
    const MessageRecord& record = state_.messages[place];
    BoundaryMessage message;
    message.id = record.id;
    message.start = record.start;
    message.bytes = record.bytes;
    message.source = sent.source;
    message.destination = sent.destination;
    message.traffic_class = state_.classes.of(sent);
    if (!boundary_.owns(sent.destination)) {
        message.label = boundary_.cut().label_of(sent.handle);
    }
    boundary_.open(place, message);
    boundary_.hold(place);
}

void CreditBoundary::end_source(std::uint32_t message) {
    if (!boundary_.owns(boundary_[message].destination)) {
        boundary_.cut().message_has_left(state_.messages[message].handle);
    }
    release(message);
}

bool CreditBoundary::deliver(std::uint32_t message) {
    const BoundaryMessage known = boundary_[message];
    release(message);
    if (boundary_.owns(known.source)) {
        return true;
    }
    boundary_.cut().message_arrives(known);
    return false;
}

void CreditBoundary::leave(std::uint32_t port_number, std::uint32_t place,
                           const Crossing& crossing) {
    const CreditPort& port = state_.ports[port_number];
    const QueuedPacket& packet = state_.packets[place];
    const MessageRecord& record = state_.messages[packet.message];
    BoundaryPacket leaving;
    leaving.message = boundary_[packet.message];
    leaving.message.first_byte_left = record.first_byte_left;
    leaving.number = port.packets;
    leaving.arrival = crossing.arrival;
    leaving.header_in = crossing.header_in;
    leaving.born = state_.oldest ? state_.packets.born(place) : 0;
    leaving.link = port_number;
    leaving.payload = packet.payload;
    leaving.last = packet.last == 1;
    if (state_.paths.router == nullptr) {
        leaving.hop = packet.hop - record.hop;
    } else {
        leaving.path = state_.paths.of_packet(place);
    }
    const std::uint32_t message = packet.message;
    state_.packets.free(place, 0);
    boundary_.begin(BoundaryPacket::frame).add(leaving);
    boundary_.send_along(LinkId(std::size_t{port_number}), state_.events.now());
    release(message);
}

void CreditBoundary::send_credit_back(const CrossPartitionCredit& credit) {
    boundary_.begin(BoundaryCredit::frame)
        .add(BoundaryCredit{credit.stamp, credit.port, credit.channel, credit.wire});
    boundary_.send_back(LinkId(std::size_t{credit.port}), state_.events.now());
}

}  // namespace npunet::packet
