#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/ethernet_boundary.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// Packets of an EthernetNetwork as they cross the border between the parts of a split network.
class EthernetBoundaryFrames {
public:
    /// All of these must outlive this.
    /// @param state of this part of the network
    /// @param routes the ways of packets
    /// @param schedule when packets are in
    /// @param boundary of this part
    EthernetBoundaryFrames(EthernetNetworkState& state, EthernetNextHop& routes,
                           EthernetPortSchedule& schedule, EthernetBoundary& boundary)
        : state_(state), routes_(routes), schedule_(schedule), boundary_(boundary) {}

    /// A packet is on a link to another part.
    /// @param number of the port
    /// @param place of the packet, which is gone afterwards
    void leave(std::uint32_t number, std::uint32_t place);

    /// A packet of another part is on a link to this one.
    /// @param data what leave() has made there of it
    /// @param size in bytes
    void enter(const std::uint8_t* data, std::size_t size);

private:
    /// Packets do not choose.
    /// @param kind of a packet
    /// @param key of its queue pair
    /// @return index of the first hop of its path
    std::uint32_t first_hop_of(PacketKind kind, std::uint64_t key);

    EthernetNetworkState& state_;     ///< packets of this part
    EthernetNextHop& routes_;         ///< the ways of packets
    EthernetPortSchedule& schedule_;  ///< when packets are in
    EthernetBoundary& boundary_;      ///< of this part
};

}  // namespace npunet::packet
