// Receivers issue credit so that the data they admit fits the link by which it arrives: one packet
// in each time that a full packet takes on the link, divided by the credit rate. Senders are served
// round robin. (M. Handley et al., "Re-architecting datacenter networks and stacks for low latency
// and high performance", ACM SIGCOMM 2017, section 3.2: the pull queue.)
#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/member_event.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_packets.h"

#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace npunet::packet {

class ReceiverCredits {
public:
    /// Does nothing where congestion control is not receiver-credit. Clock, pairs and packets must
    /// outlive this.
    ReceiverCredits(const topology::NetworkDescription& description, PacketClock& clock,
                    const PacketSizes& sizes, QueuePairTable& pairs, TransportPackets& packets);

    /// Processes the need of a sender, from data or a REQUEST.
    void learn(const EthernetPacket& packet);

    /// Whether any grant is still to be issued.
    bool any_is_due() const { return due_ > 0; }

private:
    /// Issues the grants for data that arrives by one link.
    struct Pacer {
        std::deque<std::uint32_t> waiting;  ///< round robin of queue pairs
        std::int64_t interval = 0;          ///< between two grants, in picoseconds
        std::int64_t next = 0;              ///< no grant before, in picoseconds
        bool awaited = false;               ///< the next grant is scheduled
    };

    /// The next grant of a link is due.
    void due(std::uint32_t link);

    /// Grants one packet to a queue pair, if it still needs credit.
    void grant(std::uint32_t number);

    /// Schedules the next grant of a link, unless it is.
    void await(std::uint32_t link);

    PacketClock& clock_;
    QueuePairTable& pairs_;
    TransportPackets& packets_;
    std::vector<Pacer> pacers_;  ///< by link
    std::size_t due_ = 0;        ///< pacers whose next grant is scheduled
    MemberEvent<&ReceiverCredits::due> event_{*this};
};

}  // namespace npunet::packet
