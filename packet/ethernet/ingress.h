// Receiving side of an EthernetNetwork's nodes: handles PAUSE and RESUME frames, consumes packets
// for the node itself, and puts the others into their output queue, marked where needed, or drops
// or trims them.
#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/transport.h"

#include "topology/network/network_description.h"

#include <cstdint>

namespace npunet::packet {

class EthernetIngress {
public:
    /// The references must outlive this.
    EthernetIngress(const topology::NetworkDescription& description, EthernetNetworkState& state,
                    EthernetNextHop& routes, EthernetLinks& links,
                    PriorityFlowControl& flow_control, EcnMarks& marks, OutputQueues& queues,
                    EthernetDrops& drops, QueuePairs& pairs);

    /// The link's pending arrival is due.
    void arrive(std::uint32_t link);

private:
    void receive(std::uint32_t place, std::uint32_t link, std::int64_t now);

    /// Data joins the queue of its class at port `out`, or is lost. `ready`: as in PacketQueue.
    void enqueue(std::uint32_t place, std::uint32_t out, std::int64_t ready);

    /// Cuts off the payload of data that was not accepted; its header continues as a control
    /// packet.
    void trim(std::uint32_t place, std::uint32_t out, std::int64_t ready);

    /// Marks data that joins a queue, if it is to be; `queued`: bytes of its class already there.
    void mark(std::uint32_t place, std::uint32_t out, std::int64_t queued);

    bool trims_;  ///< trim instead of dropping
    EthernetNetworkState& state_;
    EthernetNextHop& routes_;
    EthernetLinks& links_;
    PriorityFlowControl& flow_control_;
    EcnMarks& marks_;
    OutputQueues& queues_;
    EthernetDrops& drops_;
    QueuePairs& pairs_;
};

}  // namespace npunet::packet
