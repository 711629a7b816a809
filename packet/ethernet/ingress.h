#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/ecn_marks.h"
#include "packet/ethernet/link_transmission.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/port_schedule.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/transport.h"

#include "topology/network_description.h"

#include <cstdint>

namespace npunet::packet {

/// What nodes of an EthernetNetwork do with packets that have come by a link: they heed requests,
/// consume what is for themselves, and put the rest into the queue of its output, marked or not, or
/// lose it.
class EthernetIngress {
public:
    /// All of these must outlive this.
    /// @param description the network
    /// @param state of it
    /// @param routes the ways of packets
    /// @param links how packets cross them
    /// @param schedule when packets are in
    /// @param flow_control the room in buffers
    /// @param marks which packets are marked
    /// @param queues of output ports
    /// @param losses counts what is lost
    /// @param pairs for whom packets are
    EthernetIngress(const topology::NetworkDescription& description, EthernetNetworkState& state,
                    EthernetNextHop& routes, EthernetLinks& links, EthernetPortSchedule& schedule,
                    PriorityFlowControl& flow_control, EcnMarks& marks, OutputQueues& queues,
                    EthernetDrops& losses, QueuePairs& pairs);

    EthernetIngress(const EthernetIngress&) = delete;
    EthernetIngress& operator=(const EthernetIngress&) = delete;

    /// The event of a link whose packets are in is due.
    /// @param link the link
    void arrive(std::uint32_t link);

private:
    /// A packet is in.
    /// @param place of the packet
    /// @param link by which it came
    /// @param now in picoseconds
    void receive(std::uint32_t place, std::uint32_t link, std::int64_t now);

    /// Data joins the queue of its class at its output, or is lost.
    /// @param place of the data
    /// @param out number of the output
    void enqueue(std::uint32_t place, std::uint32_t out);

    /// The payload of data is cut off for want of room.
    /// @param place of the data, which goes on as a control packet
    /// @param out number of the output
    void trim(std::uint32_t place, std::uint32_t out);

    /// @param packet data that joins a queue; afterwards marked if it is to be
    /// @param out number of the output
    /// @param queued bytes that are there in its class
    void mark(EthernetPacket& packet, std::uint32_t out, std::int64_t queued);

    bool trims_;                         ///< instead of drops, payload is cut off
    EthernetNetworkState& state_;        ///< ports and packets
    EthernetNextHop& routes_;            ///< the ways of packets
    EthernetLinks& links_;               ///< how packets cross them
    EthernetPortSchedule& schedule_;     ///< when packets are in
    PriorityFlowControl& flow_control_;  ///< the room in buffers
    EcnMarks& marks_;                    ///< which packets are marked
    OutputQueues& queues_;               ///< of output ports
    EthernetDrops& drops_;               ///< counts what is lost
    QueuePairs& pairs_;                  ///< for whom packets are
};

}  // namespace npunet::packet
