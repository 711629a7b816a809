/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PAIR_SENDER_H
#define NPU_PAIR_SENDER_H

#include "packet/transport/loss_recovery.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/retransmission_timers.h"
#include "packet/transport/send_queues.h"
#include "packet/transport/send_window.h"
#include "packet/transport/sender_credits.h"
#include "packet/transport/start_jitter.h"
#include "packet/transport/transport_messages.h"
#include "packet/transport/transport_packets.h"
#include "packet/transport/transport_wire.h"

#include "engine/network.h"
#include "topology/network_description.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The senders of queue pairs: they send as SendWindow, congestion control and their credit
 * (SenderCredits) allow, wait for their turn in SendLines, and hear answers, of which LossRecovery
 * says what they mean, or none, which RetransmissionTimers tell.
 */
class PairSender final : private TimeoutHandler
{
  public:
    /**
     * All of these must outlive this.
     * @param description the network
     * @param network the same, as the transport sees it
     * @param sizes of packets
     * @param pairs the queue pairs
     * @param messages those under way
     * @param packets makes packets
     * @param host hears of senders that give up
     */
    PairSender(const topology::NetworkDescription& description,
               const TransportNetwork& network,
               const PacketSizes& sizes,
               PairTable& pairs,
               TransportMessages& messages,
               TransportPackets& packets,
               const TransportHost& host);

    PairSender(const PairSender&) = delete;
    PairSender& operator=(const PairSender&) = delete;

    /**
     * @return where queue pairs wait for their turn
     */
    SendLines&
    Lines()
    {
        return m_lines;
    }

    /// @copydoc Lines
    const SendLines&
    Lines() const
    {
        return m_lines;
    }

    /**
     * @return their timeouts
     */
    RetransmissionTimers&
    Timers()
    {
        return m_timers;
    }

    /**
     * @param message starts now
     * @param number of its queue pair
     */
    void Send(const engine::Message& message, std::uint32_t number);

    /**
     * @param port for which SendLines::HasPacket() holds
     * @param trafficClass for which it holds
     * @param now in picoseconds
     * @return place of a packet that is sent now
     */
    std::uint32_t TakePacket(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now);

    /**
     * The network has put a packet on its first link, and nobody will acknowledge it.
     * @param packet that TakePacket() gave
     * @param end when its last byte has left, in picoseconds
     */
    void LeavesForGood(const EthernetPacket& packet, std::int64_t end);

    /**
     * The receiver has answered to data.
     * @param packet the answer
     */
    void ReceiveAnswer(const EthernetPacket& packet);

    /**
     * The receiver has got data that is marked.
     * @param number of the queue pair
     */
    void ReceiveNotification(std::uint32_t number);

    /**
     * The receiver gives credit.
     * @param packet the grant
     */
    void ReceiveGrant(const EthernetPacket& packet);

    /// Where packets choose: those that have not started choose anew.
    void ChooseAnew();

  private:
    void TimedOut(std::uint32_t number) override;

    /**
     * Lines up where that is due.
     * @param number of a queue pair
     */
    void
    Review(std::uint32_t number)
    {
        const QueuePair& pair = m_pairs[number];
        if (pair.place != QueuePair::Place::NOWHERE)
        {
            return;
        }
        if (m_window.MaySend(pair))
        {
            m_lines.Join(number);
        }
        else if (pair.credit)
        {
            m_credits.Ask(number, false);
        }
    }

    /**
     * A packet starts.
     * @param pair its queue pair, which counts it
     * @param number of the queue pair
     * @param packet the packet
     */
    void Count(QueuePair& pair, std::uint32_t number, const EthernetPacket& packet);

    bool m_isReliable;             ///< there is a transport
    std::uint32_t m_retries;       ///< timeouts in a row that are no error; 0: any number
    TransportNetwork m_network;    ///< below
    PairTable& m_pairs;            ///< the queue pairs
    TransportMessages& m_messages; ///< those under way
    TransportPackets& m_packets;   ///< makes packets
    const TransportHost& m_host;   ///< hears of senders that give up
    SendWindow m_window;           ///< when they may send
    SendLines m_lines;             ///< where they wait for their turn
    RetransmissionTimers m_timers; ///< their timeouts
    LossRecovery m_recovery;       ///< what answers mean
    SenderCredits m_credits;       ///< their credit
    StartJitter m_jitter;          ///< when those that begin to send do so
};

} // namespace npunet::packet

#endif /* NPU_PAIR_SENDER_H */
