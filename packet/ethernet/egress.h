#pragma once

#include "packet/ethernet/arbiter.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/ethernet_boundary_frames.h"
#include "packet/ethernet/ethernet_fast_forward.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/transport.h"

#include <cstdint>

namespace npunet::packet {

/// What output ports of an EthernetNetwork do: an idle one chooses (EthernetArbiter) and puts the
/// packet on its link, with all that follows from it.
class EthernetEgress {
public:
    /// All of these must outlive this.
    /// @param state of the network
    /// @param routes the ways of packets
    /// @param links how packets cross them
    /// @param schedule when ports choose
    /// @param flow_control the room in buffers
    /// @param arbiter chooses
    /// @param losses counts what is lost
    /// @param pairs whose packets start at NPUs
    /// @param periods looks at packets that start
    EthernetEgress(EthernetNetworkState& state, const EthernetNextHop& routes, EthernetLinks& links,
                   EthernetPortSchedule& schedule, PriorityFlowControl& flow_control,
                   EthernetArbiter& arbiter, EthernetDrops& losses, QueuePairs& pairs,
                   EthernetFastForward& periods);

    EthernetEgress(const EthernetEgress&) = delete;
    EthernetEgress& operator=(const EthernetEgress&) = delete;

    /// The network is split from now on.
    /// @param frames in which packets leave this part; must outlive this
    void set_frames(EthernetBoundaryFrames& frames) { frames_ = &frames; }

    /// The event of a port that chooses is due.
    /// @param number of the port
    void wake(std::uint32_t number);

private:
    /// An idle port chooses, and plans its next wake.
    /// @param number of the port
    /// @param now in picoseconds
    void decide(std::uint32_t number, std::int64_t now);

    /// @param number of the port of a link with faults or errors
    /// @param now in picoseconds
    /// @return when the link is up again; throws StallError where it never is and something waits
    ///         for it
    std::int64_t up_again(std::uint32_t number, std::int64_t now) const;

    /// Puts a packet on the link.
    /// @param number of the port
    /// @param place of the packet
    /// @param now in picoseconds
    void transmit(std::uint32_t number, std::uint32_t place, std::int64_t now);

    /// A port counts a packet that it sends.
    /// @param number of the port
    /// @param packet the packet
    /// @param now in picoseconds
    /// @param end when it has left
    void count(std::uint32_t number, const EthernetPacket& packet, std::int64_t now,
               std::int64_t end);

    /// A packet does not arrive.
    /// @param number of the port
    /// @param place of the packet
    /// @param why it is lost
    void lose(std::uint32_t number, std::uint32_t place, PacketDrop why);

    EthernetNetworkState& state_;               ///< ports and packets
    const EthernetNextHop& routes_;             ///< the ways of packets
    EthernetLinks& links_;                      ///< how packets cross them
    EthernetPortSchedule& schedule_;            ///< when ports choose
    PriorityFlowControl& flow_control_;         ///< the room in buffers
    EthernetArbiter& arbiter_;                  ///< chooses
    EthernetDrops& drops_;                      ///< counts what is lost
    QueuePairs& pairs_;                         ///< whose packets start at NPUs
    EthernetFastForward& periods_;              ///< looks at packets that start
    EthernetBoundaryFrames* frames_ = nullptr;  ///< where the network is split
};

}  // namespace npunet::packet
