// Transport of NPUs on a network with Ethernet-like switches: queue pairs, created on first use,
// cut messages into packets, obey windows and rates, and retransmit what is lost
// (topology::TransportParameters). Ports of the network request packets from them, and pass on what
// has arrived. docs/transport.md, "The rules in full", is the specification. In short:
//
// - All messages from one NPU to another in one traffic class use one queue pair, one after the
//   other; they are delivered in order, each when all its packets and all earlier messages have
//   been received. The queue pairs of one port and class are served round robin, packet by packet
//   (SendRoundRobin); one whose window is closed when it is to be served joins again when the
//   window opens.
// - A packet may be sent when nothing is in flight, or when what is in flight and a full packet are
//   within the windows of the transport and of congestion control; and not earlier after the start
//   of the previous packet than the pacing rate of congestion control allows. All these count bytes
//   with headers, without telemetry.
// - A packet after which the window is closed, or nothing is left to send, requests an answer. The
//   window of congestion control may close later: when less than `ack_every` full packets are in
//   flight, and no packet beyond those acknowledged in order has requested an answer or ended a
//   message since the sender last went back or had a timeout, one more may be sent, which requests
//   an answer.
// - The receiver acknowledges every `ack_every`-th packet in order, each that requests it,
//   completes a message or closes a gap, and whatever arrives twice or, with selective repeat, out
//   of order. An acknowledgement consists of the header and the telemetry of the packet that causes
//   it, as does a request to go back; other answers are header only. A mark may also cause a
//   notification, which goes first.
// - Congestion control processes each acknowledgement and each request to go back: the newly
//   acknowledged bytes, those that arrived marked since the previous answer (at most as many), and
//   the round trip, also of retransmitted packets, as the answer says when the packet started. A
//   loss that an answer reveals is signalled just before it.
// - Go-back-N: packets beyond the expected one are discarded; the first such makes the receiver
//   request the expected one, once, and the sender continues from there, if it has sent anything
//   beyond. All lower packets are thereby acknowledged.
// - Selective repeat: such a packet is kept and acknowledged. A packet is sent again, by this
//   rule once, when one whose number is higher by more than `reordering` has been received before
//   it. Retransmissions precede new packets, the lowest number first.
// - The retransmission timeout starts with a packet that is sent while it is not running. It
//   restarts when a packet is newly acknowledged, if anything is still in flight; going back does
//   not change it. When it expires, everything in flight is considered lost. It doubles each time,
//   up to 64 times, until there is progress; after `retries` consecutive timeouts, one more ends
//   the run.
//
// Parts: QueuePairTable holds the queue pairs, TransportMessages their messages, TransportPackets
// makes their packets. TransportSender (SendWindow, SendQueues, LossRecovery, RetransmissionTimers,
// SenderCredits) and TransportReceiver (ReceiverCredits) are the two ends. TransportBoundary serves
// split networks, TransportStateScan fast-forward.
#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/ethernet_boundary.h"
#include "packet/transport/queue_pair.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/receiver.h"
#include "packet/transport/send_queues.h"
#include "packet/transport/sender.h"
#include "packet/transport/transport_boundary.h"
#include "packet/transport/transport_messages.h"
#include "packet/transport/transport_packets.h"
#include "packet/transport/transport_state_scan.h"
#include "packet/transport/transport_wire.h"

#include "engine/network/network.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class QueuePairs {
public:
    /// All arguments must outlive this. `host` is notified of the end of messages.
    QueuePairs(const topology::NetworkDescription& description, const TransportNetwork& network,
               TransportHost& host);

    /// The network is split, and this is in one of its partitions: messages are sent in the
    /// partition of their source and delivered in that of their destination. Before the first
    /// message. `boundary` must outlive this.
    void split(EthernetBoundary& boundary) { boundary_.split(boundary); }

    void send(const engine::Message& message, std::uint8_t traffic_class);

    /// As PacketNetwork::send_datagram().
    void send_datagram(const engine::Message& message, std::uint8_t traffic_class,
                       bool can_be_marked);

    /// The packet of a datagram is lost.
    void lose_datagram(const EthernetPacket& packet) {
        messages_.lose(static_cast<std::uint32_t>(packet.subject));
    }

    /// Must outlive this.
    void set_listener(engine::MessageListener& listener) { messages_.set_listener(listener); }

    /// Must outlive this.
    void set_datagram_listener(DatagramListener& listener) {
        messages_.set_datagram_listener(listener);
    }

    SendQueues& send_queues() { return sender_.send_queues(); }
    const SendQueues& send_queues() const { return sender_.send_queues(); }

    /// Requires SendQueues::has_packet(). Returns the place of a packet that starts at `now`, in
    /// picoseconds.
    std::uint32_t take_packet(std::uint32_t port, std::uint32_t traffic_class, std::int64_t now) {
        return sender_.take_packet(port, traffic_class, now);
    }

    /// A packet of take_packet() is on its first link; its last byte leaves at `end`, in
    /// picoseconds.
    void leaves(const EthernetPacket& packet, std::int64_t end) {
        if (!is_reliable_ || packet.datagram) {
            sender_.leaves_for_good(packet, end);
        }
    }

    /// Whether a packet that starts on its last link may end a message when it arrives, at either
    /// end of its queue pair; there is a transport, and packets keep their order.
    bool may_end_message(const EthernetPacket& packet) const;

    /// A packet has arrived at an end of its queue pair. Frees its place.
    void receive(std::uint32_t place);

    /// Adaptive routing: queue pairs in send queues choose their first link again.
    void choose_again() { sender_.choose_again(); }

    /// Whether any message is in progress.
    bool is_busy() const { return messages_.any_is_in_flight(); }

    /// Whether the queue pairs of the port's NPU that send by it fare from `now` on, in
    /// picoseconds, as new ones do. Fixed routes only.
    bool have_no_past(std::uint32_t npu, std::uint32_t port, std::int64_t now) const;

    /// Queue pairs by their source (QueuePairTable::of_source()).
    const std::vector<std::uint32_t>& of_source(std::uint32_t npu) const {
        return pairs_.of_source(npu);
    }

    /// Appends the size of each message that is not acknowledged, and how far from the end of the
    /// queue pair it begins.
    void describe_unanswered(const QueuePair& pair, std::vector<std::uint64_t>& words) const;

    /// Whether any receiver still has credit to issue.
    bool any_grant_is_due() const { return receiver_.any_grant_is_due(); }

    /// For fast-forward.
    TransportStateScan& state() { return scan_; }
    const TransportStateScan& state() const { return scan_; }

    const std::vector<QueuePair>& pairs() const { return pairs_.all(); }

private:
    /// Split network: a packet has arrived, perhaps from another partition. Sets its queue pair's
    /// number in this partition.
    void come_to_end(std::uint32_t place, EthernetPacket& packet);

    bool is_reliable_;  ///< there is a transport
    TransportNetwork network_;
    PacketSizes sizes_;
    TransportBoundary boundary_;
    QueuePairTable pairs_;
    TransportMessages messages_;
    TransportPackets packets_;
    TransportSender sender_;
    TransportReceiver receiver_;
    TransportStateScan scan_;
};

}  // namespace npunet::packet
