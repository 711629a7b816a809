/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PAIR_TABLE_H
#define NPU_PAIR_TABLE_H

#include "packet/congestion/congestion_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/queue_pair.h"

#include "topology/network_description.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The queue pairs of a transport by their numbers, which they get on first use.
 */
class PairTable
{
  public:
    /**
     * All of these must outlive this.
     * @param description the network
     * @param sizes of packets
     * @param routes the ways of packets
     * @param border of this part of the network
     */
    PairTable(const topology::NetworkDescription& description,
              const PacketSizes& sizes,
              EthernetRoutes& routes,
              const PairBorder& border)
        : m_description(description), m_sizes(sizes), m_routes(routes), m_border(border)
    {
    }

    PairTable(const PairTable&) = delete;
    PairTable& operator=(const PairTable&) = delete;

    /**
     * @param key of a queue pair (QueuePair::KeyOf())
     * @return its number; it is made on first use
     */
    std::uint32_t NumberOf(std::uint64_t key);

    /**
     * @param number of a queue pair
     * @return the queue pair, until another one is made
     */
    QueuePair&
    operator[](std::uint32_t number)
    {
        return m_pairs[number];
    }

    /// @copydoc operator[]
    const QueuePair&
    operator[](std::uint32_t number) const
    {
        return m_pairs[number];
    }

    /**
     * @return all so far
     */
    std::vector<QueuePair>&
    All()
    {
        return m_pairs;
    }

    /// @copydoc All
    const std::vector<QueuePair>&
    All() const
    {
        return m_pairs;
    }

  private:
    /**
     * Some transport.
     * @param pair a new queue pair, which gets its windows and timeouts
     */
    void OpenTransport(QueuePair& pair) const;

    /**
     * @param pair a new queue pair
     * @return its path
     */
    FlowPath PathOf(const QueuePair& pair) const;

    /**
     * Credits of the receiver.
     * @param pair a new queue pair
     * @param path its path
     */
    void OpenCredit(QueuePair& pair, const FlowPath& path) const;

    const topology::NetworkDescription& m_description;          ///< the network
    const PacketSizes& m_sizes;                                 ///< of packets
    EthernetRoutes& m_routes;                                   ///< the ways of packets
    const PairBorder& m_border;                                 ///< of this part of the network
    std::vector<QueuePair> m_pairs;                             ///< by number
    std::unordered_map<std::uint64_t, std::uint32_t> m_numbers; ///< by key
};

} // namespace npunet::packet

#endif /* NPU_PAIR_TABLE_H */
