// Partition boundary of a split network, as its queue pairs see it. A queue pair whose ends are in
// different partitions exists in both: the state of its sender in that of the source, the state of
// its receiver in that of the destination, where its messages become known with the first packet
// that arrives. In a network that is not split everything is local.
#pragma once

#include "packet/transport/ethernet_boundary.h"
#include "packet/transport/queue_pair.h"

#include "engine/network/network.h"

#include <cstdint>

namespace npunet::packet {

class TransportBoundary {
public:
    /// From now on. `boundary` must outlive this.
    void split(EthernetBoundary& boundary) { boundary_ = &boundary; }

    bool is_split() const { return boundary_ != nullptr; }

    /// Whether the sender is in this partition.
    bool sends_here(const QueuePair& pair) const {
        return boundary_ == nullptr || boundary_->owns(NodeId(std::size_t{pair.source}));
    }

    /// Whether the receiver is in this partition.
    bool receives_here(const QueuePair& pair) const {
        return boundary_ == nullptr || boundary_->owns(NodeId(std::size_t{pair.destination}));
    }

    /// A message starts here, at `now` in picoseconds.
    void open(std::uint32_t place, const engine::Message& message, std::int64_t now);

    /// A packet starts here: stores its queue pair with it, for any partition it reaches.
    void take_along(std::uint32_t place, const QueuePair& pair) {
        if (boundary_ != nullptr) {
            boundary_->of_packet(place).pair = pair.key;
        }
    }

    /// Data starts here: stores its message with it.
    void take_along(std::uint32_t place, const TransportMessage& message,
                    std::uint32_t message_place) {
        if (boundary_ != nullptr) {
            EthernetCargo& cargo = boundary_->of_packet(place);
            cargo.first = message.first;
            cargo.message = boundary_->of_message(message_place);
            cargo.message.first_byte_left = message.first_byte_left;
        }
    }

    /// Split network: what a packet carries.
    const EthernetCargo& cargo_of(std::uint32_t place) { return boundary_->of_packet(place); }

    /// Split network: a message of another partition has become known, and has this place from now
    /// on.
    void meet(std::uint32_t place, const BoundaryMessage& message) {
        boundary_->of_message(place) = message;
    }

    /// The source has finished a message whose receiver is in another partition. `handle`:
    /// Message::handle.
    void message_has_left(std::uint32_t handle) { boundary_->cut().message_has_left(handle); }

    /// A message whose sender is in another partition is delivered. `place`: the one it had.
    void message_arrives(std::uint32_t place);

private:
    EthernetBoundary* boundary_ = nullptr;  ///< null: the network is not split
};

}  // namespace npunet::packet
