// Moves packets of an EthernetNetwork across partition boundaries: serializes them into boundary
// frames and back.
#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/ethernet_boundary.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

class EthernetBoundaryFrames {
public:
    /// The references must outlive this.
    EthernetBoundaryFrames(EthernetNetworkState& state, EthernetNextHop& routes,
                           EthernetLinks& links, EthernetBoundary& boundary)
        : state_(state), routes_(routes), links_(links), boundary_(boundary) {}

    /// A packet starts on a link to another partition; it is freed here.
    void leave(std::uint32_t number, std::uint32_t place, std::int64_t ready);

    /// A packet arrives from another partition. `data`: the `size` bytes that leave() wrote there.
    void enter(const std::uint8_t* data, std::size_t size);

private:
    /// With fixed routes: index of the first hop of the packets of queue pair `key`.
    std::uint32_t first_hop_of(PacketKind kind, std::uint64_t key);

    EthernetNetworkState& state_;
    EthernetNextHop& routes_;
    EthernetLinks& links_;
    EthernetBoundary& boundary_;
};

}  // namespace npunet::packet
