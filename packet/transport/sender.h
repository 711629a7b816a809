// The senders of queue pairs. They send as SendWindow, congestion control and their credit
// (SenderCredits) allow, and wait in SendQueues for their port. LossRecovery interprets the
// answers, RetransmissionTimers detects missing ones.
#pragma once

#include "packet/base/member_event.h"
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

#include "engine/network/network.h"
#include "topology/network/network_description.h"

#include <cstdint>

namespace npunet::packet {

class TransportSender {
public:
    /// All arguments must outlive this. `host` is called when a sender gives up.
    TransportSender(const topology::NetworkDescription& description,
                    const TransportNetwork& network, const PacketSizes& sizes,
                    QueuePairTable& pairs, TransportMessages& messages, TransportPackets& packets,
                    const TransportHost& host);

    SendQueues& send_queues() { return send_queues_; }
    const SendQueues& send_queues() const { return send_queues_; }

    RetransmissionTimers& timers() { return timers_; }

    /// `number`: its queue pair.
    void send(const engine::Message& message, std::uint32_t number);

    /// `number`: its queue pair, of datagrams.
    void send_datagram(const engine::Message& message, std::uint32_t number, bool can_be_marked);

    /// Requires SendQueues::has_packet(). Returns the place of a packet that starts at `now`, in
    /// picoseconds.
    std::uint32_t take_packet(std::uint32_t port, std::uint32_t traffic_class, std::int64_t now);

    /// Without a transport: a packet of take_packet() is on its first link, and will not be
    /// acknowledged. `end`: when its last byte has left, in picoseconds.
    void leaves_for_good(const EthernetPacket& packet, std::int64_t end);

    /// An answer to data.
    void receive_answer(const EthernetPacket& packet);

    /// A congestion notification for the queue pair with this number.
    void receive_notification(std::uint32_t number);

    /// A grant of credit.
    void receive_grant(const EthernetPacket& packet);

    /// Adaptive routing: queue pairs in send queues choose their first link again.
    void choose_again();

private:
    /// The timer event of a queue pair is due.
    void timer_is_due(std::uint32_t number) {
        if (timers_.expires(number)) {
            timed_out(number);
        }
    }

    /// A queue pair has made no progress during its timeout.
    void timed_out(std::uint32_t number);

    /// Joins its send queue, or requests credit, where that is due.
    void review(std::uint32_t number) {
        const QueuePair& pair = pairs_[number];
        if (pair.place != QueuePair::Place::Nowhere) {
            return;
        }
        if (window_.may_send(pair)) {
            send_queues_.join(number);
        } else if (pair.credit) {
            credits_.ask(number, false);
        }
    }

    /// Counts a packet that starts.
    void count(QueuePair& pair, std::uint32_t number, const EthernetPacket& packet);

    /// A packet starts: congestion control decides when the next one may. `wire`: bytes.
    static void pace(QueuePair& pair, std::uint32_t wire, std::int64_t now);

    /// An answer acknowledges `bytes` on the wire: passes it to congestion control.
    void tell_control(QueuePair& pair, const EthernetPacket& answer, std::int64_t bytes);

    /// The sender has heard something. `bytes`: newly acknowledged, on the wire; `round_trip`: in
    /// picoseconds, of a packet that was acknowledged.
    void tell_observer(const QueuePair& pair, SenderEvent event, std::int64_t bytes = 0,
                       std::int64_t round_trip = 0) const;

    bool is_reliable_;       ///< there is a transport
    std::uint32_t retries_;  ///< allowed consecutive timeouts; 0: unlimited
    TransportNetwork network_;
    QueuePairTable& pairs_;
    TransportMessages& messages_;
    TransportPackets& packets_;
    const TransportHost& host_;
    SendWindow window_;
    SendQueues send_queues_;
    MemberEvent<&TransportSender::timer_is_due> timer_event_{*this};
    RetransmissionTimers timers_;
    LossRecovery recovery_;
    SenderCredits credits_;
    StartJitter jitter_;  ///< of queue pairs that begin to send
};

}  // namespace npunet::packet
