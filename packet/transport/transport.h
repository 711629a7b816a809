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

#include "engine/network.h"
#include "topology/network_description.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The transport of NPUs on a network with Ethernet-like switches: queue pairs, made on first use,
/// that cut messages into packets, keep to windows and rates, and repeat what is lost
/// (topology::TransportParameters). The ports of the network ask it for packets; it takes what has
/// arrived.
///
/// The rules:
/// - All messages from one NPU to another in one traffic class go by one queue pair, one after the
///   other; they are delivered in order, each when all its packets and all messages before it are
///   in. The queue pairs of one port and class take turns packet by packet (SendRoundRobin); one
///   whose window has closed when its turn comes lines up anew when it opens.
/// - A packet may be sent when nothing is in flight, or when what is in flight and a full packet
/// are
///   within the window, that of the transport and that of congestion control; and not before the
///   time since the start of the packet before at which the pace of congestion control has it. All
///   these count bytes with headers, without telemetry.
/// - A packet after which the window is closed, or nothing is left to be sent, asks for an answer.
///   The window of congestion control may close later: when less than `ack_every` full packets are
///   in flight, and no packet beyond those that are acknowledged in order has asked or ended a
///   message since the sender last went back or a timeout, one more may be sent, and asks.
/// - The receiver acknowledges every `ack_every`-th packet in order, one that asks for it,
/// completes
///   a message or closes a gap, and whatever comes twice or, with selective repeat, out of order.
///   Such an answer is a packet of header and the telemetry of the packet that causes it, and so is
///   one that asks to go back; others are of header only. A mark may cause a notification besides,
///   which goes first.
/// - Congestion control hears of each acknowledgement, and of each answer that asks to go back: of
///   the bytes that were not known to be in, of those that came marked since the answer before, at
///   most as many, and of the round trip, that of packets sent again, too, as the answer says when
///   the packet started. It hears of a loss that the answer shows just before.
/// - Go-back-N: a packet beyond the expected one is thrown away; the first such makes the receiver
///   ask for the expected one, once, and the sender goes on from there, if it has sent anything
///   beyond. What comes before is in.
/// - Selective repeat: such a packet is kept and answered. A packet that is not in although one is
///   whose number is higher by more than `reordering` is sent again, by this rule once. What has to
///   be sent again goes before what is new, the lowest number first.
/// - The retransmission timeout starts with a packet that is sent while it does not run, and anew
///   when something is in that was not known to be, if anything is in flight then; going back does
///   not change it. When it runs out the sender takes all that is in flight for lost. It doubles
///   each time, up to 64 times, until there is progress; after `retries` times in a row the run
///   ends when it runs out again.
///
/// What it is made of: QueuePairTable has the queue pairs, TransportMessages the messages on them
/// and TransportPackets the packets that they start; TransportSender and TransportReceiver are
/// their two ends, with SendWindow, SendQueues, LossRecovery, RetransmissionTimers and
/// SenderCredits for the one and ReceiverCredits for the other; TransportBoundary is there for
/// split networks, TransportStateScan for trains.
class QueuePairs {
public:
    /// All of these must outlive it.
    /// @param description the network
    /// @param network the same, as its packets see it
    /// @param host hears of what becomes of messages
    QueuePairs(const topology::NetworkDescription& description, const TransportNetwork& network,
               TransportHost& host);

    QueuePairs(const QueuePairs&) = delete;
    QueuePairs& operator=(const QueuePairs&) = delete;

    /// The network is split, and this is in one part of it: messages are sent in the part of their
    /// source and delivered in that of their destination. Before the first message.
    /// @param boundary of the part; must outlive this
    void split(EthernetBoundary& boundary) { boundary_.split(boundary); }

    /// @param message starts now
    /// @param traffic_class of it
    void send(const engine::Message& message, std::uint8_t traffic_class);

    /// @param listener hears of messages; must outlive it
    void set_listener(engine::MessageListener& listener) { messages_.set_listener(listener); }

    /// @return where queue pairs wait for the ports of their NPUs
    SendQueues& lines() { return sender_.lines(); }

    /// @copydoc lines
    const SendQueues& lines() const { return sender_.lines(); }

    /// @param port for which SendQueues::has_packet() holds
    /// @param traffic_class for which it holds
    /// @param now in picoseconds
    /// @return place of a packet that is sent now
    std::uint32_t take_packet(std::uint32_t port, std::uint32_t traffic_class, std::int64_t now) {
        return sender_.take_packet(port, traffic_class, now);
    }

    /// The network has put a packet on its first link.
    /// @param packet that take_packet() gave
    /// @param end when its last byte has left, in picoseconds
    void leaves(const EthernetPacket& packet, std::int64_t end) {
        if (!is_reliable_) {
            sender_.leaves_for_good(packet, end);
        }
    }

    /// A packet has arrived at an end of its queue pair.
    /// @param place of the packet, which is gone afterwards
    void receive(std::uint32_t place);

    /// Where packets choose: those that have not started choose anew.
    void choose_anew() { sender_.choose_anew(); }

    /// @return whether any message is under way
    bool is_busy() const { return messages_.any_is_in_flight(); }

    /// @return whether a receiver is going to give credit
    bool any_grant_is_due() const { return receiver_.any_grant_is_due(); }

    /// @return what decides how they go on, for packet trains
    TransportStateScan& state() { return scan_; }

    /// @copydoc state
    const TransportStateScan& state() const { return scan_; }

    /// @return all queue pairs so far
    const std::vector<QueuePair>& pairs() const { return pairs_.all(); }

private:
    /// Split network: a packet has arrived at an end of its queue pair, perhaps from another part.
    /// @param place of the packet
    /// @param packet the packet; afterwards with the number that its queue pair has here
    void come_to_end(std::uint32_t place, EthernetPacket& packet);

    bool is_reliable_;            ///< there is a transport
    TransportNetwork network_;    ///< below
    PacketSizes sizes_;           ///< of packets
    TransportBoundary boundary_;  ///< of this part of the network
    QueuePairTable pairs_;        ///< the queue pairs
    TransportMessages messages_;  ///< those under way
    TransportPackets packets_;    ///< makes packets
    TransportSender sender_;      ///< the ends from which messages come
    TransportReceiver receiver_;  ///< the ends to which they go
    TransportStateScan scan_;     ///< for packet trains
};

}  // namespace npunet::packet
