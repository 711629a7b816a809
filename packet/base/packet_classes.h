#pragma once

#include "engine/network.h"
#include "topology/traffic_classes.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace npunet::packet {

/// What a port knows of one of its traffic classes.
struct ClassOfPort {
    std::uint32_t turn = 0;  ///< round robin: the queue to be asked first
    std::int64_t lead = 0;   ///< its finish tag less the virtual time of the port, at least 0
    std::int64_t wire = 0;   ///< bytes carried, with headers
};

/// The traffic classes of all ports. Class c has the channels c x channels to
/// (c + 1) x channels - 1 of every link.
///
/// Weights: start-time fair queueing over bytes on the wire (P. Goyal, H. M. Vin and H. Chen, ACM
/// SIGCOMM 1996). A packet of b bytes of a class of weight w that starts has the start tag
/// max(virtual time, finish tag of the class) and leaves the finish tag start + b x 2^20 / w; the
/// class with the smallest start tag goes first; virtual time is the start tag of the last packet
/// that started. Tags are kept less the virtual time, so that they stay small: at most 2^51.
struct PacketClasses {
    /// @param classes as in the description
    /// @param per_class virtual channels of each class
    /// @param links how many
    PacketClasses(topology::TrafficClasses classes, std::uint32_t per_class, std::size_t links)
        : given(std::move(classes)),
          channels(per_class),
          of_ports(given.count > 1 ? links * given.count : 0) {}

    /// @param message a message
    /// @return its class
    std::uint32_t of(const engine::Message& message) const {
        const std::uint32_t number = message.traffic_class == engine::Message::by_kind
                                         ? given.of(message.kind)
                                         : message.traffic_class;
        assert(number < given.count && "the network has no such traffic class");
        return number;
    }

    /// Several classes.
    /// @param port number of a port
    /// @return the first of its classes, which the others follow
    ClassOfPort* of_port(std::size_t port) { return &of_ports[port * given.count]; }

    /// Several classes.
    /// @param port number of a port
    /// @param open a bit for each class: whether it has a packet that can go; not all 0
    /// @return the class that goes first
    std::uint32_t first(std::size_t port, std::uint32_t open);

    /// Several classes: a packet starts.
    /// @param port number of the port
    /// @param number the class
    /// @param bytes of the packet, with header
    void charge(std::size_t port, std::uint32_t number, std::uint32_t bytes);

    topology::TrafficClasses given;     ///< as in the description
    std::uint32_t channels;             ///< virtual channels of each class
    std::vector<ClassOfPort> of_ports;  ///< by link and class; empty with one class
};

}  // namespace npunet::packet
