#pragma once

#include "packet/transport/ethernet_boundary.h"
#include "packet/transport/message.h"
#include "packet/transport/queue_pair.h"

#include "engine/network.h"

#include <cstdint>

namespace npunet::packet {

/// The border of a part of a split network, as its queue pairs see it. One whose ends are in
/// different parts is in both: what its sender knows in that of its source, what its receiver knows
/// in that of its destination, where its messages become known with the first packet that comes.
/// Where the network is whole everything is here.
class TransportBoundary {
public:
    /// The network is split from now on.
    /// @param boundary of this part; must outlive this
    void split(EthernetBoundary& boundary) { boundary_ = &boundary; }

    /// @return whether there are other parts
    bool is_split() const { return boundary_ != nullptr; }

    /// @param pair a queue pair
    /// @return whether its sender is here
    bool sends_here(const QueuePair& pair) const {
        return boundary_ == nullptr || boundary_->owns(NodeId(std::size_t{pair.source}));
    }

    /// @param pair a queue pair
    /// @return whether its receiver is here
    bool receives_here(const QueuePair& pair) const {
        return boundary_ == nullptr || boundary_->owns(NodeId(std::size_t{pair.destination}));
    }

    /// A message starts here.
    /// @param place of the message
    /// @param message as it was sent
    /// @param now in picoseconds
    void open(std::uint32_t place, const engine::Message& message, std::int64_t now) {
        if (boundary_ != nullptr) {
            describe(place, message, now);
        }
    }

    /// A packet starts here: whatever part it comes to, its queue pair shall be known.
    /// @param place of the packet
    /// @param pair its queue pair
    void take_along(std::uint32_t place, const QueuePair& pair) {
        if (boundary_ != nullptr) {
            boundary_->of_packet(place).pair = pair.key;
        }
    }

    /// Data starts here: its message shall be known, too.
    /// @param place of the data
    /// @param message its message
    /// @param message_place place of the message
    void take_along(std::uint32_t place, const TransportMessage& message,
                    std::uint32_t message_place) {
        if (boundary_ != nullptr) {
            EthernetCargo& cargo = boundary_->of_packet(place);
            cargo.first = message.first;
            cargo.message = boundary_->of_message(message_place);
            cargo.message.first_byte_left = message.first_byte_left;
        }
    }

    /// There are other parts.
    /// @param place of a packet
    /// @return what it has taken along
    const EthernetCargo& cargo_of(std::uint32_t place) { return boundary_->of_packet(place); }

    /// There are other parts, and a message of one of them has become known.
    /// @param place of the message from now on
    /// @param message what the part of its source knows
    void meet(std::uint32_t place, const BoundaryMessage& message) {
        boundary_->of_message(place) = message;
    }

    /// The source of a message whose receiver is in another part is done with it.
    /// @param handle Message::handle
    void message_has_left(std::uint32_t handle) { boundary_->cut().message_has_left(handle); }

    /// A message whose sender is in another part is delivered.
    /// @param place that it had
    void message_arrives(std::uint32_t place);

private:
    /// @copydoc open
    void describe(std::uint32_t place, const engine::Message& message, std::int64_t now);

    EthernetBoundary* boundary_ = nullptr;  ///< of this part; null: it is the whole
};

}  // namespace npunet::packet
