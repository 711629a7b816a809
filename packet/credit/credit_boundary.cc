#include "packet/credit/credit_boundary.h"

#include <cassert>
#include <utility>

namespace npunet::packet {

CreditBoundary::CreditBoundary(CreditNetworkState& state, std::vector<bool> owned,
                               PartitionLink& cut)
    : state_(state), border_(state.plan.graph(), std::move(owned), cut) {
    for (std::size_t number = 0; number < state_.ports.size(); ++number) {
        state_.ports[number].cut = border_.is_cut(LinkId(number)) ? 1U : 0U;
    }
}

void CreditBoundary::open_own(std::uint32_t place, const engine::Message& sent) {
    assert(border_.owns(sent.source) && "a message starts in the part of its source");
    const MessageRecord& record = state_.messages[place];
    BoundaryMessage message;
    message.id = record.id;
    message.start = record.start;
    message.bytes = record.bytes;
    message.source = sent.source;
    message.destination = sent.destination;
    message.traffic_class = state_.classes.of(sent);
    if (!border_.owns(sent.destination)) {
        message.label = border_.cut().label_of(sent.handle);
    }
    border_.open(place, message);
    border_.hold(place);
}

void CreditBoundary::end_source(std::uint32_t message) {
    if (!border_.owns(border_[message].destination)) {
        border_.cut().message_has_left(state_.messages[message].handle);
    }
    release(message);
}

bool CreditBoundary::deliver(std::uint32_t message) {
    const BoundaryMessage known = border_[message];
    release(message);
    if (border_.owns(known.source)) {
        return true;
    }
    border_.cut().message_arrives(known);
    return false;
}

void CreditBoundary::leave(std::uint32_t port_number, std::uint32_t place,
                           const Crossing& crossing) {
    const CreditPort& port = state_.ports[port_number];
    const QueuedPacket& packet = state_.packets[place];
    const MessageRecord& record = state_.messages[packet.message];
    BoundaryPacket leaving;
    leaving.message = border_[packet.message];
    leaving.message.first_byte_left = record.first_byte_left;
    leaving.number = port.packets;
    leaving.arrival = crossing.arrival;
    leaving.header_in = crossing.header_in;
    leaving.born = state_.oldest ? state_.packets.born(place) : 0;
    leaving.link = port_number;
    leaving.payload = packet.payload;
    leaving.last = packet.last == 1;
    if (state_.ways.router == nullptr) {
        leaving.hop = packet.hop - record.hop;
    } else {
        leaving.way = state_.ways.of_packet(place);
    }
    const std::uint32_t message = packet.message;
    state_.packets.free(place, 0);
    border_.begin(BoundaryPacket::frame).add(leaving);
    border_.send_along(LinkId(std::size_t{port_number}), state_.events.now());
    release(message);
}

void CreditBoundary::send_credit_back(const CrossPartitionCredit& credit) {
    border_.begin(BoundaryCredit::frame)
        .add(BoundaryCredit{credit.stamp, credit.port, credit.channel, credit.wire});
    border_.send_back(LinkId(std::size_t{credit.port}), state_.events.now());
}

}  // namespace npunet::packet
