/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_TRANSPORT_PACKETS_H
#define NPU_TRANSPORT_PACKETS_H

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/message.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_wire.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The packets of a transport as they start: data, requests of the sender, answers of the receiver.
 */
class TransportPackets
{
  public:
    /**
     * All of these must outlive this.
     * @param network below
     * @param sizes of packets
     * @param telemetry whether ports write into data what answers bring back
     * @param pairs the queue pairs
     * @param border of this part of the network
     */
    TransportPackets(const TransportNetwork& network,
                     const PacketSizes& sizes,
                     bool telemetry,
                     PairTable& pairs,
                     PairBorder& border)
        : m_network(network), m_sizes(sizes), m_telemetry(telemetry), m_pairs(pairs),
          m_border(border)
    {
    }

    TransportPackets(const TransportPackets&) = delete;
    TransportPackets& operator=(const TransportPackets&) = delete;

    /**
     * @param place of a packet
     * @return the packet, until another one starts
     */
    EthernetPacket&
    operator[](std::uint32_t place)
    {
        return m_network.packets[place];
    }

    /**
     * Data is to start now.
     * @param number of its queue pair
     * @param sequence its own
     * @param messagePlace place of its message
     * @param message its message
     * @return place of the data
     */
    std::uint32_t MakeData(std::uint32_t number,
                           std::uint64_t sequence,
                           std::uint32_t messagePlace,
                           const PairMessage& message);

    /**
     * The sender asks for credit.
     * @param number of its queue pair
     * @param need in grants
     * @param afresh grants on their way are taken for lost
     */
    void Request(std::uint32_t number, std::int64_t need, bool afresh);

    /**
     * The receiver answers.
     * @param kind of the answer
     * @param cause the data that causes it; the answer takes its telemetry
     */
    void Answer(PacketKind kind, EthernetPacket& cause);

  private:
    /**
     * @param kind of a control packet
     * @param number of its queue pair
     * @param pair its queue pair
     * @return its place
     */
    std::uint32_t
    MakeControl(PacketKind kind, std::uint32_t number, const QueuePair& pair)
    {
        const std::uint32_t place = m_network.packets.Take();
        EthernetPacket& packet = m_network.packets[place];
        packet.kind = kind;
        packet.pair = number;
        packet.wire = m_sizes.Header();
        packet.trafficClass = pair.trafficClass;
        packet.hop = GoesForth(kind) ? pair.forth : pair.back;
        m_border.TakeAlong(place, pair);
        return place;
    }

    TransportNetwork m_network; ///< below
    const PacketSizes& m_sizes; ///< of packets
    bool m_telemetry;           ///< ports write into data what answers bring back
    PairTable& m_pairs;         ///< the queue pairs
    PairBorder& m_border;       ///< of this part of the network
};

} // namespace npunet::packet

#endif /* NPU_TRANSPORT_PACKETS_H */
