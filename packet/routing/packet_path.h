// The state of per-packet routing for one packet: where it is, and the next hops that it has
// selected there. Both packet networks keep one for each packet that is routed hop by hop.
//
//     path.start(source, destination, packet_hash(seed, message, number), sequence);
//     if (!path.take_planned()) {
//         path.take(offered);  // one of those that a topology::MultipathRouter offers
//     }
//     path.cross(graph);       // it is at the node behind path.hop
#pragma once

#include "base/splitmix64.h"
#include "topology/graph/graph.h"
#include "topology/network/network_description.h"
#include "topology/network/reroutes.h"
#include "topology/routing/multipath.h"

#include <cstdint>

namespace npunet::packet {

/// PacketPlace::hash of a packet. `key`: of its message or queue pair; `number`: of the packet in
/// it.
inline std::uint64_t packet_hash(std::uint64_t seed, std::uint64_t key, std::uint64_t number) {
    return splitmix64(splitmix64(splitmix64(seed) ^ key) + number);
}

struct PacketPath {
    topology::PacketPlace place;      ///< where it is
    topology::Hop hop;                ///< the selected hop
    topology::Hop then;               ///< the hop after it, if selected in advance
    std::uint32_t memory_behind = 0;  ///< PacketPlace::memory after these hops

    /// It is at its source, and has selected nothing.
    void start(NodeId source, NodeId destination, std::uint64_t hash, std::uint64_t sequence) {
        place = topology::PacketPlace();
        place.at = source;
        place.source = source;
        place.destination = destination;
        place.hash = hash;
        place.sequence = static_cast<std::uint32_t>(sequence);
        then = topology::Hop();
    }

    /// If the link of `then` has failed for good, the packet is rerouted from where it is: the
    /// memory of the regular routing assumes that it has crossed that link. `reroutes`: null if no
    /// link ever fails.
    void avoid_dead_link(const topology::Reroutes* reroutes) {
        if (then.link.valid() && reroutes != nullptr && reroutes->is_dead(then.link)) {
            then = topology::Hop();
            place.memory = topology::Reroutes::rerouted_bit;
        }
    }

    /// Selects the hop that was selected in advance; false if there is none.
    bool take_planned() {
        if (!then.link.valid()) {
            return false;
        }
        hop = then;
        then = topology::Hop();
        return true;
    }

    void take(const topology::OfferedHop& offered) {
        hop = offered.hop;
        then = offered.then;
        memory_behind = offered.memory;
    }

    /// It has reached the node behind the selected hop.
    void cross(const topology::Graph& graph) {
        place.in = hop;
        place.at = graph.link(hop.link).to;
        place.memory = memory_behind;
    }
};

}  // namespace npunet::packet
