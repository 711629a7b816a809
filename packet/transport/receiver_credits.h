#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/member_event.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_packets.h"

#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace npunet::packet {

/// Receivers that give credit so that what they let come fits the link by which it comes: one
/// packet in each time that a full packet takes on the link, divided by the credit rate; the
/// senders take turns. (M. Handley et al., "Re-architecting datacenter networks and stacks for low
/// latency and high performance", ACM SIGCOMM 2017, section 3.2: the pull queue.)
class ReceiverCredits {
public:
    /// @param description the network; nothing is kept where its receivers give no credit
    /// @param clock the network's; must outlive this
    /// @param sizes of packets
    /// @param pairs the queue pairs; must outlive this
    /// @param packets makes grants; must outlive this
    ReceiverCredits(const topology::NetworkDescription& description, EthernetClock& clock,
                    const PacketSizes& sizes, QueuePairTable& pairs, TransportPackets& packets);

    ReceiverCredits(const ReceiverCredits&) = delete;
    ReceiverCredits& operator=(const ReceiverCredits&) = delete;

    /// The receiver learns the need of a sender.
    /// @param packet data or REQUEST
    void learn(const EthernetPacket& packet);

    /// @return whether any grant is yet to be given
    bool any_is_due() const { return due_ > 0; }

private:
    /// The grants for what comes by one link.
    struct Pacer {
        std::deque<std::uint32_t> line;  ///< queue pairs that take turns
        std::int64_t interval = 0;       ///< between two grants, in picoseconds
        std::int64_t next = 0;           ///< no grant before, in picoseconds
        bool awaited = false;            ///< the next grant is an event
    };

    /// The next grant is due.
    /// @param link by which data comes
    void due(std::uint32_t link);

    /// Grants a packet, if that is still wanted.
    /// @param number of the queue pair
    void grant(std::uint32_t number);

    /// Sees to it that the next grant is an event.
    /// @param link by which data comes
    void await(std::uint32_t link);

    EthernetClock& clock_;       ///< the network's
    QueuePairTable& pairs_;      ///< the queue pairs
    TransportPackets& packets_;  ///< makes grants
    std::vector<Pacer> pacers_;  ///< by link
    std::size_t due_ = 0;        ///< of them those whose next grant is an event
    MemberEvent<&ReceiverCredits::due> event_{*this};  ///< of links
};

}  // namespace npunet::packet
