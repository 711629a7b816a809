/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PAIR_BORDER_H
#define NPU_PAIR_BORDER_H

#include "packet/transport/ethernet_boundary.h"
#include "packet/transport/message.h"
#include "packet/transport/queue_pair.h"

#include "engine/network.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The border of a part of a split network, as its queue pairs see it. One whose ends are in
 * different parts is in both: what its sender knows in that of its source, what its receiver knows
 * in that of its destination, where its messages become known with the first packet that comes.
 * Where the network is whole everything is here.
 */
class PairBorder
{
  public:
    /**
     * The network is split from now on.
     * @param border of this part; must outlive this
     */
    void
    Split(EthernetBorder& border)
    {
        m_border = &border;
    }

    /**
     * @return whether there are other parts
     */
    bool
    IsSplit() const
    {
        return m_border != nullptr;
    }

    /**
     * @param pair a queue pair
     * @return whether its sender is here
     */
    bool
    SendsHere(const QueuePair& pair) const
    {
        return m_border == nullptr || m_border->Owns(NodeId(std::size_t{pair.source}));
    }

    /**
     * @param pair a queue pair
     * @return whether its receiver is here
     */
    bool
    ReceivesHere(const QueuePair& pair) const
    {
        return m_border == nullptr || m_border->Owns(NodeId(std::size_t{pair.destination}));
    }

    /**
     * A message starts here.
     * @param place of the message
     * @param message as it was sent
     * @param now in picoseconds
     */
    void
    Open(std::uint32_t place, const engine::Message& message, std::int64_t now)
    {
        if (m_border != nullptr)
        {
            Describe(place, message, now);
        }
    }

    /**
     * A packet starts here: whatever part it comes to, its queue pair shall be known.
     * @param place of the packet
     * @param pair its queue pair
     */
    void
    TakeAlong(std::uint32_t place, const QueuePair& pair)
    {
        if (m_border != nullptr)
        {
            m_border->OfPacket(place).pair = pair.key;
        }
    }

    /**
     * Data starts here: its message shall be known, too.
     * @param place of the data
     * @param message its message
     * @param messagePlace place of the message
     */
    void
    TakeAlong(std::uint32_t place, const PairMessage& message, std::uint32_t messagePlace)
    {
        if (m_border != nullptr)
        {
            EthernetCargo& cargo = m_border->OfPacket(place);
            cargo.first = message.first;
            cargo.message = m_border->OfMessage(messagePlace);
            cargo.message.firstByteLeft = message.firstByteLeft;
        }
    }

    /**
     * There are other parts.
     * @param place of a packet
     * @return what it has taken along
     */
    const EthernetCargo&
    CargoOf(std::uint32_t place)
    {
        return m_border->OfPacket(place);
    }

    /**
     * There are other parts, and a message of one of them has become known.
     * @param place of the message from now on
     * @param message what the part of its source knows
     */
    void
    Meet(std::uint32_t place, const BorderMessage& message)
    {
        m_border->OfMessage(place) = message;
    }

    /**
     * The source of a message whose receiver is in another part is done with it.
     * @param handle Message::handle
     */
    void
    MessageHasLeft(std::uint32_t handle)
    {
        m_border->Cut().MessageHasLeft(handle);
    }

    /**
     * A message whose sender is in another part is delivered.
     * @param place that it had
     */
    void MessageArrives(std::uint32_t place);

  private:
    /// @copydoc Open
    void Describe(std::uint32_t place, const engine::Message& message, std::int64_t now);

    EthernetBorder* m_border = nullptr; ///< of this part; null: it is the whole
};

} // namespace npunet::packet

#endif /* NPU_PAIR_BORDER_H */
