#include "packet/transport/transport_boundary.h"

namespace npunet::packet {

void TransportBoundary::open(std::uint32_t place, const engine::Message& message,
                             std::int64_t now) {
    if (boundary_ == nullptr) {
        return;
    }
    BoundaryMessage& known = boundary_->of_message(place);
    known = BoundaryMessage();
    known.id = message.id.value();
    known.start = now;
    known.bytes = message.bytes.value();
    known.source = message.source;
    known.destination = message.destination;
    if (!boundary_->owns(message.destination)) {
        known.label = boundary_->cut().label_of(message.handle);
    }
}

void TransportBoundary::message_arrives(std::uint32_t place) {
    const BoundaryMessage known = boundary_->of_message(place);
    boundary_->cut().message_arrives(known);
}

}  // namespace npunet::packet
