#pragma once

#include "packet/base/packet_sizes.h"
#include "packet/transport/loss_recovery.h"
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

namespace npunet::packet {

/// The senders of queue pairs: they send as SendWindow, congestion control and their credit
/// (SenderCredits) allow, wait for their turn in SendQueues, and hear answers, of which
/// LossRecovery says what they mean, or none, which RetransmissionTimers tell.
class TransportSender final : private TimeoutHandler {
public:
    /// All of these must outlive this.
    /// @param description the network
    /// @param network the same, as the transport sees it
    /// @param sizes of packets
    /// @param pairs the queue pairs
    /// @param messages those under way
    /// @param packets makes packets
    /// @param host hears of senders that give up
    TransportSender(const topology::NetworkDescription& description,
                    const TransportNetwork& network, const PacketSizes& sizes,
                    QueuePairTable& pairs, TransportMessages& messages, TransportPackets& packets,
                    const TransportHost& host);

    TransportSender(const TransportSender&) = delete;
    TransportSender& operator=(const TransportSender&) = delete;

    /// @return where queue pairs wait for their turn
    SendQueues& lines() { return lines_; }

    /// @copydoc lines
    const SendQueues& lines() const { return lines_; }

    /// @return their timeouts
    RetransmissionTimers& timers() { return timers_; }

    /// @param message starts now
    /// @param number of its queue pair
    void send(const engine::Message& message, std::uint32_t number);

    /// @param port for which SendQueues::has_packet() holds
    /// @param traffic_class for which it holds
    /// @param now in picoseconds
    /// @return place of a packet that is sent now
    std::uint32_t take_packet(std::uint32_t port, std::uint32_t traffic_class, std::int64_t now);

    /// The network has put a packet on its first link, and nobody will acknowledge it.
    /// @param packet that take_packet() gave
    /// @param end when its last byte has left, in picoseconds
    void leaves_for_good(const EthernetPacket& packet, std::int64_t end);

    /// The receiver has answered to data.
    /// @param packet the answer
    void receive_answer(const EthernetPacket& packet);

    /// The receiver has got data that is marked.
    /// @param number of the queue pair
    void receive_notification(std::uint32_t number);

    /// The receiver gives credit.
    /// @param packet the grant
    void receive_grant(const EthernetPacket& packet);

    /// Where packets choose: those that have not started choose anew.
    void choose_anew();

private:
    void timed_out(std::uint32_t number) override;

    /// Lines up where that is due.
    /// @param number of a queue pair
    void review(std::uint32_t number) {
        const QueuePair& pair = pairs_[number];
        if (pair.place != QueuePair::Place::Nowhere) {
            return;
        }
        if (window_.may_send(pair)) {
            lines_.join(number);
        } else if (pair.credit) {
            credits_.ask(number, false);
        }
    }

    /// A packet starts.
    /// @param pair its queue pair, which counts it
    /// @param number of the queue pair
    /// @param packet the packet
    void count(QueuePair& pair, std::uint32_t number, const EthernetPacket& packet);

    bool is_reliable_;             ///< there is a transport
    std::uint32_t retries_;        ///< timeouts in a row that are no error; 0: any number
    TransportNetwork network_;     ///< below
    QueuePairTable& pairs_;        ///< the queue pairs
    TransportMessages& messages_;  ///< those under way
    TransportPackets& packets_;    ///< makes packets
    const TransportHost& host_;    ///< hears of senders that give up
    SendWindow window_;            ///< when they may send
    SendQueues lines_;             ///< where they wait for their turn
    RetransmissionTimers timers_;  ///< their timeouts
    LossRecovery recovery_;        ///< what answers mean
    SenderCredits credits_;        ///< their credit
    StartJitter jitter_;           ///< when those that begin to send do so
};

}  // namespace npunet::packet
