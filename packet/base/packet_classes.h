// The traffic classes of all ports, and the choice among them. Class c has the virtual channels
// c x channels to (c + 1) x channels - 1 of every link.
//
// Weights: start-time fair queueing over bytes on the wire (P. Goyal, H. M. Vin and H. Chen, ACM
// SIGCOMM 1996). When a packet of b bytes of a class of weight w starts, its start tag is
// max(virtual time, finish tag of the class), and the new finish tag is start + b x 2^20 / w. The
// class with the smallest start tag goes first; virtual time is the start tag of the last packet
// that started. Tags are stored relative to the virtual time, so they stay small: at most 2^51.
//
//     const std::uint32_t number = classes.first(port, eligible);
//     classes.charge(port, number, wire);
#pragma once

#include "base/quantities.h"
#include "engine/network/network.h"
#include "topology/parameters/traffic_classes.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace npunet::packet {

/// The state of one class at one port.
struct ClassOfPort {
    std::uint32_t next_queue = 0;  ///< round robin: the queue to be considered first
    std::int64_t lead = 0;         ///< finish tag minus the virtual time of the port, at least 0
    std::int64_t wire = 0;         ///< bytes sent, with headers
};

/// of_port(), first() and charge() are for networks with several classes.
struct PacketClasses {
    /// `per_class`: virtual channels of each class.
    PacketClasses(topology::TrafficClasses classes, std::uint32_t per_class, std::size_t links)
        : given(std::move(classes)),
          channels(per_class),
          of_ports(given.count > 1 ? links * given.count : 0) {}

    std::uint32_t of(const engine::Message& message) const {
        const std::uint32_t number = message.traffic_class == engine::Message::by_kind
                                         ? given.of(message.kind)
                                         : message.traffic_class;
        assert(number < given.count && "the network has no such traffic class");
        return number;
    }

    /// The port's array of given.count classes.
    ClassOfPort* of_port(std::size_t port) { return &of_ports[port * given.count]; }

    /// With several classes: bytes sent by the port, with headers, by class; otherwise empty.
    std::vector<Bytes> wire_of(std::size_t port) const;

    /// The class to be served. `open`, not 0: a bit for each class that has an eligible packet.
    std::uint32_t first(std::size_t port, std::uint32_t open);

    /// A packet of class `number` starts; `bytes` includes its header.
    void charge(std::size_t port, std::uint32_t number, std::uint32_t bytes);

    topology::TrafficClasses given;     ///< from the description
    std::uint32_t channels;             ///< of each class
    std::vector<ClassOfPort> of_ports;  ///< by link and class; empty with one class
};

}  // namespace npunet::packet
