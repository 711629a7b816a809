/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_BORDER_H
#define NPU_ETHERNET_BORDER_H

#include "packet/partition/partition.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What a packet takes with it from part to part of a split network with Ethernet-like switches: a
 * part knows the queue pairs and messages of its own NPUs only, and has numbers of its own for
 * them.
 */
struct EthernetCargo
{
    std::uint64_t pair = 0;  ///< QueuePair::key
    std::uint64_t first = 0; ///< data: number of the first packet of its message
    BorderMessage message;   ///< data: its message
};

/**
 * @ingroup npunet
 * One part of a split network with Ethernet-like switches: what its packets take with them, and
 * what other parts are told of its messages, or have told.
 */
class EthernetBorder : public NetworkPart
{
  public:
    using NetworkPart::NetworkPart;

    /**
     * @param place of a packet
     * @return what it takes with it
     */
    EthernetCargo&
    OfPacket(std::uint32_t place)
    {
        return At(m_ofPackets, place);
    }

    /**
     * @param place of a message
     * @return what the parts of both its ends know
     */
    BorderMessage&
    OfMessage(std::uint32_t place)
    {
        return At(m_ofMessages, place);
    }

  private:
    /**
     * @param values by place
     * @param place any
     * @return the value there
     */
    template <class Value>
    static Value&
    At(std::vector<Value>& values, std::uint32_t place)
    {
        if (place >= values.size())
        {
            values.resize(place + std::size_t{1});
        }
        return values[place];
    }

    std::vector<EthernetCargo> m_ofPackets;  ///< by place
    std::vector<BorderMessage> m_ofMessages; ///< by place
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_BORDER_H */
