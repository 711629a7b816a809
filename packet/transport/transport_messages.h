/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_TRANSPORT_MESSAGES_H
#define NPU_TRANSPORT_MESSAGES_H

#include "packet/base/clock.h"
#include "packet/base/member_event.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/message.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/transport_wire.h"

#include "engine/network.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The messages of a transport, from when they are sent until both ends of their queue pairs are
 * done with them, of which it tells those who want to hear.
 */
class TransportMessages
{
  public:
    /**
     * All of these must outlive this.
     * @param clock the network's
     * @param sizes of packets
     * @param pairs the queue pairs
     * @param border of this part of the network
     * @param host hears of ends
     */
    TransportMessages(EthernetClock& clock,
                      const PacketSizes& sizes,
                      PairTable& pairs,
                      PairBorder& border,
                      TransportHost& host)
        : m_clock(clock), m_sizes(sizes), m_pairs(pairs), m_border(border), m_host(host)
    {
    }

    TransportMessages(const TransportMessages&) = delete;
    TransportMessages& operator=(const TransportMessages&) = delete;

    /**
     * @param listener hears of messages; must outlive this
     */
    void
    SetListener(engine::MessageListener& listener)
    {
        m_listener = &listener;
    }

    /**
     * @return whether any is under way
     */
    bool
    AnyIsUnderWay() const
    {
        return m_underWay > 0;
    }

    /**
     * @param place of a message
     * @return the message
     */
    PairMessage&
    operator[](std::uint32_t place)
    {
        return m_messages[place];
    }

    /// @copydoc operator[]
    const PairMessage&
    operator[](std::uint32_t place) const
    {
        return m_messages[place];
    }

    /**
     * @param pair a queue pair
     * @param sequence number of a packet that is not acknowledged
     * @return place of its message
     */
    std::uint32_t
    Of(const QueuePair& pair, std::uint64_t sequence) const
    {
        return m_messages.Find(pair.acknowledging, sequence);
    }

    /**
     * @param message a message
     * @param sequence number of a packet of it
     * @return bytes of the packet on the wire
     */
    std::uint32_t
    WireOf(const PairMessage& message, std::uint64_t sequence) const
    {
        return m_sizes.Wire(m_sizes.PayloadBehind(message.bytes, sequence - message.first));
    }

    /**
     * A message is sent.
     * @param message behind all others of its queue pair
     * @param number of the queue pair
     */
    void Open(const engine::Message& message, std::uint32_t number);

    /**
     * Data of another part of the network has come: its message, if that is not known, waits from
     * now on to be delivered.
     * @param number of its queue pair
     * @param cargo of the data
     */
    void Meet(std::uint32_t number, const EthernetCargo& cargo);

    /**
     * All packets of a message are acknowledged, or have left where nobody acknowledges them.
     * @param place of the message
     * @param at when, in picoseconds
     */
    void SenderIsDone(std::uint32_t place, std::int64_t at);

    /**
     * Messages are delivered now whose packets are all below QueuePair::expected.
     * @param pair a queue pair
     * @return whether there are any
     */
    bool Deliver(QueuePair& pair);

  private:
    /**
     * The source of a message hears that it is done.
     * @param place of the message
     */
    void Sent(std::uint32_t place);

    /**
     * The destination of a message hears of it.
     * @param place of the message
     */
    void Delivered(std::uint32_t place);

    /**
     * @param place of a message; freed when both ends are done with it
     */
    void FreeIfDone(std::uint32_t place);

    EthernetClock& m_clock;                                   ///< the network's
    const PacketSizes& m_sizes;                               ///< of packets
    PairTable& m_pairs;                                       ///< the queue pairs
    PairBorder& m_border;                                     ///< of this part of the network
    TransportHost& m_host;                                    ///< hears of ends
    engine::MessageListener* m_listener = nullptr;            ///< hears of messages
    PairMessages m_messages;                                  ///< those under way
    std::size_t m_underWay = 0;                               ///< how many there are
    MemberEvent<&TransportMessages::Sent> m_sentEvent{*this}; ///< of messages
    MemberEvent<&TransportMessages::Delivered> m_deliveredEvent{*this}; ///< of messages
};

} // namespace npunet::packet

#endif /* NPU_TRANSPORT_MESSAGES_H */
