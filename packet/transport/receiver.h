/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PAIR_RECEIVER_H
#define NPU_PAIR_RECEIVER_H

#include "packet/congestion/congestion_control.h"
#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/receiver_credits.h"
#include "packet/transport/transport_messages.h"
#include "packet/transport/transport_packets.h"

#include "topology/network_description.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The receivers of queue pairs: what they take of the data that comes, and what they answer.
 */
class PairReceiver
{
  public:
    /**
     * All of these must outlive this.
     * @param description the network
     * @param clock its time and events
     * @param sizes of packets
     * @param pairs the queue pairs
     * @param messages those under way
     * @param packets makes answers
     */
    PairReceiver(const topology::NetworkDescription& description,
                 EthernetClock& clock,
                 const PacketSizes& sizes,
                 PairTable& pairs,
                 TransportMessages& messages,
                 TransportPackets& packets);

    /**
     * Data has come.
     * @param packet the data; its telemetry may have gone on with an answer
     */
    void ReceiveData(EthernetPacket& packet);

    /**
     * A sender asks for credit.
     * @param packet the request
     */
    void
    ReceiveRequest(const EthernetPacket& packet)
    {
        m_credits.Learn(packet);
    }

    /**
     * @return whether any is going to give credit
     */
    bool
    AnyGrantIsDue() const
    {
        return m_credits.AnyIsDue();
    }

  private:
    /**
     * Data has come that is not the expected packet.
     * @param pair its queue pair
     * @param packet the data
     */
    void ReceiveOutOfOrder(QueuePair& pair, EthernetPacket& packet);

    /**
     * Takes a packet that comes neither twice nor, with go-back-N, out of order.
     * @param pair a queue pair
     * @param sequence of the packet
     * @return whether messages are complete
     */
    bool Accept(QueuePair& pair, std::uint64_t sequence);

    /**
     * Notices a mark, and notifies the source where that is due.
     * @param packet data that came marked
     */
    void NoticeMark(EthernetPacket& packet);

    topology::TransportKind m_kind; ///< what is done about losses
    std::int64_t m_ackEvery;        ///< packets for one acknowledgement
    CongestionNeeds m_needs;        ///< of congestion control
    const EthernetClock& m_clock;   ///< the network's
    PairTable& m_pairs;             ///< the queue pairs
    TransportMessages& m_messages;  ///< those under way
    TransportPackets& m_packets;    ///< makes answers
    ReceiverCredits m_credits;      ///< what they let come
};

} // namespace npunet::packet

#endif /* NPU_PAIR_RECEIVER_H */
