// Sending side of an EthernetNetwork's ports: an idle port selects a packet (EthernetArbiter) and
// puts it on its link, with counters, telemetry, losses and partition boundaries.
#pragma once

#include "packet/ethernet/arbiter.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/ethernet_boundary_frames.h"
#include "packet/ethernet/ethernet_fast_forward.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/transport.h"

#include <cstdint>

namespace npunet::packet {

class EthernetEgress {
public:
    /// The references must outlive this.
    EthernetEgress(EthernetNetworkState& state, const EthernetNextHop& routes, EthernetLinks& links,
                   PriorityFlowControl& flow_control, EthernetArbiter& arbiter,
                   EthernetDrops& drops, QueuePairs& pairs, EthernetFastForward& fast_forward)
        : state_(state),
          routes_(routes),
          links_(links),
          flow_control_(flow_control),
          arbiter_(arbiter),
          drops_(drops),
          pairs_(pairs),
          fast_forward_(fast_forward) {}

    /// The network is split: packets leave this partition through `frames`, which must outlive
    /// this.
    void set_frames(EthernetBoundaryFrames& frames) { frames_ = &frames; }

    /// The port's pending wake is due.
    void wake(std::uint32_t number);

private:
    /// Datagrams that wait for a link that never recovers are lost.
    void lose_datagrams(std::uint32_t number, std::int64_t now);

    /// A packet that came by another link leaves the port's queue, but not by its link.
    void leave_queue(std::uint32_t number, const EthernetPacket& packet, std::int64_t now);

    /// The port selects a packet if it is idle, and schedules its next wake.
    void decide(std::uint32_t number, std::int64_t now);

    /// Whether the port, which has just begun to send, has something to do when it has sent it;
    /// otherwise what comes will wake it.
    bool decides_next(std::uint32_t number) const;

    /// For a link with faults or errors: when it is up again, in ps. If it never is, datagrams that
    /// wait for it are lost; throws StallError if packets of unfinished messages wait for it.
    std::int64_t up_again(std::uint32_t number, std::int64_t now);

    void transmit(std::uint32_t number, std::uint32_t place, std::int64_t now);

    /// Updates the port's counters; `end`: when the packet has left, in ps.
    void count(std::uint32_t number, const EthernetPacket& packet, std::int64_t now,
               std::int64_t end);

    /// The packet does not arrive. PAUSE and RESUME frames return to the front of their queue.
    void lose(std::uint32_t number, std::uint32_t place, PacketDrop why);

    EthernetNetworkState& state_;
    const EthernetNextHop& routes_;
    EthernetLinks& links_;
    PriorityFlowControl& flow_control_;
    EthernetArbiter& arbiter_;
    EthernetDrops& drops_;
    QueuePairs& pairs_;
    EthernetFastForward& fast_forward_;
    EthernetBoundaryFrames* frames_ = nullptr;  ///< null: not split
};

}  // namespace npunet::packet
