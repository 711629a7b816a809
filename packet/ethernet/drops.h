#pragma once

#include "packet/base/packet_observer.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/stall_report.h"

#include <cstdint>

namespace npunet::packet {

/// What becomes of packets of an EthernetNetwork that are lost: they are counted, and where there
/// is no transport the run cannot go on.
class EthernetDrops {
public:
    /// @param is_reliable whether there is a transport
    /// @param state of the network; must outlive this
    /// @param stalls says why the run cannot go on; must outlive this
    EthernetDrops(bool is_reliable, EthernetNetworkState& state, const EthernetStallReport& stalls)
        : is_reliable_(is_reliable), state_(state), stall_report_(stalls) {}

    /// A packet is lost, or its payload.
    /// @param number of the port where
    /// @param wire bytes of the packet
    /// @param why it is lost
    void count(std::uint32_t number, std::uint32_t wire, PacketDrop why);

    /// A packet is lost.
    /// @param number of the port where
    /// @param place of the packet, which is gone afterwards
    /// @param why it is lost
    /// @param where for the explanation where nobody sends it again
    ///
    /// Throws StallError where there is no transport.
    void drop(std::uint32_t number, std::uint32_t place, PacketDrop why, const char* where);

private:
    bool is_reliable_;                         ///< there is a transport
    EthernetNetworkState& state_;              ///< ports and packets
    const EthernetStallReport& stall_report_;  ///< says why the run cannot go on
};

}  // namespace npunet::packet
